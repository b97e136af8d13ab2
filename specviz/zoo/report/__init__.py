"""What the trained models can do, measured and written down."""
