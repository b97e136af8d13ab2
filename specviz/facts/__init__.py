"""What an iteration of a trace says, once read closely, and how its tokens and prefixes are called."""
