"""Pictures as shapes without a colour or a pixel, lowered to JSON (the player draws them) and to plotly."""
