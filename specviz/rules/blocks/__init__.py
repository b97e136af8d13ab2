"""Block verification beyond one chain: on a tree, and on the best of several sequences."""
