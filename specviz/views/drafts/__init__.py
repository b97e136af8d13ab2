"""What was drafted: the tree and its stages, what it was drawn from, and the mask of the target call."""
