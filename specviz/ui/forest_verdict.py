"""A forest and its verdicts as JSON for the browser: rows of the table, the figure of each, two side by side."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from specviz.decoding.first_token import FirstToken, first_token_law
from specviz.decoding.judge import Judgement, judge
from specviz.decoding.methods.custom import CUSTOM
from specviz.decoding.pairings import VERIFIERS
from specviz.errors import OptionError, ReplayError, SpecvizError
from specviz.trace.record import ForestRecord, Node
from specviz.ui.catalog import describe_options
from specviz.ui.forest_source import Frozen
from specviz.ui.limits import MAX_FOREST_OUTCOMES
from specviz.ui.race_view import LAWS
from specviz.views import reading
from specviz.views.forest_bars import counts_figure, counts_text, distance, distance_words, first_figure, first_text
from specviz.views.forest_words import RULES
from specviz.views.forests import (
    FrozenForest,
    Verdict,
    drawn_words,
    forest_figure,
    forest_text,
    kept_path,
    widths,
)
from specviz.views.scenes import plain
from specviz.views.tokens import piece

TOO_MANY = f"More than {MAX_FOREST_OUTCOMES:,} outcomes: use fewer candidates, or a smaller top-k."


def opened(frozen: Frozen) -> dict[str, Any]:
    """The forest before any verdict: ``{before, drawn, width, rows}``; a row has ``refused`` with the reason
    where the verifier cannot judge such guesses."""
    return {
        "before": list(frozen.before),
        "drawn": frozen.drawn,
        "width": widths(frozen_view(frozen)),
        "rows": [_row(frozen, name) for name in VERIFIERS],
    }


def _row(frozen: Frozen, name: str) -> dict[str, Any]:
    options = [option for option in CUSTOM.own_options if option.used_by == (name,)]
    return {
        "name": name,
        "title": RULES[name].title,
        "rule": RULES[name].sentence,
        "method": frozen.method_of(name),
        "options": describe_options(options),
        "refused": frozen.refusal(name),
    }


def frozen_view(frozen: Frozen, record: ForestRecord | None = None) -> FrozenForest:
    """The forest as the views take it; ``record`` is that of any verdict on it."""
    forest, scored = frozen.scored.forest, frozen.scored
    if record is None:
        nodes = tuple(
            Node(token, parent, depth, forest.draft_prob(n), None, n in set(forest.submitted), "unjudged")
            for n, (token, parent, depth) in enumerate(zip(forest.tokens, forest.parents, forest.depths, strict=True))
        )
        record = ForestRecord(nodes, ())
    targets = {n: float(scored.law_at(forest.parents[n]).probs[forest.tokens[n]]) for n in forest.submitted}
    return FrozenForest(frozen.vocabulary, frozen.last, record, targets)


def judged(frozen: Frozen, name: str, options: Mapping[str, Any], seed: int) -> tuple[Judgement, Verdict]:
    """The verdict of a verifier, as the engine and as the views have it. Raises OptionError for what it cannot judge or
    a wrong option, SpecvizError where there are too many outcomes to walk them all."""
    refusal = frozen.refusal(name)
    if refusal:
        raise OptionError(refusal)
    try:
        judgement = judge(
            frozen.scored,
            name,
            seed=seed,
            end_tokens=frozen.end_tokens,
            limit=MAX_FOREST_OUTCOMES,
            **{"temperature": frozen.temperature, **options},
        )
    except RuntimeError as error:
        raise SpecvizError(TOO_MANY) from error
    return judgement, _as_view(frozen, name, judgement)


def _as_view(frozen: Frozen, name: str, judgement: Judgement) -> Verdict:
    forest = frozen.scored.forest
    chances: dict[int, float] = defaultdict(float)
    lengths = [0.0] * (1 + max((forest.depths[node] for node in forest.submitted), default=0))
    for path, probability in judgement.kept.items():
        lengths[len(path)] += probability
        for node in path:
            chances[node] += probability
    return Verdict(RULES[name].title, judgement.forest, judgement.decisions, dict(chances), tuple(lengths))


def verdict(frozen: Frozen, name: str, options: Mapping[str, Any], seed: int, *, dark: bool) -> dict[str, Any]:
    """One row of the table: what is kept with these coins, the exact numbers over all coins, the tree and its words."""
    judgement, view = judged(frozen, name, options, seed)
    shown = frozen_view(frozen, judgement.forest)
    first = first_law(frozen, name, options)
    away = None if first is None else distance(first.law, target_law(frozen))
    return {
        "verifier": name,
        "law": _law(frozen, name, options),
        "emitted": _emitted(frozen, judgement, view),
        "words": drawn_words(frozen.vocabulary, view),
        "accepted": judgement.expected_accepted,
        "tokens": judgement.expected_tokens,
        "lengths": list(view.lengths),
        "distance": away,
        "distance_words": first_words(frozen, first, away),
        "figure": plain(forest_figure(shown, view, dark=dark)),
        "text": forest_text(shown, view),
    }


def _law(frozen: Frozen, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """``{name, help, exact}`` of the text's law when guesses like these are judged so."""
    law = frozen.law(name, options)
    if law == "greedy" and frozen.temperature > 0:
        about = "Always the target's most likely token: exactly greedy decoding, which is not the target's law here."
        return {"name": "greedy", "help": about, "exact": False}
    return {"name": LAWS[law][0], "help": LAWS[law][1], "exact": law != "lossy"}


def first_law(frozen: Frozen, name: str, options: Mapping[str, Any]) -> FirstToken | None:
    """``first_token_law`` of a verifier, worked out once for each forest; None, too, where a record does not list every
    probability that it takes."""
    key = (name, *sorted(options.items()))
    if key not in frozen.known:
        warped = {"temperature": frozen.temperature, **options}
        try:
            frozen.known[key] = first_token_law(frozen.scored, name, end_tokens=frozen.end_tokens, **warped)
        except ReplayError:
            frozen.known[key] = None
    return frozen.known[key]


def first_words(frozen: Frozen, first: FirstToken | None, away: float | None) -> str:
    """What the distance of the first token is about, in a sentence."""
    if frozen.scored.forest.drawing != "search" and first is None:
        return "The record does not list every probability that the law of the first token takes here."
    if first is None or away is None:
        return "These guesses were chosen by a search, so nobody knows the chance of each: there is no law to compare."
    over = "" if frozen.scored.forest.drawing == "certain" else " and all guesses that the draft could have drawn"
    return f"Over all coins{over}, the first token follows {distance_words(away)}{_part(first)}."


def _part(first: FirstToken) -> str:
    counted = f" (counted with {first.guesses} of {first.offered} first guesses; all would take too long)"
    return "" if first.guesses == first.offered else counted


def _note(frozen: Frozen, title: str, first: FirstToken | None) -> str:
    if first is None:
        return f"{title}: {first_words(frozen, None, None)}"
    return f"{title} follows {distance_words(distance(first.law, target_law(frozen)))}{_part(first)}."


def _emitted(frozen: Frozen, judgement: Judgement, view: Verdict) -> list[dict[str, str]]:
    """The tokens that these coins write, each as text with its origin."""
    path, drawn = kept_path(view), reading.draw_of(view.decisions)
    origins = ["accepted"] * len(path) + ([drawn.origin] if drawn else [])
    return [
        {"piece": piece(frozen.vocabulary, token), "origin": origin}
        for token, origin in zip(judgement.tokens, origins, strict=False)
    ]


def target_law(frozen: Frozen) -> dict[int, float]:
    """The target's law of the next token, as the forest was scored."""
    probs = frozen.scored.root.probs
    return {int(token): float(probs[token]) for token in probs.nonzero()[0]}


def compared(frozen: Frozen, pair: Sequence[tuple[str, Mapping[str, Any]]], seed: int, *, dark: bool) -> dict[str, Any]:
    """One or two verifiers side by side: ``{counts, first}`` with figures and texts. The law of the first token comes
    twice: over all guesses and coins (None where there is none), and with these very guesses."""
    views, free, frozen_laws, notes = [], [], [], []
    for name, options in pair:
        judgement, view = judged(frozen, name, options, seed)
        views.append(view)
        found = first_law(frozen, name, options)
        free += [] if found is None else [(view.title, found.law)]
        notes.append(_note(frozen, view.title, found))
        first: dict[int, float] = defaultdict(float)
        for tokens, probability in judgement.outcomes.items():
            first[tokens[0]] += probability
        frozen_laws.append((view.title, dict(first)))
    target = target_law(frozen)
    return {
        "counts": {"figure": plain(counts_figure(views, dark=dark)), "text": counts_text(views)},
        "free": _first(frozen, target, free, dark) if free else None,
        "frozen": _first(frozen, target, frozen_laws, dark),
        "notes": notes,
    }


def _first(frozen: Frozen, target: Mapping[int, float], laws: Sequence, dark: bool) -> dict[str, Any]:
    return {
        "figure": plain(first_figure(frozen.vocabulary, target, laws, dark=dark)),
        "text": first_text(frozen.vocabulary, target, laws),
        "distances": [distance_words(distance(law, target)) for _, law in laws],
    }
