"""Sweeps that visitors start: requests, files, and their place behind everybody's races."""
