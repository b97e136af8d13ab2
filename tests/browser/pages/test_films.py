"""A race as a video and as a GIF: every frame, however busy the machine; or a word on what works instead."""

import io
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

MASTERS = {0x18538067, 0x1F43B675}  # of EBML: the segment, a cluster
VIDEO, GIF = "As a video (WebM)", "As a moving picture (GIF)"
LINGER = 1.5  # seconds that the end is seen
DROPS = """
window.VideoEncoder = class extends VideoEncoder {
  encode(frame, how) { if ((this.count = (this.count ?? 0) + 1) % 10) super.encode(frame, how); }
};
"""
FAILS = """
window.VideoEncoder = class extends VideoEncoder {
  constructor({output, error}) { super({output, error}); this.fail = error; }
  encode() { this.fail(new DOMException('no more room')); }
};
"""


def blocks(data: bytes) -> list[tuple[int, bool]]:
    """Time in milliseconds of every frame of a WebM, and whether a player can begin at it."""
    found, start, at = [], 0, 0

    def number(wide: int) -> int:
        nonlocal at
        at += wide
        return int.from_bytes(data[at - wide : at], "big")

    while at < len(data):
        name = number(9 - data[at].bit_length())
        wide = 9 - data[at].bit_length()
        size = number(wide) - (1 << 7 * wide)
        if name in MASTERS:
            continue
        if name == 0xE7:
            start = int.from_bytes(data[at : at + size], "big")
        elif name == 0xA3:
            found.append((start + int.from_bytes(data[at + 1 : at + 3], "big"), data[at + 3] == 0x80))
        at += size
    assert at == len(data)
    return found


def race(visit, site, *, script: str = "") -> Page:
    page = visit(site)
    if script:
        page.evaluate(f"() => {{ {script} }}")
    expect(page.locator(".sv-playback")).to_be_visible()
    page.locator(".sv-playback").get_by_label("How much slower").select_option("2")
    page.locator("#sv-race .sv-save > summary").click()
    return page


def seconds(page: Page) -> float:
    """How long the film is to be."""
    return 2 * float(page.locator(".sv-playback .sv-moment").inner_text().split()[-2]) + LINGER


def saved(page: Page, name: str) -> Path:
    with page.expect_download(timeout=120_000) as waiting:
        page.get_by_role("button", name=name).click()
    expect(page.locator("#sv-race .sv-saving")).to_have_text("Saved.")
    return waiting.value.path()


@pytest.mark.full
@pytest.mark.parametrize("slower", [1, 8], ids=["idle", "busy"])
def test_a_video_has_every_frame(visit, site, slower):
    page = race(visit, site)
    cdp = page.context.new_cdp_session(page)
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    data = saved(page, VIDEO).read_bytes()
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    frames = blocks(data)
    assert [time for time, _ in frames] == [round(at * 1000 / 30) for at in range(len(frames))]
    assert len(frames) == pytest.approx(30 * seconds(page), abs=1)
    assert all(key for _, key in frames[::150])
    elsewhere = page.context.browser.new_page()  # the page itself plays no media, as its policy says
    shown = elsewhere.evaluate(
        """async (bytes) => {
          const video = document.createElement('video');
          video.src = URL.createObjectURL(new Blob([Uint8Array.from(bytes)], {type: 'video/webm'}));
          const on = (name) => new Promise((done, fail) => {
            video[`on${name}`] = done;
            video.onerror = () => fail(video.error);
          });
          await on('loadeddata');
          video.currentTime = video.duration - 0.01;
          await on('seeked');
          return [video.duration, video.videoWidth, video.currentTime];
        }""",
        list(data),
    )
    elsewhere.close()
    assert shown == pytest.approx([len(frames) / 30, 1280, len(frames) / 30 - 0.01], abs=0.05)


@pytest.mark.full
@pytest.mark.parametrize("script", ["delete window.VideoEncoder", FAILS, DROPS], ids=["none", "fails", "drops"])
def test_a_video_that_cannot_be_whole_is_refused(visit, site, script):
    page = race(visit, site, script=script)
    page.get_by_role("button", name=VIDEO).click()
    expect(page.locator("#sv-race .sv-alert").filter(has_text="Save it as GIF instead")).to_be_visible()
    expect(page.locator("#sv-race .sv-saving")).to_be_empty()


def test_a_gif_plays_the_race(visit, site):
    page = race(visit, site)
    film = Image.open(io.BytesIO(saved(page, GIF).read_bytes()))
    assert film.info["loop"] == 0 and film.width == 1280
    assert film.n_frames == pytest.approx(10 * seconds(page), abs=1)
    first = film.convert("RGB").tobytes()
    delays = set()
    for at in range(film.n_frames):
        film.seek(at)
        delays.add(film.info["duration"])
    assert delays == {100}
    assert film.convert("RGB").tobytes() != first


@pytest.mark.full
def test_a_gif_that_would_be_too_long_is_refused(visit, site):
    page = race(visit, site)
    slower = page.locator(".sv-playback").get_by_label("How much slower")
    slower.evaluate("list => list.append(new Option('as a race of minutes', 5000))")  # this one is short
    slower.select_option("5000")
    page.get_by_role("button", name=GIF).click()
    expect(page.locator("#sv-race .sv-alert").filter(has_text="Choose a faster speed")).to_be_visible()
