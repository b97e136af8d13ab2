"""A race as JSON for the browser: each lane's tokens, clock, segments and dials, and the verdict; from traces alone."""

from collections.abc import Sequence
from typing import Any

from specviz.trace.record import Trace
from specviz.views.dials import dials
from specviz.views.palette import ORIGINS
from specviz.views.verdict import verdict

LAWS = {
    "target": ("lossless", "Its text follows exactly the law of the target model."),
    "greedy": ("lossless, greedy", "Its text is exactly the target's most likely token each time."),
    "lossy": ("lossy", "Its text no longer follows the target's law: it trades exactness for speed or likelier text."),
}
CAPTIONS = {
    "accepted": ("accepted draft", "The small model guessed it, the big model let it pass."),
    "resampled": (
        "resampled",
        "A guess was rejected; this token, drawn from what the target had left over, replaces it.",
    ),
    "bonus": ("bonus", "Every guess passed, so the same target call gave one more token."),
    "target": ("from the target", "Drawn from the big model directly."),
}


def legend() -> dict[str, Any]:
    """Glyphs and words for token origins and clock phases; their colours are in assets/player/page.css."""
    origins = [
        {"name": name, "glyph": mark.glyph, "word": CAPTIONS[name][0], "help": CAPTIONS[name][1]}
        for name, mark in ORIGINS.items()
    ]
    phases = {"draft": "draft model guesses", "target": "target call", "verify": "judging the guesses"}
    return {"origins": origins, "phases": [{"name": name, "word": word} for name, word in phases.items()]}


def lane_view(trace: Trace, *, finished: bool) -> dict[str, Any]:
    """One lane. Tokens are [piece, origin, iteration, log-probability], segments [phase, start, end, iteration]."""
    method = trace.header.method
    law, law_help = LAWS.get(method.law, (method.law, f"Its text follows the {method.law} law."))
    return {
        "method": method.name,
        "title": method.title,
        "summary": method.summary,
        "paper": method.paper,
        "law": {"name": law, "help": law_help, "exact": method.law in ("target", "greedy")},
        "options": dict(trace.header.options),
        "tokens": [
            [token.piece, token.origin, iteration.index, token.logprob]
            for iteration in trace.iterations
            for token in iteration.emitted
        ],
        "segments": [
            [segment.phase, round(segment.start, 6), round(segment.end, 6), iteration.index]
            for iteration in trace.iterations
            for segment in iteration.segments
        ],
        "iterations": len(trace.iterations),
        "clock": trace.iterations[-1].segments[-1].end if trace.iterations and trace.iterations[-1].segments else 0.0,
        "finished": finished,
        "stop": trace.stop,
        "recorded": trace.header.recorded,
        "dials": dials(trace),
    }


def race_view(run: str, state: str, lanes: Sequence[dict[str, Any]], traces: Sequence[Trace] = ()) -> dict[str, Any]:
    """The whole race. ``state`` is recorded, running, finished or stopped; the verdict reads ``traces``."""
    header = traces[0].header if traces else None
    return {
        "kind": "race",
        "run": run,
        "state": state,
        "prompt": header.prompt_text if header else None,
        "seed": header.seed if header else None,
        "device": header.device if header else None,
        "lanes": list(lanes),
        "verdict": verdict(traces) if traces and state != "running" else [],
    }
