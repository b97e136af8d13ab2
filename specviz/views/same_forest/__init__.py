"""One frozen forest under any verifier."""
