"""One file a rule: its paper and equation, its decision, the verifier that makes it, and how it is told and drawn."""
