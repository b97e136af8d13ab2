"""The README's pictures are taken by a command: of every page, small, and there."""

import io
from pathlib import Path

import pytest
from PIL import Image

from specviz.lab.page.pictures import COLOURS, PICTURES, SIZES, THEMES, take_pictures
from specviz.ui.page import PAGES

SCREENSHOTS = Path(__file__).resolve().parents[2] / "assets" / "screenshots"


@pytest.mark.full
def test_a_picture_in_every_size_and_theme(site, browser):
    taken = {name: Image.open(io.BytesIO(png)) for name, png in take_pictures(site, browser, pictures=PICTURES[:1])}
    assert set(taken) == {"race.png", "race-dark.png", "race-phone.png", "race-phone-dark.png"}
    assert taken["race.png"].size == (1280, 720) and taken["race-phone.png"].size == (390, 844)
    bright = {name: picture.convert("L").resize((1, 1)).getpixel((0, 0)) for name, picture in taken.items()}
    assert bright["race.png"] > 180 and bright["race-dark.png"] < 60
    assert all(picture.mode == "P" and len(picture.getcolors()) <= COLOURS for picture in taken.values())


def test_every_page_is_shown_and_small():
    assert [picture.name for picture in PICTURES] == [name for name, _ in PAGES]
    for picture in PICTURES:
        for size in SIZES:
            for theme in THEMES:
                file = SCREENSHOTS / f"{picture.name}{size}{theme}.png"
                assert 5_000 < file.stat().st_size < 150_000, file
