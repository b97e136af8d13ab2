"""Sweeps that visitors start: what they may ask for, the files, and the line behind everybody else's."""
