"""The page in a real browser: how fast it is, and pictures of it."""
