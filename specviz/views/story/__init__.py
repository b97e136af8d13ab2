"""An iteration as a row of scenes, on a page, in a notebook or in a file."""
