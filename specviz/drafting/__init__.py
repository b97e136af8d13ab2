"""Drafters: each proposes a forest of tokens for the target to judge."""
