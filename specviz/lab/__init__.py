"""Experiments over many runs: built-in prompts, benchmarks against rivals, and their statistics."""
