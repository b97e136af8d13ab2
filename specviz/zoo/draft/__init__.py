"""A small draft for an existing target: the target's answers, its states and probabilities at each token, the
training."""
