"""Reading models and pairs from disk or hub: what may be loaded, in which dtype, and what the shipped files are."""
