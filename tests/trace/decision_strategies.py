"""Random decisions of every rule, consistent with a forest, and the distributions in them."""

import math

import numpy as np
from hypothesis import strategies as st

from specviz.rules.beams.beam import SampledBeam
from specviz.rules.beams.layered import BeamCoin
from specviz.rules.beams.search import SearchStep
from specviz.rules.beams.width import BeamWidth
from specviz.trace.decisions import Decision, known_kinds
from specviz.trace.distribution import Distribution, JointDistribution, Tempered, warped
from specviz.trace.forest import Forest

VOCABULARY_SIZE = 6
TOKENS = st.integers(0, VOCABULARY_SIZE - 1)
PROBABILITY = st.floats(0.0, 1.0)
AMOUNT = st.floats(0.0, 1e12)
COUNT = st.integers(0, 2**40)
LOGPROB = st.none() | st.floats(-1e30, 0.0)
NUMBER = st.floats(-1e30, 1e30)
ORIGIN = st.sampled_from(["accepted", "resampled", "bonus", "target", "hand"])
COIN = st.none() | PROBABILITY
KINDS = {kind.rule: kind for kind in known_kinds()}
DRAWN = ("draw", "by-hand", "layer", "beam-draw", "search")
"""The rules that need no drafted node."""
WARPS = [(1.0, 20, 0.9), (0.0, None, None), (0.7, 2, None), (2.5, None, 0.5), (1.0, None, None)]
"""Of which probabilities may follow, and which the options of a run may name."""
TYPES = st.sampled_from([np.float32, np.float64])


def shares(draw, count: int, dtype: type) -> tuple[np.ndarray, float]:
    """``count`` probabilities and a rest that sum to one."""
    weights = [draw(PROBABILITY) for _ in range(count + 1)]
    total = sum(weights)
    *found, rest = [weight / total for weight in weights] if total > 0 else [0.0] * count + [1.0]
    if draw(st.booleans()) and rest < 0.5:
        found, rest = [share / (1.0 - rest) for share in found], 0.0
    return np.array(found, dtype=dtype), rest


@st.composite
def distributions(draw, *always: int) -> Distribution:
    """Some tokens, ``always`` among them: probabilities that sum to one with the rest, that follow from the logits, all
    on one token, or derived from another distribution's."""
    kind, dtype = draw(st.sampled_from(["any", "warped", "one", "derived", "twice"])), draw(TYPES)
    if kind == "one" and len(always) == 1:
        logprob = draw(logits(1, dtype))
        return Distribution(np.array(always), np.ones(1, dtype=dtype), logprob, 0.0, 0, False)
    found = draw(plain(dtype, *always))
    if kind == "warped":
        probs = warped(found.logits[None], *draw(st.sampled_from(WARPS)))[0]
        found.probs, found.rest = (probs, 0.0) if probs.sum() > 0 else (found.probs, found.rest)
    for _ in range({"derived": 1, "twice": 2}.get(kind, 0)):
        probs, _ = shares(draw, len(found), draw(TYPES))
        if abs(probs.sum() - 1.0) < 1e-4:
            found = found.with_probs(probs)
    return found


@st.composite
def plain(draw, dtype: type, *always: int) -> Distribution:
    tokens = np.array(sorted({*always, *draw(st.lists(TOKENS, min_size=0 if always else 1, max_size=4))}))
    probs, rest = shares(draw, len(tokens), dtype)
    values = draw(logits(len(tokens), dtype))
    largest = float(values.max())
    log_total = largest if largest == -math.inf else float(dtype(largest + draw(st.floats(0.0, 9.0))))
    numbers = st.floats(0.01, 9.0), AMOUNT, AMOUNT
    return Distribution(
        *(tokens, probs, values, log_total, draw(st.integers(0, len(tokens))), draw(st.booleans())),
        rest=rest,
        tempered=Tempered(*map(draw, numbers)) if draw(st.booleans()) else None,
    )


@st.composite
def logits(draw, count: int, dtype: type) -> np.ndarray:
    """Raw logits, some minus infinity."""
    width = np.dtype(dtype).itemsize * 8
    one = st.just(-math.inf) | st.floats(-30.0, 30.0, width=width) | st.floats(-(2.0**99), 2.0**99, width=width)
    return np.array([draw(one) for _ in range(count)], dtype=dtype)


@st.composite
def layers(draw, count: int, roots: int) -> JointDistribution:
    """Some pairs of a beam and a token (-1 too), with probabilities of their own or derived from others'."""
    pairs = st.tuples(st.integers(-roots, count - 1), st.integers(-1, VOCABULARY_SIZE - 1))
    chosen = tuple(dict.fromkeys(draw(st.lists(pairs, max_size=4))))
    prefixes, tokens = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
    probs, rest = shares(draw, len(chosen), np.float64)
    found = JointDistribution(prefixes, tokens, probs, draw(logits(len(chosen), np.float64)), rest)
    if draw(st.booleans()):
        probs, _ = shares(draw, len(chosen), np.float64)
        found = found.with_probs(probs) if abs(probs.sum() - 1.0) < 1e-4 else found
    return found


@st.composite
def decisions(draw, forest: Forest, roots: int) -> Decision:
    """One decision of any rule that the forest allows."""
    count = len(forest.nodes)
    rule = draw(st.sampled_from([rule for rule in KINDS if count or rule in DRAWN]))
    prefix = st.integers(-roots, count - 1)
    if rule in ("draw", "by-hand"):
        token = draw(TOKENS)
        both = draw(distributions(token)), draw(distributions(token))
        return KINDS[rule](draw(prefix), draw(st.integers(1, 9)), token, draw(ORIGIN), draw(COIN), *both)
    if rule == "beam-draw":
        drawn = draw(prefix), draw(st.integers(1, 9)), draw(st.integers(-1, VOCABULARY_SIZE - 1)), draw(ORIGIN)
        return SampledBeam(*drawn, draw(COIN), draw(layers(count, roots)))
    if rule == "layer":
        return draw(widths(count, roots))
    if rule == "search":
        return draw(searches(count, roots))
    return draw(judged(KINDS[rule], forest, roots))


@st.composite
def judged(draw, kind: type, forest: Forest, roots: int):
    """A decision about one node: every field by its name."""
    number = draw(st.integers(0, len(forest.nodes) - 1))
    node = forest.nodes[number]
    fields = {"node": number, "depth": node.depth, "token": node.token, "parent": node.parent}
    fields["candidates"] = draw(st.integers(1, 4))
    fields["candidate"] = draw(st.integers(0, fields["candidates"] - 1))
    distribution = layers(len(forest.nodes), roots) if kind is BeamCoin else distributions(node.token)
    fields |= {name: draw(distribution) for name in ("target", "draft")}
    fields |= {
        name: draw(PROBABILITY)
        for name in (
            "target_prob",
            "acceptance_probability",
            "weight",
            "beta",
            "accept_any",
            "confidence",
            "threshold",
            "share",
        )
    }
    fields |= {name: draw(AMOUNT) for name in ("entropy", "rho")}
    fields |= {name: draw(st.none() | AMOUNT) for name in ("excess", "surprise")}
    fields |= {name: draw(st.none() | NUMBER) for name in ("step_log_ratio", "log_ratio", "log_threshold")}
    fields |= {name: draw(st.booleans()) for name in ("accepted", "passes", "kept")}
    fields |= {"uniform": draw(COIN), "best": draw(TOKENS)}
    return kind(**{name: value for name, value in fields.items() if name in kind.__dataclass_fields__})


@st.composite
def widths(draw, count: int, roots: int) -> BeamWidth:
    offered = draw(st.integers(0, 3))
    curves = [tuple(draw(PROBABILITY) for _ in range(offered)) for _ in range(2)]
    distribution = layers(count, roots)
    sizes = draw(st.integers(1, 9)), draw(st.integers(0, 9)), draw(st.integers(0, 9)), draw(COIN), offered
    return BeamWidth(*sizes, *curves, draw(distribution), draw(st.none() | distribution))


@st.composite
def searches(draw, count: int, roots: int) -> SearchStep:
    node = st.integers(0, max(0, count - 1))
    length = draw(st.integers(0, 3))

    def several(one) -> tuple:
        return tuple(draw(one) for _ in range(length))

    prefixes, tokens = several(st.integers(-roots, count - 1)), several(st.integers(-1, VOCABULARY_SIZE - 1))
    found = several(st.none() | node if count else st.none())
    drafted = tuple(draw(st.lists(node, max_size=3))) if count else ()
    step = draw(st.integers(1, 9)), prefixes, tokens, several(LOGPROB), found, drafted
    return SearchStep(*step, draw(st.booleans()))
