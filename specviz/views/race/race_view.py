"""A race as JSON for the browser: each lane's tokens, clock, segments and dials, and the verdict; from traces alone."""

from collections.abc import Callable, Sequence
from html import escape

from specviz.facts.tokens import emitted_piece, piece
from specviz.facts.words import ORIGINS, of_guarantee
from specviz.trace.record import Header, MethodRecord, Trace
from specviz.views.plot import palette
from specviz.views.race.calls import call_costs, call_words
from specviz.views.race.dials import dials
from specviz.views.race.motion import lane_motion, newest_motion
from specviz.views.race.race_types import (
    ForkView,
    GuaranteeBadge,
    LaneView,
    ModelPrints,
    OriginKey,
    RaceDocument,
    RaceLegend,
    RaceMessage,
)
from specviz.views.race.theory import lane_theories
from specviz.views.race.timeline import lane_titles
from specviz.views.race.verdict import lesson_of, paces, verdict, verdict_text
from specviz.views.story.document import document
from specviz.views.story.still import still_text

Holds = Callable[[str, str], bool | None]
"""Whether the pairing of a drafter and a verifier (their names) keeps what it claims; None while that is not known."""
ALWAYS_GREEDY = "always greedy"  # a kind of guarantee: greedy, whatever the temperature


def legend() -> RaceLegend:
    """Glyphs and words for token origins and clock phases; their colours are in assets/player/page.css."""
    origins: list[OriginKey] = [
        {"name": name, "glyph": palette.ORIGINS[name].glyph, "word": words.caption, "help": words.help}
        for name, words in ORIGINS.items()
    ]
    outcomes: list[OriginKey] = [
        {"name": name, "glyph": mark.glyph, "word": mark.word, "help": ""} for name, mark in palette.OUTCOMES.items()
    ]
    phases = {"draft": "guessing", "target": "target call", "verify": "judging the guesses"}
    return {
        "origins": origins,
        "outcomes": outcomes,
        "phases": [{"name": name, "word": word} for name, word in phases.items()],
    }


def guarantee_badge(method: MethodRecord, holds: Holds) -> GuaranteeBadge:
    """The guarantee of a lane in two words and in a sentence."""
    kind, words = method.guarantee, of_guarantee(method.guarantee)
    name, about = words.name, words.help
    if method.greedy:
        kind = ALWAYS_GREEDY
        name, about = "always greedy, lossless", f"Whatever the temperature, it decodes greedily. {about}"
    if method.distance is not None:
        about += (
            f" On a small reference model its distribution is {method.distance:.2f} away from the target's in total "
            "variation, where 0 is the same distribution and 1 shares nothing."
        )
    return checked_badge(
        {"kind": kind, "name": name, "help": about, "exact": method.guarantee != "lossy"},
        method.drafter,
        method.verifier,
        holds,
    )


def checked_badge(badge: GuaranteeBadge, drafter: str, verifier: str, holds: Holds) -> GuaranteeBadge:
    """The badge of a pairing; where one of the two is somebody's own, what it promises waits for the check of every
    outcome on small tables."""
    if not badge["exact"] or (kept := holds(drafter, verifier)):
        return badge
    note = f"It says of itself: {badge['name']}."
    if kept is None:
        name, about = "own method, not checked", f"{note} No check of every outcome on small tables has ended yet."
    else:
        name, about = "own method, fails its check", f"{note} A check of every outcome on small tables found otherwise."
    return {"kind": "unchecked", "name": name, "help": about, "exact": False}


def prints(header: Header) -> ModelPrints:
    """Which models wrote it."""
    return {"target": header.target.fingerprint, "draft": header.draft and header.draft.fingerprint}


def lane_view(trace: Trace, holds: Holds, *, finished: bool) -> LaneView:
    """One lane. Tokens are [piece, origin, iteration, log-probability], segments [phase, start, end, iteration].

    ``beams``: tokens become output in the iteration that settles them; ``pending`` are pieces not settled so far."""
    method = trace.header.method
    return {
        "method": method.name,
        "title": method.title,
        "summary": method.summary,
        "guarantee": guarantee_badge(method, holds),
        "pair": prints(trace.header),
        "options": dict(trace.header.options),
        "tokens": [
            (emitted_piece(trace, token), token.origin, iteration.index, token.logprob)
            for iteration in trace.iterations
            for token in iteration.emitted
        ],
        "beams": any(iteration.beams for iteration in trace.iterations),
        "pending": [piece(trace.vocabulary, token) for token in trace.pending],
        "segments": [
            (segment.phase, round(segment.start, 6), round(segment.end, 6), iteration.index)
            for iteration in trace.iterations
            for segment in iteration.segments
        ],
        "iterations": len(trace.iterations),
        "clock": trace.iterations[-1].segments[-1].end if trace.iterations and trace.iterations[-1].segments else 0.0,
        "finished": finished,
        "model": trace.header.target.name,
        "dials": dials(trace),
        "pace": None,
        "newest": newest_motion(trace),
    }


def race_view(
    run: str,
    state: str,
    lanes: Sequence[LaneView | None],
    traces: Sequence[Trace] = (),
    forks: Sequence[ForkView] = (),
) -> RaceMessage:
    """The whole race. ``state`` is recorded, running, finished, stopped or opened; ``traces`` are those of the lanes
    that are there, ``forks`` where they leave others. The verdict, each lane's ``title`` among the others, its ``pace``
    and the ``care`` that a comparison needs are read from them."""
    header = traces[0].header if traces else None
    settled = bool(traces) and state != "running"
    care = differences(traces) if settled else ""
    calls = call_costs(traces) if settled else []
    pace = iter(paces(traces) if settled else [None] * len(traces))
    title = iter(lane_titles(traces))
    branch = {fork["lane"]: f", {fork['name']}" for fork in forks}
    return {
        "kind": "race",
        "run": run,
        "state": state,
        "prompt": header.prompt_text if header else None,
        "seed": header.seed if header else None,
        "pair": None,
        "lanes": [
            lane and {**lane, "title": next(title, lane["title"]) + branch.get(number, ""), "pace": next(pace, None)}
            for number, lane in enumerate(lanes)
        ],
        "verdict": verdict(traces) if settled and not forks else [],
        "calls": calls,
        "about_calls": call_words(calls),
        "theory": lane_theories(traces) if settled else [],
        "care": care,
        "lesson": lesson_of(traces) if settled else "",
        "forks": [*forks],
    }


def differences(traces: Sequence[Trace]) -> str:
    """Why these lanes are not one race, in a sentence; empty where they are."""
    headers = [trace.header for trace in traces]
    models = {
        (header.target.fingerprint, header.draft and header.draft.fingerprint) for header in headers if header.draft
    }
    parts = [
        ("prompts", "the texts have different beginnings", {header.prompt_tokens for header in headers}),
        ("targets", "perplexities and speeds do not compare", {header.target.fingerprint for header in headers}),
        ("drafts", "speeds and acceptance do not compare", models),
        ("devices", "speeds do not compare", {header.device for header in headers}),
        ("seeds", "the coins fell differently", {header.seed for header in headers}),
    ]
    reasons = [f"different {name} ({so})" for name, so, values in parts if len(values) > 1]
    return f"Compare with care, these runs are not of one race: {'; '.join(reasons)}." if reasons else ""


def race_document(
    run: str, traces: Sequence[Trace | None], holds: Holds, *, still: str = "", forks: Sequence[ForkView] = ()
) -> str:
    """An HTML document that plays a race in slow motion; None for a lane that is not there. ``still`` is HTML for
    readers without scripts; ``forks`` are where lanes leave others."""
    views = [None if trace is None else lane_view(trace, holds, finished=True) for trace in traces]
    titles = ", ".join(view["title"] for view in views if view)
    there = [trace for trace in traces if trace is not None]
    header = there[0].header
    data: RaceDocument = {
        "title": titles,
        "race": race_view(run, "recorded", views, there, forks),
        "legend": legend(),
        "motion": [trace and lane_motion(trace) for trace in traces],
        "note": f"Recorded with {header.target.name}, seed {header.seed}; every moment is on the lanes’ own measured "
        "clocks. To run a race of your own: specviz app.",
    }
    return document(f"specviz: {titles}", "race", data, still=still)


def race_still(traces: Sequence[Trace]) -> str:
    """A race as HTML without scripts: the verdict, and every lane's text."""
    lanes = [
        f"<h2>{escape(title)}</h2>{still_text(trace)}" for title, trace in zip(lane_titles(traces), traces, strict=True)
    ]
    return f"<p>{escape(verdict_text(traces))}</p>{''.join(lanes)}"
