"""The results of a race: dials, where the time went, and a verdict in words."""
