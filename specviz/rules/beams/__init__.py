"""Whole layers of beams: beam sampling and beam search on the target, and what keeps drafted layers."""
