"""A small draft for a target that is there already: the target's answers, what it thought at each, and the training."""
