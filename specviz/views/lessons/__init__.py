"""Lessons: their files, their numbers, and their data for the page."""
