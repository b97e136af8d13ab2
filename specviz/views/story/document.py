"""One offline HTML file with the player inside: a step or a lesson that opens from a disk, without any server.

The page around the data is constant. The data is JSON, deflated, in base64, in a script element that no browser runs;
the player inflates it and inserts every text as text. A content security policy forbids every request, so what is in
the file is all that it can show: recorded steps.
"""

import base64
import json
import re
import zlib
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from specviz.assets import ASSETS
from specviz.errors import SpecvizError
from specviz.views.story.glossary import GLOSSARY

PLAYER = ASSETS / "player"
SCRIPT = PLAYER / "dist" / "standalone.js"
STYLES = ("page.css", "race.css", "draw.css", "player.css", "standalone.css")
KINDS: dict[str, tuple[str, ...]] = {
    "step": (),
    "lesson": ("lessons.css",),
    "lessons": ("lessons.css",),
    "handout": ("lessons.css", "paper.css"),
    "notes": ("lessons.css", "paper.css"),
    "race": ("stage.css",),
}
"""The kinds of document, and the styles that each needs besides STYLES."""
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
<noscript>This file shows its steps with JavaScript, which is switched off.{still}</noscript>
<script type="text/plain" id="specviz-data">{data}</script>
{script}
<script>specviz.open(document.getElementById('specviz'), document.getElementById('specviz-data').textContent);</script>
</body>
</html>
"""


def document(title: str, kind: str, data: Mapping[str, Any], *, still: str = "") -> str:
    """A whole HTML file that shows ``data`` with the player (assets/player/src/standalone.js).

    ``kind`` is "step", with ``data`` a StepDocument, "lesson", "lessons", "handout", "notes" or "race". ``title`` is
    plain text, as is everything in ``data``; ``still`` is HTML for readers without scripts.

    Raises SpecvizError for an unknown kind, and for data that is not JSON.
    """
    if kind not in KINDS:
        raise SpecvizError(f"kind must be {' or '.join(repr(one) for one in KINDS)}, got {kind!r}", argument="kind")
    try:
        content = json.dumps({"kind": kind, "glossary": GLOSSARY, "data": data}, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise SpecvizError(f"data must be plain JSON data: {error}", argument="data") from error
    return _PAGE.format(
        policy=POLICY,
        title=escape(title),
        styles="\n".join(_style(PLAYER / name) for name in (*STYLES, *KINDS[kind], "print.css")),
        data=base64.b64encode(zlib.compress(content.encode(), 9)).decode(),
        script=_script(SCRIPT),
        still=still,
    )


@cache
def _style(path: Path) -> str:
    return re.sub("<(?=/style)", r"\\3c ", path.read_text(encoding="utf-8"), flags=re.IGNORECASE)


@cache
def _script(path: Path) -> str:
    """A script element, with everything escaped that would end it early or hide its end; such text occurs only in
    strings."""
    text = re.sub("<(?=/script|!--)", r"\\x3c", path.read_text(encoding="utf-8"), flags=re.IGNORECASE)
    return f"<script>{text}</script>"
