"""One offline HTML file with the player inside: a step or a lesson that opens from a disk, without any server.

The page around the data is constant. The data is JSON in a script element that no browser runs, with every "<" escaped;
the player reads it and inserts every text as text. A content security policy forbids every request, so what is in the
file is all that it can show: recorded steps.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import plotly

from specviz.assets import ASSETS
from specviz.errors import SpecvizError
from specviz.views.story.glossary import GLOSSARY

PLAYER = ASSETS / "player"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
SCRIPT = PLAYER / "dist" / "standalone.js"
STYLES = ("page.css", "race.css", "player.css", "standalone.css")


class Kind(NamedTuple):
    """What a kind of document needs: styles beside STYLES, and whether figures are drawn in it."""

    styles: tuple[str, ...]
    figures: bool = True


KINDS = {
    "step": Kind(()),
    "lesson": Kind(("lessons.css",)),
    "lessons": Kind(("lessons.css",)),
    "handout": Kind(("lessons.css", "paper.css"), figures=False),
    "notes": Kind(("lessons.css", "paper.css"), figures=False),
    "race": Kind(("stage.css",), figures=False),
}
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{styles}
</style>
</head>
<body>
<div class="sv-island sv-standalone" id="specviz"></div>
<noscript>This file shows its steps with JavaScript, which is switched off.</noscript>
<script type="application/json" id="specviz-data">{data}</script>
{scripts}
<script>
specviz.open(document.getElementById('specviz'), JSON.parse(document.getElementById('specviz-data').textContent));
</script>
</body>
</html>
"""


def document(title: str, kind: str, data: Mapping[str, Any]) -> str:
    """A whole HTML file that shows ``data`` with the player (assets/player/src/standalone.js), about 5 MB where figures
    are drawn.

    ``kind`` is "step", with ``data`` = {"title": heading, "light": payload, "dark": payload, "note": which command or
    page makes others, "at": scene key to begin with, "pins": node numbers} (the last three may be missing; payloads
    are those of ``views/story/scenes.py``), "lesson", "lessons", "handout", "notes" or "race". ``title`` is plain
    text, as is everything in ``data``.

    Raises SpecvizError for an unknown kind, and for data that is not JSON.
    """
    if kind not in KINDS:
        raise SpecvizError(f"kind must be {' or '.join(repr(one) for one in KINDS)}, got {kind!r}", argument="kind")
    try:
        written = json.dumps({"kind": kind, "glossary": GLOSSARY, "data": data}, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise SpecvizError(f"data must be plain JSON data: {error}", argument="data") from error
    return _PAGE.format(
        policy=POLICY,
        title=escape(title),
        styles="\n".join(_style(PLAYER / name) for name in (*STYLES, *KINDS[kind].styles, "print.css")),
        data=written.replace("<", "\\u003c"),
        scripts="\n".join(_script(path) for path in ((PLOTLY, SCRIPT) if KINDS[kind].figures else (SCRIPT,))),
    )


@cache
def _style(path: Path) -> str:
    return re.sub("<(?=/style)", r"\\3c ", path.read_text(encoding="utf-8"), flags=re.IGNORECASE)


@cache
def _script(path: Path) -> str:
    """A script element; what would end it early, or hide its end, can stand in a script's strings only."""
    text = re.sub("<(?=/script|!--)", r"\\x3c", path.read_text(encoding="utf-8"), flags=re.IGNORECASE)
    return f"<script>{text}</script>"
