"""Lossless or not: measured for every method."""
