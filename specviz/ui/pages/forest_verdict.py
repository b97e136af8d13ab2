"""A forest and its verdicts as JSON for the browser: rows of the table, the forest under each, two side by side."""

from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from specviz.decoding.exact.first_token import MOST_WAYS, FirstToken, first_token_limit, first_token_steps
from specviz.decoding.exact.judge import Judgement, judging
from specviz.decoding.exact.own_parts import claim_holds
from specviz.decoding.registry.parts import find_verifier, free_verifiers
from specviz.errors import OptionError, ReplayError, TooManyOutcomes
from specviz.facts import iteration_facts as facts
from specviz.facts.tokens import piece
from specviz.facts.words import of_guarantee
from specviz.pictures.data import as_data
from specviz.trace.distribution import total_variation
from specviz.ui.catalog import describe_options
from specviz.ui.messages.forest import (
    ComparedVerdicts,
    FirstTokenPicture,
    ForestRow,
    OpenedForest,
    VerdictAnswer,
    WarpSetup,
    WrittenToken,
)
from specviz.ui.pages.forest_source import Frozen
from specviz.ui.serving.limits import MAX_FOREST_OUTCOMES
from specviz.views.drafts.forest import look_of
from specviz.views.plot import palette
from specviz.views.race.race_types import GuaranteeBadge
from specviz.views.race.race_view import ALWAYS_GREEDY, checked_badge
from specviz.views.same_forest.comparison import counts_picture, distance_words, first_picture
from specviz.views.same_forest.frozen import (
    FrozenForest,
    VerdictRow,
    drawn_guess,
    drawn_words,
    forest_picture,
    forest_stage,
    kept_path,
    marks_of,
    verdict_words,
)

TOO_MANY = f"More than {MAX_FOREST_OUTCOMES:,} outcomes: use fewer candidates, or a smaller top-k."


def opened(frozen: Frozen, title: str, steps: list[int], warp: WarpSetup) -> OpenedForest:
    """The forest before any verdict; a row has ``refused`` with the reason where the verifier cannot judge such
    guesses. The rest is what is known of where it comes from."""
    return {
        "before": list(frozen.before),
        "drawn": frozen.drawn,
        "forest": forest_picture(frozen_view(frozen)),
        "outcomes": [(state, mark.glyph, mark.word) for state, mark in palette.OUTCOMES.items()],
        "rows": [_row(frozen, name) for name in free_verifiers()],
        "limit": first_token_limit(frozen.scored),
        "title": title,
        "steps": steps,
        "warp": warp,
    }


def _row(frozen: Frozen, name: str) -> ForestRow:
    spec = find_verifier(name)
    return {
        "name": name,
        "title": spec.title,
        "rule": spec.sentence,
        "method": frozen.method_of(name),
        "options": describe_options(spec.options),
        "refused": frozen.refusal(name),
    }


def frozen_view(frozen: Frozen) -> FrozenForest:
    """The forest as the views take it."""
    forest, scored = frozen.scored.forest, frozen.scored
    submitted = {number: forest.nodes[number] for number in forest.submitted}
    targets = {number: scored.target_at(node.parent).prob(node.token) for number, node in submitted.items()}
    return FrozenForest(frozen.vocabulary, frozen.last, forest.with_outcomes({}), targets, look_of(frozen.drafter))


def judged(
    frozen: Frozen, name: str, options: Mapping[str, Any], seed: int
) -> Generator[None, None, tuple[Judgement, VerdictRow]]:
    """The verdict of a verifier, as the engine and as the views have it. Yields where others may go first, like all
    functions below. Raises OptionError for what it cannot judge or a wrong option, TooManyOutcomes where there are too
    many outcomes to walk them all."""
    refusal = frozen.refusal(name)
    if refusal:
        raise OptionError(refusal, argument="verifier", code="incompatible")
    try:
        warped = {"temperature": frozen.temperature, **options}
        judgement = yield from judging(frozen.scored, name, None, seed, frozen.end_tokens, MAX_FOREST_OUTCOMES, warped)
    except TooManyOutcomes as error:
        raise TooManyOutcomes(TOO_MANY) from error
    return judgement, _as_view(frozen, name, judgement)


def _as_view(frozen: Frozen, name: str, judgement: Judgement) -> VerdictRow:
    forest = frozen.scored.forest
    keep_probabilities: dict[int, float] = defaultdict(float)
    lengths = [0.0] * (1 + forest.submitted_depth)
    for path, probability in judgement.kept.items():
        lengths[len(path)] += probability
        for node in path:
            keep_probabilities[node] += probability
    return VerdictRow(
        find_verifier(name).title, judgement.forest, judgement.decisions, dict(keep_probabilities), tuple(lengths)
    )


def verdict(frozen: Frozen, name: str, options: Mapping[str, Any], seed: int) -> Generator[None, None, VerdictAnswer]:
    """One row of the table: what is kept with these coins, the exact numbers over all coins, the tree and its words."""
    judgement, view = yield from judged(frozen, name, options, seed)
    shown = frozen_view(frozen)
    lead, said = verdict_words(shown, view)
    first = yield from first_distribution(frozen, name, options)
    away = None if first is None else total_variation(first.distribution, target_distribution(frozen))
    return {
        "guarantee": _guarantee(frozen, name, options),
        "emitted": _emitted(frozen, judgement, view),
        "words": drawn_words(frozen.vocabulary, view),
        "accepted": judgement.expected_accepted,
        "tokens": judgement.expected_tokens,
        "lengths": list(view.lengths),
        "distance": away,
        "distance_words": first_words(frozen, first, away),
        "first": first.accepted if first and first.guesses == first.offered else None,
        "stage": forest_stage(shown, view),
        "emits": drawn_guess(shown, view),
        "marks": marks_of(shown, view),
        "lead": lead,
        "said": {str(node): words for node, words in said.items()},
    }


def _guarantee(frozen: Frozen, name: str, options: Mapping[str, Any]) -> GuaranteeBadge:
    """The guarantee when guesses like these are judged so."""
    guarantee = frozen.guarantee(name, options)
    if guarantee == "greedy" and frozen.temperature > 0:
        about = "Always the target's most likely token: exactly greedy decoding, not the target's distribution."
        return {"kind": ALWAYS_GREEDY, "name": "greedy", "help": about, "exact": False}
    words = of_guarantee(guarantee)
    badge: GuaranteeBadge = {"kind": guarantee, "name": words.name, "help": words.help, "exact": guarantee != "lossy"}
    return checked_badge(badge, frozen.drafter, name, claim_holds)


def first_distribution(
    frozen: Frozen, name: str, options: Mapping[str, Any]
) -> Generator[None, None, FirstToken | None]:
    """``first_token_distribution`` of a verifier, worked out once for each forest; None, too, where a record does not
    list every probability that it takes."""
    key = (name, *sorted(options.items()))
    if key not in frozen.known:
        warped = {"temperature": frozen.temperature, **options}
        try:
            frozen.known[key] = yield from first_token_steps(frozen.scored, name, frozen.end_tokens, MOST_WAYS, warped)
        except ReplayError:
            frozen.known[key] = None
    return frozen.known[key]


def first_words(frozen: Frozen, first: FirstToken | None, away: float | None) -> str:
    """What the distance of the first token is about, in a sentence."""
    if frozen.scored.forest.drawing != "search" and first is None:
        return "The record does not list every probability that the distribution of the first token needs here."
    if first is None or away is None:
        return "These guesses were chosen by a search, so their probabilities are unknown: nothing can be compared."
    over = "" if frozen.scored.forest.drawing == "deterministic" else " and all guesses that the draft could have drawn"
    return f"Over all coins{over}, the first token follows {distance_words(away)}{_part(first)}."


def _part(first: FirstToken) -> str:
    counted = f" (counted with {first.guesses} of {first.offered} first guesses; all would take too long)"
    return "" if first.guesses == first.offered else counted


def _note(frozen: Frozen, title: str, first: FirstToken | None) -> str:
    if first is None:
        return f"{title}: {first_words(frozen, None, None)}"
    away = total_variation(first.distribution, target_distribution(frozen))
    return f"{title} follows {distance_words(away)}{_part(first)}."


def _emitted(frozen: Frozen, judgement: Judgement, view: VerdictRow) -> list[WrittenToken]:
    """The tokens that these coins write, each as text with its origin."""
    path, drawn = kept_path(view), facts.draw_of(view.decisions)
    origins = ["accepted"] * len(path) + ([drawn.origin] if drawn else [])
    return [
        {"piece": piece(frozen.vocabulary, token), "origin": origin}
        for token, origin in zip(judgement.tokens, origins, strict=False)
    ]


def target_distribution(frozen: Frozen) -> dict[int, float]:
    """The target's distribution of the next token, as the forest was scored."""
    return {token: prob for token, prob in sorted(frozen.scored.root.table().items()) if prob > 0.0}


def compared(
    frozen: Frozen, pair: Sequence[tuple[str, Mapping[str, Any]]], seed: int
) -> Generator[None, None, ComparedVerdicts]:
    """One or two verifiers side by side: pictures with their words. The distribution of the first
    token comes twice: over all guesses and coins (None where there is none), and with these very guesses."""
    views, free, frozen_distributions, notes = [], [], [], []
    for name, options in pair:
        judgement, view = yield from judged(frozen, name, options, seed)
        views.append(view)
        first_draw = yield from first_distribution(frozen, name, options)
        free += [] if first_draw is None else [(view.title, first_draw.distribution)]
        notes.append(_note(frozen, view.title, first_draw))
        first: dict[int, float] = defaultdict(float)
        for tokens, probability in judgement.outcomes.items():
            first[tokens[0]] += probability
        frozen_distributions.append((view.title, dict(first)))
    target = target_distribution(frozen)
    return {
        "counts": as_data(counts_picture(views)),
        "free": _first(frozen, target, free) if free else None,
        "frozen": _first(frozen, target, frozen_distributions),
        "notes": notes,
    }


def _first(frozen: Frozen, target: Mapping[int, float], distributions: Sequence) -> FirstTokenPicture:
    return {
        "picture": as_data(first_picture(frozen.vocabulary, target, distributions)),
        "distances": [distance_words(total_variation(distribution, target)) for _, distribution in distributions],
    }
