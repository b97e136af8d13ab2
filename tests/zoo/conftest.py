"""A tiny corpus of the project's own words, and what is learned from it."""

import json
import random

import pytest

from specviz.zoo.corpus import load_corpus
from specviz.zoo.vocabulary import train_tokenizer

_WHO = ("the miller", "a grey goose", "the youngest daughter", "an old soldier", "the lighthouse keeper", "a hare")
_DID = ("walked over the hill", "counted the stars", "baked a loaf of rye", "asked the river its name", "slept late")
_WHEN = ("One morning", "In the third winter", "When the bells rang", "In the year 1871", "On market day")


def _tale(seed: int, sentences: int) -> str:
    rng = random.Random(seed)
    return "\n".join(f"{rng.choice(_WHEN)} {rng.choice(_WHO)} {rng.choice(_DID)}." for _ in range(sentences)) + "\n"


def _problem(rng: random.Random) -> str:
    red, blue = rng.randint(2, 60), rng.randint(2, 60)
    question = f"A basket holds {red} red apples and {blue} green ones. How many apples are in it?"
    answer = f"It holds {red} + {blue} = <<{red}+{blue}={red + blue}>>{red + blue} apples.\n#### {red + blue}"
    return json.dumps({"question": question, "answer": answer})


@pytest.fixture(scope="session")
def corpus_directory(tmp_path_factory):
    directory = tmp_path_factory.mktemp("corpus")
    (directory / "tales").mkdir()
    (directory / "gsm8k").mkdir()
    for seed, name in enumerate(("a-grey-goose", "the-rye-loaf", "ozma-of-oz")):  # the last name is a held-out one
        (directory / "tales" / f"{name}.txt").write_text(_tale(seed, 300), encoding="utf-8")
    rng = random.Random(0)
    for name, count in (("train", 60), ("test", 30)):
        text = "\n".join(_problem(rng) for _ in range(count)) + "\n"
        (directory / "gsm8k" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return directory


@pytest.fixture(scope="session")
def corpus(corpus_directory):
    return load_corpus(corpus_directory, query_count=200)


@pytest.fixture(scope="session")
def tokenizer(corpus, tmp_path_factory):
    return train_tokenizer(corpus, tmp_path_factory.mktemp("tokenizer"), vocab_size=600)
