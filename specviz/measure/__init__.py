"""Measuring: clocks, costs, quality, energy, theory, and the metrics of a run made of them."""
