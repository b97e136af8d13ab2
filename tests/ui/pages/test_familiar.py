"""What the embedded pair can know: its own kinds of text, and little else."""

import math

import pytest
import torch

import specviz
from specviz.lab.sweep.prompts import built_in
from specviz.ui.examples import EXAMPLES
from specviz.ui.pages.familiar import FAMILIAR, UNFAMILIAR, surprise, unfamiliar
from specviz.ui.serving.models import EMBEDDED_NAME

STRANGE = (
    "What is the capital of France?",
    "Write a haiku about the sea",
    "def fibonacci(n):",
    "Translate to German: the house is old and nobody lives in it.",
    "Explain how vaccines work in two sentences",
)


@pytest.fixture(scope="module")
def pair():
    return specviz.load_pair(dtype="float32")


def test_its_own_prompts_are_familiar(pair):
    own = [one.prompt for one in EXAMPLES if one.pair == EMBEDDED_NAME and one.label != "Hard to guess"]
    own += [one.prompt for kind in ("tales", "sums", "queries") for one in built_in(kind)]
    assert len(own) > 12 and [prompt for prompt in own if unfamiliar(pair, prompt)] == []


@pytest.mark.parametrize("prompt", [*STRANGE, *(one.prompt for one in EXAMPLES if one.pair is None)])
def test_what_it_never_read_is_not(pair, prompt):
    assert unfamiliar(pair, prompt) == UNFAMILIAR


def test_the_surprise_is_that_of_the_target(pair):
    text = "Once upon a time"
    tokens = pair.encode(text)
    rows = pair.target.model(input_ids=torch.tensor([tokens])).logits[0].log_softmax(-1)
    nats = -sum(rows[place, token].item() for place, token in enumerate(tokens[1:]))
    assert math.isclose(surprise(pair, text), nats / 16, rel_tol=1e-4) and nats / 16 < FAMILIAR
    assert surprise(pair, "a") == 0.0
