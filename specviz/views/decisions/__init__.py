"""One file a rule: how its decision is drawn and said."""
