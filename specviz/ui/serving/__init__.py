"""The server: what it lets in, whose turn it is, and what it remembers."""
