"""Random decisions of every rule, consistent with a forest, and the distributions in them."""

from typing import get_args

from hypothesis import strategies as st

from specviz.trace import decisions as record
from specviz.trace.decisions import Distribution, LayerDistribution
from specviz.trace.record import ForestRecord

VOCABULARY_SIZE = 6
TOKENS = st.integers(0, VOCABULARY_SIZE - 1)
CHANCE = st.floats(0.0, 1.0)
AMOUNT = st.floats(0.0, 1e12)
COUNT = st.integers(0, 2**40)
LOGPROB = st.none() | st.floats(max_value=0.0, allow_nan=False, allow_infinity=False)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
ORIGIN = st.sampled_from(["accepted", "resampled", "bonus", "target"])
COIN = st.none() | CHANCE
KINDS = {kind.__dataclass_fields__["rule"].default: kind for kind in get_args(get_args(record.Decision)[0])}


def shares(draw, count: int) -> list[float]:
    """``count`` probabilities and a rest that sum to one."""
    weights = [draw(CHANCE) for _ in range(count + 1)]
    total = sum(weights)
    return [weight / total for weight in weights] if total > 0 else [0.0] * count + [1.0]


@st.composite
def distributions(draw, *always: int) -> Distribution:
    """Some tokens, ``always`` among them, with probabilities that sum to one with the rest."""
    tokens = tuple(dict.fromkeys([*always, *draw(st.lists(TOKENS, max_size=4))]))
    *probs, rest = shares(draw, len(tokens))
    return Distribution(tokens, tuple(probs), tuple(draw(LOGPROB) for _ in tokens), rest)


@st.composite
def layers(draw, count: int, roots: int) -> LayerDistribution:
    """Some pairs of a beam and a token (-1 too)."""
    pairs = st.tuples(st.integers(-roots, count - 1), st.integers(-1, VOCABULARY_SIZE - 1))
    chosen = tuple(dict.fromkeys(draw(st.lists(pairs, max_size=4))))
    *probs, rest = shares(draw, len(chosen))
    places, tokens = tuple(place for place, _ in chosen), tuple(token for _, token in chosen)
    return LayerDistribution(places, tokens, tuple(probs), tuple(draw(LOGPROB) for _ in chosen), rest)


@st.composite
def decisions(draw, forest: ForestRecord, roots: int) -> record.Decision:
    """One decision of any rule that the forest allows."""
    count = len(forest.nodes)
    rule = draw(st.sampled_from([rule for rule in KINDS if count or rule in ("draw", "layer", "beam-draw", "search")]))
    place = st.integers(-roots, count - 1)
    if rule == "draw":
        token = draw(TOKENS)
        laws = draw(distributions(token)), draw(distributions(token))
        return record.DrawDecision(draw(st.integers(1, 9)), token, draw(ORIGIN), draw(COIN), *laws, draw(place))
    if rule == "beam-draw":
        drawn = draw(place), draw(st.integers(1, 9)), draw(st.integers(-1, VOCABULARY_SIZE - 1)), draw(ORIGIN)
        return record.BeamDrawDecision(*drawn, draw(COIN), draw(layers(count, roots)))
    if rule == "layer":
        return draw(widths(count, roots))
    if rule == "search":
        return draw(searches(count, roots))
    return draw(judged(KINDS[rule], forest, roots))


@st.composite
def judged(draw, kind: type, forest: ForestRecord, roots: int):
    """A decision about one node: every field by its name."""
    number = draw(st.integers(0, len(forest.nodes) - 1))
    node = forest.nodes[number]
    fields = {"node": number, "depth": node.depth, "token": node.token, "parent": node.parent}
    fields["candidates"] = draw(st.integers(1, 4))
    fields["candidate"] = draw(st.integers(0, fields["candidates"] - 1))
    law = layers(len(forest.nodes), roots) if kind is record.BeamCoinDecision else distributions(node.token)
    fields |= {name: draw(law) for name in ("target", "draft")}
    fields |= {name: draw(CHANCE) for name in ("target_prob", "draft_prob", "chance", "weight", "beta", "accept_any")}
    fields |= {name: draw(CHANCE) for name in ("confidence", "threshold")}
    fields |= {name: draw(AMOUNT) for name in ("entropy", "rho")}
    fields |= {name: draw(st.none() | AMOUNT) for name in ("excess", "surprise")}
    fields |= {name: draw(st.none() | NUMBER) for name in ("step_log_ratio", "log_ratio", "log_threshold")}
    fields |= {name: draw(st.booleans()) for name in ("accepted", "passes", "kept")}
    fields |= {"draw": draw(COIN), "best": draw(TOKENS)}
    return kind(**{name: value for name, value in fields.items() if name in kind.__dataclass_fields__})


@st.composite
def widths(draw, count: int, roots: int) -> record.LayerDecision:
    offered = draw(st.integers(0, 3))
    curves = [tuple(draw(CHANCE) for _ in range(offered)) for _ in range(2)]
    law = layers(count, roots)
    sizes = draw(st.integers(1, 9)), draw(st.integers(0, 9)), draw(st.integers(0, 9)), draw(COIN), offered
    return record.LayerDecision(*sizes, *curves, draw(law), draw(st.none() | law))


@st.composite
def searches(draw, count: int, roots: int) -> record.SearchDecision:
    node = st.integers(0, max(0, count - 1))
    length = draw(st.integers(0, 3))

    def several(one) -> tuple:
        return tuple(draw(one) for _ in range(length))

    places, tokens = several(st.integers(-roots, count - 1)), several(st.integers(-1, VOCABULARY_SIZE - 1))
    found = several(st.none() | node if count else st.none())
    drafted = tuple(draw(st.lists(node, max_size=3))) if count else ()
    step = draw(st.integers(1, 9)), places, tokens, several(LOGPROB), found, drafted
    return record.SearchDecision(*step, draw(st.booleans()))
