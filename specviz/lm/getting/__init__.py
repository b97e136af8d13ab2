"""Models that can be had by name: which there are, where they come from, and how one gets here whole or not at all."""
