"""``reference.py FOLDER``: the API reference, made of the docstrings. Fails on a warning, and on a link that leads
nowhere.

What is documented: the public face and the rooms that a method, a view or a reader of traces is written against."""

import re
import sys
import warnings
from pathlib import Path

import pdoc

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import specviz

ROOMS = (
    *("dice", "errors", "options", "trace", "facts", "pictures", "lm", "drafting", "rules", "measure"),
    *("decoding.registry", "decoding.exact", "decoding.context", "decoding.replay", "decoding.run"),
    "views.story.notebook",
)
WHAT = ("specviz", *(f"specviz.{room}" for room in ROOMS))


def main(folder: Path) -> int:
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        pdoc.render.configure(docformat="markdown", footer_text="")
        getattr(specviz, "step_figures")  # noqa: B009 (imported when asked for: pdoc looks, and does not ask)
        pdoc.pdoc(*WHAT, output_directory=folder)
    said = [f"{warning.filename}: {warning.message}" for warning in raised if "pdoc" in warning.filename]
    pages = {page.relative_to(folder).as_posix(): page.read_text(encoding="utf-8") for page in folder.rglob("*.html")}
    problems = said + broken_links(pages)
    print("\n".join(problems) or f"{len(pages)} pages")
    return bool(problems) or len(pages) < 50


def broken_links(pages: dict[str, str]) -> list[str]:
    """Links between the pages to a page or a place that is not there."""
    anchors = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in pages.items()}
    found = []
    for name, text in pages.items():
        written = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
        for link in sorted(set(re.findall(r'\bhref="([^"]+)"', written))):
            if "://" in link or link.startswith("data:"):
                continue
            target, _, place = link.partition("#")
            page = Path(name).parent.joinpath(target).as_posix() if target else name
            page = str(Path("/", page).resolve().relative_to("/"))
            if page not in pages or (place and place not in anchors[page]):
                found.append(f"{name}: {link} leads nowhere")
    return found


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
