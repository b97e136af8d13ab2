"""Target and draft whose vocabularies differ in special and other added tokens: what both share is drafted, the rest
has probability 0; on every way in."""

import json
import logging
import math

import pytest

import specviz
from specviz.__main__ import main
from specviz.errors import ModelError
from specviz.lm.loading.pairs import load_pair
from specviz.ui.serving.models import PairLoader
from tests.tiny_pair import byte_tokenizer, swapped_tokenizer, write_pair

BYTES = 257
START, END, EXTRA, TOOL = range(BYTES, BYTES + 4)
LOSSLESS = ("speculative", "block", "mcsd", "specinfer")


def _tokenizer(*special, added=()):
    tokenizer = byte_tokenizer()
    tokenizer.add_special_tokens({"additional_special_tokens": list(special)})
    tokenizer.add_tokens(list(added))
    return tokenizer


def _write(folder):
    """A target with two more tokens, and another name for a third, than its draft."""
    target = _tokenizer("<|start|>", "<|im_end|>", "<|extra|>", added=["<tool>"])
    return write_pair(folder, target, _tokenizer("<|start|>", "<|end|>"))


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return _write(tmp_path_factory.mktemp("pair"))


@pytest.fixture(scope="module")
def pair(paths):
    return load_pair(*paths, device="cpu")


def test_the_draft_gives_what_it_does_not_share_probability_0(pair):
    assert pair.draft.unshared == {END, EXTRA, TOOL} and not pair.target.unshared
    session = pair.draft.open(2, hidden=True)
    scores = session.extend([1, END], [-1, 0])
    assert (scores.logits[:, [END, EXTRA, TOOL]] == -math.inf).all()
    assert scores.logits[:, :END].isfinite().all() and scores.logits.shape == (2, TOOL + 1)
    assert pair.target.open(1).extend([1], [-1]).logits.isfinite().all()


def test_it_is_said_once(paths, caplog):
    with caplog.at_level(logging.WARNING):
        loaded = load_pair(*paths, drafts=[paths[0]], device="cpu")
        specviz.decode(loaded, "speculative", "Once", max_new_tokens=4)
    (said,) = caplog.messages
    assert "does not share 3 of the added tokens of target" in said and "never proposes them" in said
    assert repr("<|end|>") in said or repr("<|im_end|>") in said
    assert loaded.drafts[0].unshared == frozenset()


@pytest.mark.parametrize("method", LOSSLESS)
def test_no_lossless_method_leaves_the_target(pair, method):
    settings = {"max_new_tokens": 12, "temperature": 0.0}
    plain = specviz.decode(pair, "autoregressive", "Once<|im_end|>", **settings).tokens
    assert specviz.decode(pair, method, "Once<|im_end|>", **settings).tokens == plain
    options = {"gamma": 1} if method in ("speculative", "block") else {"k_config": (2,)}
    found = specviz.exact_distribution(pair, method, [1, END], 1, top_k=3, top_p=None, **options)
    assert specviz.total_variation(found, specviz.target_distribution(pair, [1, END], 1, top_k=3)) < 1e-6


def test_no_draft_has_such_a_token(pair):
    trace = specviz.decode(pair, "mcsd", "Once", max_new_tokens=24, top_k=None, top_p=None)
    nodes = [node for iteration in trace.iterations for node in iteration.forest.nodes]
    assert nodes and not {node.token for node in nodes} & pair.draft.unshared


def test_the_command_line_and_the_page_take_such_a_pair(paths, capsys, tmp_path):
    models = ["--target", str(paths[0]), "--draft", str(paths[1]), "--device", "cpu"]
    assert main(["decode", *models, "--prompt", "Once", "--max-new-tokens", "3"]) == 0
    grid = tmp_path / "grid.toml"
    grid.write_text('max_new_tokens = 3\nseeds = 1\n[[method]]\nname = "speculative"\n')
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text(json.dumps({"question_id": 1, "category": "a", "turns": ["Once "]}))
    assert main(["sweep", str(grid), *models, "--prompts", str(prompts), "--out", str(tmp_path / "out")]) == 0
    assert "prompts that end with a space: 1" in capsys.readouterr().err
    loader = PairLoader(lambda: load_pair(*paths, device="cpu")).start()
    assert loader.wait(60) and loader.status.state == "ready"
    assert loader.status.text.startswith("target with draft as its draft, 3 added tokens not shared: ready")


def test_other_tokens_that_differ_are_refused_with_an_example(tmp_path):
    for target, draft in ((None, swapped_tokenizer()), (swapped_tokenizer(), _tokenizer("<|start|>"))):
        paths = write_pair(tmp_path, target, draft)
        for argument, models in (("draft", {"draft": paths[1]}), ("drafts", {"drafts": [paths[1]]})):
            with pytest.raises(ModelError, match=r"have different vocabularies, for example at id 5 \(") as caught:
                load_pair(paths[0], **models, device="cpu")
            assert caught.value.argument == argument
