"""Sweeps: methods and rivals on many prompts, with many seeds; a row a run, resumed where it stopped; what follows."""
