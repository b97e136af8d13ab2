"""Pictures of every page for the README: taken in a real browser, in both themes, on a projector and on a phone."""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from PIL import Image

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = {"": (1280, 720), "-phone": (390, 844)}
THEMES: dict[str, Literal["light", "dark"]] = {"": "light", "-dark": "dark"}
COLOURS = 256  # of the palette that a picture keeps
COVER = 96  # of them for what is rare
FRAMES = 110  # of a film, besides the last
FRAME_TIME = 100  # milliseconds that each is seen
LINGER = 2500


class Picture(NamedTuple):
    """A page in a state worth showing: the ``name`` of its files, its address after the ``?``, what must be on screen
    before it is taken, and the part that a phone scrolls to."""

    name: str
    address: str
    shows: str
    phone: str | None = None


PICTURES = (
    Picture("race", "", "#sv-race .sv-verdict li"),
    Picture(
        "microscope",
        "view=microscope&recorded=autoregressive,specinfer,mtad&at=1.3.decision-3",
        "#sv-microscope .sv-player[data-scene^=decision]",
        "#sv-microscope .sv-player",
    ),
    Picture("forest", "view=forest", "#sv-forest table td"),
    Picture("lessons", "view=lessons&lesson=residual&step=2", "#sv-lessons .sv-player"),
    Picture("lab", "view=lab&card=gamma", "#sv-lab .js-plotly-plot .main-svg", "#sv-lab .sv-lab-figures"),
    Picture("library", "view=library", "#sv-library table td"),
)


def take_pictures(
    url: str, browser: "Browser", *, pictures: Sequence[Picture] = PICTURES
) -> Iterator[tuple[str, bytes]]:
    """(file name, PNG with a palette) of every picture in every size and theme. The page at ``url`` must be there."""
    for ending, (width, height) in SIZES.items():
        for theme, scheme in THEMES.items():
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
            )
            page = context.new_page()
            for picture in pictures:
                yield f"{picture.name}{ending}{theme}.png", small(_take(page, url, picture, bool(ending)))
            context.close()


def take_films(url: str, browser: "Browser", *, frames: int = FRAMES) -> Iterator[tuple[str, bytes]]:
    """(file name, animated WebP) of the race in slow motion, in both themes."""
    for theme, scheme in THEMES.items():
        context = browser.new_context(viewport={"width": 1280, "height": 720}, color_scheme=scheme)
        page = context.new_page()
        page.goto(url)
        page.locator(".sv-playback").first.wait_for()
        page.locator(".sv-replay").evaluate("one => one.scrollIntoView({block: 'start'})")
        yield f"race-film{theme}.webp", _film(page, frames)
        context.close()


def _film(page: "Page", frames: int) -> bytes:
    """The lanes at ``frames`` moments, from the beginning to the end, the end a while longer."""
    taken = []
    for frame in range(frames + 1):
        page.locator(".sv-scrub").first.evaluate(_AT, frame / frames)
        taken.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    out = io.BytesIO()
    pauses = [FRAME_TIME] * frames + [LINGER]
    taken[0].save(out, "WEBP", save_all=True, append_images=taken[1:], duration=pauses, loop=0, quality=60, method=4)
    return out.getvalue()


_AT = "(input, share) => { input.value = share * input.max; input.dispatchEvent(new Event('input')); }"


def _take(page: "Page", url: str, picture: Picture, phone: bool) -> bytes:
    page.goto(f"{url}?{picture.address}")
    page.locator(".sv-status[data-state=ready]").wait_for()
    page.locator(picture.shows).first.wait_for()
    if phone and picture.phone:
        page.locator(picture.phone).evaluate("element => element.scrollIntoView({block: 'start'})")
    page.evaluate("document.fonts.ready")
    page.wait_for_function(_STILL)
    return page.screenshot()


# nothing has changed on the page for half a second: all that is drawn ahead is drawn
_STILL = """() => {
  if (!window.still) {
    window.still = performance.now();
    new MutationObserver(() => { window.still = performance.now(); })
      .observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  }
  return performance.now() - window.still > 500;
}"""


def small(png: bytes) -> bytes:
    """The same picture with ``COLOURS`` colours: those it has most of stay exactly, ``COVER`` stand for the others."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    colors = _commonest(picture)
    exact, others = colors[: COLOURS - COVER], colors[COLOURS - COVER :] or colors[:1]
    rest = Image.new("RGB", (len(others), 1))
    rest.putdata(others)
    cover = rest.quantize(COVER, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for color in exact for part in color] + cover[: 3 * COVER])
    few = picture.quantize(palette=palette, dither=Image.Dither.NONE)
    out = io.BytesIO()
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


def _commonest(picture: Image.Image) -> list[tuple[int, ...]]:
    """The colours of an RGB picture, those it has most of first."""
    counted = picture.getcolors(picture.width * picture.height) or []
    return [color for _, color in sorted(counted, reverse=True) if isinstance(color, tuple)]
