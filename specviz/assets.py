"""Where the files are that come along: models, recorded races, lessons, the page's scripts.

In a checkout they lie beside the package, in an installed package inside it."""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
ASSETS = _HERE / "assets" if (_HERE / "assets").is_dir() else _HERE.parent / "assets"
