"""The server: what it lets in, whose turn it is, what it remembers."""
