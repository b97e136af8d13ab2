"""Exact distributions: whole decoders, one verdict, the first token; every coin enumerated."""
