"""Models of transformers behind a trie cache: their forward pass, stock or lean, and what they read lately."""
