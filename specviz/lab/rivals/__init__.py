"""Rivals to run beside in a sweep, and the benchmark: our methods and theirs on the same prompts, in turns."""
