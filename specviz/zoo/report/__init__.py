"""The report: what the trained models can do."""
