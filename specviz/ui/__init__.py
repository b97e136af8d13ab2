"""The page: gradio wiring around our own scripts. Check what a visitor asks, run it, hand its traces to the views."""
