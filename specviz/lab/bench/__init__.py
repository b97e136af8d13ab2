"""The benchmark: methods beside rivals on the same prompts, and what the papers promise of them."""
