"""The recorded runs that ship with the page, read once a process."""

from functools import cache

from specviz.ui import page

load_gallery, load_openings = cache(page.load_gallery), cache(page.load_openings)
