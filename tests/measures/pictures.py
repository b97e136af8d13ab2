"""Pictures of every page for the README, taken in Chromium: both themes, on a projector and on a phone; and a film."""

import io
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

from PIL import Image
from playwright.sync_api import Browser

from tests.measures.server import chromium, serving
from tests.measures.table import report

SIZES = {"": (1280, 720), "-phone": (390, 844)}
THEMES: dict[str, Literal["light", "dark"]] = {"": "light", "-dark": "dark"}
COLOURS, COVER = 256, 96  # of the palette that a picture keeps, and of them for what is rare
LINGER = 2500  # milliseconds that the end of a film is seen


class Picture(NamedTuple):
    """A page in a state worth showing: the ``name`` of its files, its address after the ``?``, what must be on screen
    before it is taken, and the part that a phone scrolls to."""

    name: str
    address: str
    shows: str
    phone: str = "body"


PLAYER, LAB = "#sv-microscope .sv-player", "#sv-lab .js-plotly-plot .main-svg"
STEP = "view=microscope&recorded=autoregressive,specinfer,mtad&at=1.3.decision-3"
PICTURES = (
    Picture("race", "", "#sv-race .sv-verdict li"),
    Picture("microscope", STEP, f"{PLAYER}[data-scene^=decision]", PLAYER),
    Picture("forest", "view=forest", "#sv-forest table td"),
    Picture("lessons", "view=lessons&lesson=residual&step=2", "#sv-lessons .sv-player"),
    Picture("lab", "view=lab&card=gamma", LAB, "#sv-lab .sv-lab-figures"),
    Picture("library", "view=library", "#sv-library table td"),
)
# nothing has changed on the page for half a second: all that is drawn ahead is drawn
STILL = """() => {
  if (!window.still) {
    window.still = performance.now();
    new MutationObserver(() => { window.still = performance.now(); })
      .observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  }
  return performance.now() - window.still > 500;
}"""
SCRUB = "(input, share) => { input.value = share * input.max; input.dispatchEvent(new Event('input')); }"
INTO_VIEW = "element => element.scrollIntoView({block: 'start'})"


def take_pictures(url: str, browser: Browser, pictures: Sequence[Picture] = PICTURES) -> Iterator[tuple[str, bytes]]:
    """(file name, PNG with a palette) of every picture in every size and theme."""
    for ending, (width, height) in SIZES.items():
        for theme, scheme in THEMES.items():
            size = {"width": width, "height": height}
            page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
            for picture in pictures:
                page.goto(f"{url}?{picture.address}")
                for shown in (".sv-status[data-state=ready]", picture.shows):
                    page.locator(shown).first.wait_for()
                page.locator(picture.phone if ending else "body").evaluate(INTO_VIEW)
                page.evaluate("document.fonts.ready")
                page.wait_for_function(STILL)
                yield f"{picture.name}{ending}{theme}.png", small(page.screenshot())
            page.close()


def take_films(url: str, browser: Browser, frames: int = 110) -> Iterator[tuple[str, bytes]]:
    """(file name, animated WebP) of the race in slow motion from the beginning to the end, in both themes."""
    for theme, scheme in THEMES.items():
        page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme=scheme)
        page.goto(url)
        page.locator(".sv-playback").first.wait_for()
        page.locator(".sv-replay").evaluate(INTO_VIEW)
        taken = []
        for frame in range(frames + 1):
            page.locator(".sv-scrub").first.evaluate(SCRUB, frame / frames)
            taken.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        pauses = [100] * frames + [LINGER]
        yield (
            f"race-film{theme}.webp",
            _saved(taken[0], "WEBP", save_all=True, append_images=taken[1:], duration=pauses),
        )
        page.close()


def small(png: bytes) -> bytes:
    """The same picture with ``COLOURS`` colours: those it has most of stay exactly, ``COVER`` stand for the others."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    colors = [color for color, _ in Counter(picture.getdata()).most_common()]
    exact, others = colors[: COLOURS - COVER], colors[COLOURS - COVER :] or colors[:1]
    rest, palette = Image.new("RGB", (len(others), 1)), Image.new("P", (1, 1))
    rest.putdata(others)
    cover = rest.quantize(COVER, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette() or []
    palette.putpalette([part for color in exact for part in color] + cover[: 3 * COVER])
    return _saved(picture.quantize(palette=palette, dither=Image.Dither.NONE), "PNG", optimize=True)


def _saved(picture: Image.Image, kind: str, **settings: Any) -> bytes:
    out = io.BytesIO()
    more = {"loop": 0, "quality": 60, "method": 4} if kind == "WEBP" else {}
    picture.save(out, kind, **more, **settings)
    return out.getvalue()


def pictures(args: Namespace) -> list[dict[str, Any]]:
    """All of them, written to the folder ``out``."""
    args.out.mkdir(parents=True, exist_ok=True)
    with chromium() as browser, serving() as (url, _):
        taken = chain(take_pictures(url, browser), take_films(url, browser))
        return [{"file": name, "bytes": (args.out / name).write_bytes(image)} for name, image in taken]


if __name__ == "__main__":
    report(pictures, __doc__)
