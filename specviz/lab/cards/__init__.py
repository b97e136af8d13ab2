"""Cards: a figure or table of a paper as a sweep, with its recorded rows and what the paper promises of it."""
