"""Colours, glyphs and plotly figures, and figures as files."""
