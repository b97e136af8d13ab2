"""Running decoders: the one loop, the texts it grows, what it records, and races."""
