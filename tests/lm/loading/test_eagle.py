"""Public EAGLE-3 drafts: both layouts, against the paper's words; lossless; and every error by its sentence."""

import pytest
import torch

import specviz
from specviz.errors import ModelError
from specviz.lm.loading.small_draft import SmallDraft
from specviz.lm.network.heard import Heard
from specviz.lm.network.listening import ListeningLM
from specviz.lm.network.stock import states_after
from specviz.lm.network.transformer import TransformerLM
from specviz.zoo.draft.unrolled import said_by_draft
from tests.lm.eagle3 import AUTHORS, SPECULATORS, WIDTH, PlainDraft, V, draft_weights, write_draft, write_target

PROMPT = [71, 103, 4, 250, 12, 9, 33]
METHODS = [
    ("speculative", {"gamma": 4}),
    ("dynamic-tree", {"nodes": 6, "depth": 3}),
    ("custom", {"drafter": "tree", "verifier": "recursive", "k_config": (2, 1, 1)}),
]


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    return write_target(tmp_path_factory.mktemp("target"))


@pytest.fixture
def load(target, tmp_path):
    """A pair with a draft of these weights."""

    def loaded(weights, *layout, **config):
        return specviz.load_pair(target, write_draft(tmp_path / "head", weights, *layout, **config), device="cpu")

    return loaded


class _Watched:
    """A draft's session, noting for each row that it scores its text, its logits and how much the target has read."""

    def __init__(self, session, tries, seen):
        self.session, self.trie, self._tries, self._seen = session, session.trie, tries, seen

    def extend(self, tokens, parents, *, last_only=False):
        start = len(self.trie)
        scores = self.session.extend(tokens, parents, last_only=last_only)
        read = self._tries[-1] if self._tries else None
        texts = {read.path(row) for row in range(len(read))} if read else set()
        scored = range(len(self.trie) - 1 if last_only else start, len(self.trie))
        for row, logits in zip(scored, scores.logits, strict=True):
            text = self.trie.path(row)
            heard = next((count for count in range(len(text), 0, -1) if text[:count] in texts), 0)
            self._seen.append((text, heard, logits))
        return scores

    def keep(self, rows):
        self.session.keep(rows)


@pytest.fixture
def watched(monkeypatch):
    """A pair whose draft is watched, and what is seen."""

    def watch(pair):
        tries, seen, own = [], [], (pair.target.open, pair.draft.open)

        def open_target(*args, **kwargs):
            session = own[0](*args, **kwargs)
            tries.append(session.trie)
            return session

        monkeypatch.setattr(pair.target, "open", open_target)
        monkeypatch.setattr(pair.draft, "open", lambda *a, **k: _Watched(own[1](*a, **k), tries, seen))
        return seen

    return watch


def _holds(seen, plain):
    """All that was seen is what the plain draft says; returns the largest number of guesses behind the target."""
    assert seen
    for text, heard, logits in seen:
        if len(text) > 1:
            expected = plain.said(text, heard)
            proposed = expected.isfinite()
            assert torch.equal(logits.isfinite(), proposed)
            torch.testing.assert_close(logits[proposed].double(), expected[proposed], atol=1e-5, rtol=1e-5)
    return max(len(text) - heard for text, heard, _ in seen)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize(("method", "options"), METHODS, ids=[name for name, _ in METHODS])
def test_what_it_guesses_from_is_what_the_paper_says(load, watched, method, options, temperature):
    """Chain and trees, read again as they are verified: every row that any call scored."""
    weights = draft_weights()
    pair = load(weights)
    seen = watched(pair)
    settings = {"temperature": temperature, "top_k": None, "top_p": None, "seed": 1, **options}
    trace = specviz.decode(pair, method, PROMPT, max_new_tokens=6, **settings)
    assert len(trace.tokens) == 6
    assert _holds(seen, PlainDraft(weights, pair.target.model)) >= 3


def test_guesses_that_were_kept_are_read_again_once_they_are_heard_and_move_as_they_are(load):
    weights, text = draft_weights(), [*PROMPT, 21, 8, 44, 2]
    pair = load(weights)
    heard = Heard(pair.draft.reads_layers)
    target, guessing = pair.target.open(32, heard=heard), pair.draft.open(32, heard=heard)
    plain, read = PlainDraft(weights, pair.target.model), len(PROMPT)

    def holds(scores, text, heard):
        logits, expected = scores.logits[-1], plain.said(tuple(text), heard)
        torch.testing.assert_close(logits.double(), expected, atol=1e-5, rtol=1e-5)

    target.extend(PROMPT, range(-1, read - 1), last_only=True)
    guessing.extend(PROMPT, range(-1, read - 1), last_only=True)
    guessing.extend([99, text[read]], [read - 1, read - 1])
    guessing.extend([98, text[read + 1]], [read, read + 1])
    guessing.keep([*range(read), read + 1, read + 3])
    holds(guessing.extend([97], [read + 1]), [*text[: read + 2], 97], read)  # reads a state that has moved
    guessing.keep(range(read + 2))
    target.extend(text[read : read + 2], [read - 1, read])
    holds(guessing.extend([text[read + 2]], [read + 1]), text[: read + 3], read + 2)  # all before it were heard


@torch.no_grad()
def test_the_depths_of_training_are_what_it_says(load):
    weights, text = draft_weights(), (*PROMPT, 21, 8, 44, 2)
    pair = load(weights)
    plain, tokens = PlainDraft(weights, pair.target.model), torch.tensor([text])
    with states_after(pair.target.model, pair.draft.reads_layers) as after:
        pair.target.model(tokens, use_cache=False)
    states = torch.cat([after[layer] for layer in pair.draft.reads_layers], dim=-1)
    draft = SmallDraft(pair.draft.model, pair.draft.proposes, pair.draft._joining)
    found = said_by_draft(draft, tokens, states, torch.ones_like(tokens, dtype=torch.bool))
    for depth, logits in enumerate(found):
        for at in (depth + 1, 5, len(text) - 1):
            expected = plain.said(text[: at + 1], at - depth)[plain.tokens]
            torch.testing.assert_close(logits[at].double(), expected, atol=1e-5, rtol=1e-5)


def test_the_matrix_that_reads_is_counted_and_told_from_others(load, target, tmp_path):
    weights = draft_weights()
    draft = load(weights).draft
    fc, rest = weights["fc.weight"], sum(weight.numel() for weight in draft.model.parameters())
    assert draft.shape.parameters == rest + fc.numel()
    other = write_draft(tmp_path / "other", weights | {"fc.weight": -fc})
    assert specviz.load_pair(target, other, device="cpu").draft.fingerprint != draft.fingerprint


LAYOUTS = {
    "the authors'": (AUTHORS, {}, {}, {}),
    "the authors', pickled": (AUTHORS, {}, {"pickled": True}, {}),
    "the authors', layers by what they leave": (
        AUTHORS,
        {},
        {"eagle_config": {"eagle_aux_hidden_state_layer_ids": [0, 2, 6]}},
        {"layers": (1, 3, 7)},
    ),
    "an embedding of its own": (AUTHORS, {"embedded": True}, {}, {}),
    "narrower than its target": (AUTHORS, {"embedded": True, "width": 24}, {"target_hidden_size": WIDTH}, {}),
    "speculators": (SPECULATORS, {}, {}, {}),
    "speculators, two layers": (SPECULATORS, {"layers": 2}, {}, {}),
    "speculators, the norm first, layers by what they read": (
        SPECULATORS,
        {"embedded": True},
        {"norm_before_residual": True, "eagle_aux_hidden_state_layer_ids": [1, 3, 7]},
        {"layers": (1, 3, 7), "norm_before": True},
    ),
    "speculators, two states": (
        SPECULATORS,
        {"read": 2},
        {"eagle_aux_hidden_state_layer_ids": [2, 6]},
        {"layers": (2, 6)},
    ),
}


@pytest.mark.parametrize("kind", LAYOUTS)
def test_every_layout_says_the_same_as_the_plain_draft(load, watched, kind):
    layout, shape, config, plain = LAYOUTS[kind]
    weights = draft_weights(**shape)
    pair = load(weights, layout, **config)
    assert isinstance(pair.draft, ListeningLM) and pair.draft.reads_layers == plain.get("layers", (2, 4, 5))
    seen = watched(pair)
    specviz.decode(pair, "speculative", PROMPT, max_new_tokens=6, seed=2, top_k=None, top_p=None)
    _holds(seen, PlainDraft(weights, pair.target.model, **plain))


def test_a_target_says_the_same_by_the_lean_pass_the_stock_one_and_in_static_shapes(load):
    pair = load(draft_weights(), SPECULATORS, eagle_aux_hidden_state_layer_ids=[3, 8, 1])
    said = {}
    for way in ("lean", "static", "stock"):
        target = TransformerLM(pair.target.model, way, graphs=way == "static")
        target.lean = None if way == "stock" else target.lean
        assert target.graphs == (way == "static")
        heard = Heard(pair.draft.reads_layers)
        session = target.open(32, heard=heard)
        session.extend(PROMPT, range(-1, len(PROMPT) - 1), last_only=True)
        session.extend([5, 6, 7], [6, 6, 8])
        session.keep([*range(7), 8, 9])
        said[way] = heard.states(range(9), (8, 1, 3))
    for way in ("static", "stock"):
        torch.testing.assert_close(said["lean"], said[way], atol=1e-4, rtol=1e-4)
    with torch.no_grad():
        states = pair.target.model(torch.tensor([PROMPT]), output_hidden_states=True).hidden_states
    torch.testing.assert_close(said["lean"][:7, 32:], torch.cat([states[1], states[3]], -1)[0], atol=1e-4, rtol=1e-4)


def test_a_prompt_that_was_read_for_other_layers_is_read_again(load, target, tmp_path):
    pair = load(draft_weights())
    other = specviz.load_pair(
        pair.target.model,
        write_draft(tmp_path / "other", draft_weights(), SPECULATORS, eagle_aux_hidden_state_layer_ids=[1, 3, 7]),
        tokenizer=pair.tokenizer,
        device="cpu",
    )
    both = specviz.ModelPair(pair.target, pair.draft, pair.tokenizer, drafts=(other.draft,))
    prompt = [(11 * i) % V for i in range(300)]
    settings = {"max_new_tokens": 8, "seed": 1}
    alone = specviz.decode(pair, "speculative", prompt, **settings)
    beside = specviz.decode(both, "speculative", prompt, **settings)
    assert beside.tokens == alone.tokens and beside.metrics.alpha == pytest.approx(alone.metrics.alpha, abs=1e-4)
    second = specviz.decode(both, "speculative", prompt, draft=2, **settings)
    assert specviz.decode(specviz.ModelPair(pair.target, other.draft), "speculative", prompt, **settings).tokens == (
        second.tokens
    )


@pytest.mark.parametrize("method", ["speculative", "block", "specinfer", "spectr", "dynamic-tree"])
def test_greedy_texts_are_the_targets(load, method):
    pair = load(draft_weights())
    greedy, plain = (
        specviz.decode(pair, name, PROMPT, max_new_tokens=24, temperature=0.0) for name in (method, "autoregressive")
    )
    assert greedy.tokens == plain.tokens


@pytest.mark.full
@pytest.mark.parametrize(("method", "options"), METHODS, ids=[name for name, _ in METHODS])
def test_the_exact_law_is_the_targets(load, method, options):
    pair = load(draft_weights())
    few = {"gamma": 2} if method == "speculative" else {"nodes": 3, "depth": 2} if method == "dynamic-tree" else {}
    few = {**options, **few, **({"k_config": (2, 1)} if method == "custom" else {})}
    exact = specviz.exact_distribution(pair, method, PROMPT, n_tokens=2, top_k=2, **few)
    p = specviz.exact_distribution(pair, "autoregressive", PROMPT, n_tokens=2, top_k=2)
    assert exact.keys() == p.keys() and all(exact[key] == pytest.approx(p[key], abs=1e-6) for key in p)


def _without(*names):
    weights = draft_weights()
    return {name: weight for name, weight in weights.items() if name not in names}


def _with(**more):
    return draft_weights() | {name.replace("__", "."): weight for name, weight in more.items()}


ERRORS = {
    "the weights of draft 'head' lack 'fc.weight'": lambda: (_without("fc.weight"), {}),
    "the weights of draft 'head' lack 'lm_head.weight'": lambda: (_without("lm_head.weight"), {}),
    "the weights of draft 'head' lack 'norm.weight'": lambda: (_without("norm.weight"), {}),
    "lack 'layers.0.hidden_norm.weight'": lambda: (_without("layers.0.hidden_norm.weight"), {}),
    "lack 'layers.1.self_attn.q_proj.weight'": lambda: (draft_weights(), {"num_hidden_layers": 2}),
    "lack 'd2t', which says what its 100 tokens are": lambda: (_without("d2t", "t2d"), {}),
    "'d2t' of draft 'head' does not name 100 of its target's 257 tokens": lambda: (
        _with(d2t=torch.zeros(100, dtype=torch.long) + 200),
        {},
    ),
    "'d2t' of draft 'head' does not name 100 of": lambda: (_with(d2t=torch.zeros(99, dtype=torch.long)), {}),
    "'d2t' of draft 'head' does not name": lambda: (_with(t2d=torch.ones(V, dtype=torch.bool)), {}),
    "have 'input_norm.weight', which no EAGLE-3 draft known here has": lambda: (
        _with(input_norm__weight=torch.ones(96)),
        {},
    ),
    "'norm.weight' of draft 'head' is \\[31\\], by its config.json \\[32\\]": lambda: (
        _with(norm__weight=torch.ones(31)),
        {"hidden_size": WIDTH},
    ),
    "reads hidden states of width 24, target '.*' has width 32: it belongs to another target": lambda: (
        _with(fc__weight=torch.ones(WIDTH, 72)),
        {},
    ),
    "made for a vocabulary of 300, target '.*' has one of 257: it belongs to another": lambda: (
        draft_weights(),
        {"vocab_size": 300},
    ),
    "reads what its target is after layer 9, target '.*' has 8: it belongs to another": lambda: (
        draft_weights(),
        {"eagle_aux_hidden_state_layer_ids": [2, 4, 9]},
    ),
    "lack 'embed_tokens.weight', and that of target '.*' does not fit": lambda: (draft_weights(width=24), {}),
    "'embed_tokens.weight' of draft 'head' is \\[3, 32\\], by its config.json \\[257, 32\\]": lambda: (
        _with(embed_tokens__weight=torch.ones(3, WIDTH)),
        {},
    ),
    "has layers of gpt2: only those of llama, mistral, qwen2, qwen3 are read": lambda: (
        draft_weights(),
        {"model_type": "gpt2"},
    ),
    "is a speculator of kind 'dflash': only eagle3 is read": lambda: (
        draft_weights(),
        {"speculators_model_type": "dflash"},
    ),
}


@pytest.mark.parametrize("sentence", ERRORS)
def test_what_cannot_be_read_is_said(load, sentence):
    weights, config = ERRORS[sentence]()
    with pytest.raises(ModelError, match=sentence) as error:
        load(weights, AUTHORS, **config)
    assert error.value.argument == "draft"


def test_damaged_files_and_few_layers_are_said(load, target, tmp_path):
    folder = write_draft(tmp_path / "head", draft_weights())
    (folder / "model.safetensors").write_bytes(b"not whole")
    with pytest.raises(ModelError, match="draft 'head' could not be read"):
        specviz.load_pair(target, folder, device="cpu")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="could not be read: there are no .*safetensors and no pytorch_model"):
        specviz.load_pair(target, folder, device="cpu")
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x02cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(ModelError, match="draft 'head' could not be read"):
        specviz.load_pair(target, folder, device="cpu")
    low = write_target(tmp_path / "low", layers=6)
    with pytest.raises(ModelError, match="a low, a middle and a high layer of 7 or more, the target has 6") as error:
        specviz.load_pair(low, write_draft(tmp_path / "other", draft_weights()), device="cpu")
    assert error.value.argument == "draft"


def test_other_dtypes_and_four_bits_read_the_same_draft(load, target, tmp_path):
    weights = draft_weights()
    wide = load(weights).draft.open(2).extend([5, 9], [-1, 0]).logits
    proposed = wide.isfinite()
    assert proposed.sum() == 200
    for more, near in (({"dtype": "bfloat16"}, 0.999), ({"bits": 4}, 0.95)):  # four bits of random weights are few
        found = specviz.load_pair(target, tmp_path / "head", device="cpu", **more).draft.open(2).extend([5, 9], [-1, 0])
        assert torch.equal(found.logits.isfinite(), proposed)
        both = torch.stack([found.logits[proposed].float(), wide[proposed]])
        assert near < both.corrcoef()[0, 1] < 1
