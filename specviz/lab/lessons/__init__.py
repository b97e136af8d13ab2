"""Lessons as data, with rules that are broken on purpose."""
