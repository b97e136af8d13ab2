"""Example prompts: one on which the embedded draft guesses well, one on which it does not, as their buttons say."""

from statistics import mean

import pytest

import specviz
from specviz.lm.loading.pairs import load_pair
from specviz.ui.examples import EXAMPLES


@pytest.fixture(scope="module")
def pair():
    return load_pair()


def tokens_a_call(pair, label):
    prompt = next(example.prompt for example in EXAMPLES if example.label == label)
    runs = [
        specviz.decode(pair, "speculative", prompt, max_new_tokens=24, seed=seed, record=False) for seed in range(3)
    ]
    return mean(run.metrics.tokens_per_target_call for run in runs)


def test_what_is_easy_to_guess_gives_many_tokens_a_call_and_what_is_hard_few(pair):
    assert tokens_a_call(pair, "Easy to guess") > 4
    assert tokens_a_call(pair, "Hard to guess") < 2.4


def test_every_example_says_what_it_shows():
    assert len({example.label for example in EXAMPLES}) == len(EXAMPLES)
    assert all(example.about and example.prompt for example in EXAMPLES)
