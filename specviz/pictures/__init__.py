"""Pictures as shapes without a colour or a pixel, as JSON for the player, and what a rule shows with them."""
