"""Drafters: each proposes a Forest of tokens for the target to judge."""
