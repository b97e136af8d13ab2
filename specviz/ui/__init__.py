"""The page: gradio wiring around our own components. Pages check what they are given, run a race, hand on its traces."""
