"""Training: batches, networks, stages, and the parts beside target and draft."""
