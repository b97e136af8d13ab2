"""Lessons: their files, their numbers, and what the page is sent of them."""
