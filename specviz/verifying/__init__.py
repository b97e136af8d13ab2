"""Verifiers: each judges a scored forest and says which tokens become text."""
