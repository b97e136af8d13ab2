"""The pages: what each answers to its script in the browser."""
