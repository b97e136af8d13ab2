"""The public-domain books of the tales domain, by Project Gutenberg e-book number: anyone can fetch them again."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Book:
    """One book: its title, its Project Gutenberg e-book number, and its characters without line ends, as trained on."""

    title: str
    ebook: int
    characters: int


BOOKS = (
    Book("Alice's Adventures in Wonderland", 11, 141_257),
    Book("Andersen's Fairy Tales", 1597, 296_359),
    Book("Anne of Green Gables", 45, 556_038),
    Book("Black Beauty", 271, 299_716),
    Book("Celtic Fairy Tales", 7885, 389_274),
    Book("Dorothy and the Wizard in Oz", 420, 226_335),
    Book("English Fairy Tales", 7439, 319_242),
    Book("Five Children and It", 778, 284_890),
    Book("Grimms' Fairy Tales", 2591, 517_499),
    Book("Heidi", 1448, 495_360),
    Book("Household Tales by Brothers Grimm", 5314, 1_476_717),
    Book("Indian Fairy Tales", 7128, 379_816),
    Book("Japanese Fairy Tales", 4018, 368_766),
    Book("Just So Stories", 2781, 154_796),
    Book("Little Women", 514, 998_288),
    Book("Old Mother West Wind", 2557, 89_602),
    Book("Ozma of Oz", 486, 210_546),
    Book("Peter Pan", 16, 252_696),
    Book("The Adventures of Pinocchio", 500, 209_465),
    Book("The Adventures of Sherlock Holmes", 1661, 556_895),
    Book("The Adventures of Tom Sawyer", 74, 383_212),
    Book("The Blue Fairy Book", 503, 725_235),
    Book("The Brown Fairy Book", 3282, 505_436),
    Book("The Crimson Fairy Book", 2435, 503_873),
    Book("The Emerald City of Oz", 517, 292_810),
    Book("The Green Fairy Book", 7277, 631_550),
    Book("The Grey Fairy Book", 6746, 507_953),
    Book("The Happy Prince and Other Tales", 902, 85_293),
    Book("The Jungle Book", 236, 269_033),
    Book("The Lilac Fairy Book", 3454, 511_360),
    Book("The Lost Princess of Oz", 959, 254_264),
    Book("The Magic of Oz", 419, 210_006),
    Book("The Marvelous Land of Oz", 54, 234_257),
    Book("The Olive Fairy Book", 27826, 490_785),
    Book("The Orange Fairy Book", 3027, 521_121),
    Book("The Patchwork Girl of Oz", 955, 308_202),
    Book("The Pink Fairy Book", 5615, 506_031),
    Book("The Princess and the Goblin", 708, 270_728),
    Book("The Railway Children", 1874, 320_664),
    Book("The Red Fairy Book", 540, 644_424),
    Book("The Road to Oz", 485, 215_346),
    Book("The Scarecrow of Oz", 957, 246_457),
    Book("The Secret Garden", 113, 423_757),
    Book("The Story of Doctor Dolittle", 501, 139_407),
    Book("The Tale of Peter Rabbit", 14838, 4_892),
    Book("The Violet Fairy Book", 641, 527_338),
    Book("The Wind in the Willows", 289, 322_680),
    Book("The Wonderful Wizard of Oz", 55, 204_851),
    Book("The Yellow Fairy Book", 640, 579_132),
    Book("Through the Looking Glass", 12, 157_726),
    Book("Treasure Island", 120, 359_751),
)
_BY_SIZE = {book.characters: book for book in BOOKS}


def identify(text: str) -> Book | None:
    """The book of the table that has exactly as many characters as ``text`` (line ends not counted), or None."""
    return _BY_SIZE.get(len(text.replace("\n", "")))
