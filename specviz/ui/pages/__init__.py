"""The pages: the server's side of each."""
