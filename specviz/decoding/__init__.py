"""The decoder: methods run, raced, judged, replayed, and their exact distributions."""
