"""Experiments over many runs: built-in prompts, sweeps, and rivals to run beside."""
