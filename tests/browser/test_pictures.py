"""The README's pictures are taken by a measure: of every page, small, and there."""

import io
from pathlib import Path

import pytest
from PIL import Image

from specviz.ui.page import PAGES
from tests.measures.pictures import COLOURS, LINGER, PICTURES, SIZES, THEMES, take_films, take_pictures

SCREENSHOTS = Path(__file__).resolve().parents[2] / "assets" / "screenshots"


@pytest.mark.full
def test_a_picture_in_every_size_and_theme(site, browser):
    taken = {name: Image.open(io.BytesIO(png)) for name, png in take_pictures(site, browser, pictures=PICTURES[:1])}
    assert set(taken) == {"race.png", "race-dark.png", "race-phone.png", "race-phone-dark.png"}
    assert taken["race.png"].size == (1280, 720) and taken["race-phone.png"].size == (390, 844)
    bright = {name: picture.convert("L").resize((1, 1)).getpixel((0, 0)) for name, picture in taken.items()}
    assert bright["race.png"] > 180 and bright["race-dark.png"] < 60
    assert all(picture.mode == "P" and len(picture.getcolors()) <= COLOURS for picture in taken.values())


@pytest.mark.full
def test_a_film_moves_and_shows_the_end_longest(site, browser):
    films = dict(take_films(site, browser, frames=4))
    assert set(films) == {"race-film.webp", "race-film-dark.webp"}
    film = Image.open(io.BytesIO(films["race-film.webp"]))
    seen = []
    for frame in range(film.n_frames):
        film.seek(frame)
        picture = film.convert("L").tobytes()  # the duration is known once the frame is read
        seen.append((film.info["duration"], picture))
    assert len({picture for _, picture in seen}) == film.n_frames >= 4
    assert seen[-1][0] == LINGER > seen[0][0]


@pytest.mark.full
def test_the_film_of_the_readme_is_small():
    for theme in THEMES:
        assert 50_000 < (SCREENSHOTS / f"race-film{theme}.webp").stat().st_size < 2_500_000


def test_every_page_is_shown_and_small():
    assert [picture.name for picture in PICTURES] == [page.name for page in PAGES]
    for picture in PICTURES:
        for size in SIZES:
            for theme in THEMES:
                file = SCREENSHOTS / f"{picture.name}{size}{theme}.png"
                assert 5_000 < file.stat().st_size < 150_000, file
