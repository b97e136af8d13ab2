"""Sweeps: many methods, settings, prompts and seeds; a row for each run, resumed where it stopped, and what follows."""
