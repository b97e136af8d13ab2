"""What is in a saved HTML file, as its player reads it."""

import base64
import json
import re
import zlib
from typing import Any


def held(text: str) -> dict[str, Any]:
    """{"kind", "glossary", "data"} of a file of ``specviz.views.story.document``."""
    found = re.search(r'id="specviz-data">([^<]*)</script>', text)
    assert found, "no data in the file"
    return json.loads(zlib.decompress(base64.b64decode(found[1], validate=True)))
