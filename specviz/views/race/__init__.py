"""What a race showed: dials, where the time went, and a verdict in words."""
