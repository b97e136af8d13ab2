"""Recorded runs as plain HTML, for readers without scripts: the text, its tokens marked by where they come from."""

from html import escape

from specviz.facts.tokens import END, emitted_piece
from specviz.facts.words import ORIGINS
from specviz.trace.record import Emitted, Trace
from specviz.views.plot import palette


def still_text(trace: Trace) -> str:
    """The text of a run as a paragraph."""
    tokens = "".join(_token(trace, token) for iteration in trace.iterations for token in iteration.emitted)
    return f"<p>{tokens}</p>"


def _token(trace: Trace, token: Emitted) -> str:
    caption, color = ORIGINS[token.origin].caption, palette.ORIGINS[token.origin].color
    piece = emitted_piece(trace, token).replace(END, "end of answer")
    return f'<span title="{escape(caption)}" style="border-bottom:3px solid {color}">{escape(piece)}</span>'
