"""One frozen forest, any verifier: what it makes of the same drafts, and how often over all coins."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from specviz.decoding.loop import Run, check_seed
from specviz.decoding.methods.custom import CUSTOM, DRAFTERS
from specviz.decoding.pairings import VERIFIERS, is_chain, refuse
from specviz.decoding.recorder import Recorder
from specviz.decoding.texts import Line, Texts
from specviz.dice import Dice, SeededDice, explore
from specviz.drafting.forest import Beam, ScoredForest
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.warp import Warp
from specviz.trace.decisions import Decision
from specviz.trace.record import ForestRecord
from specviz.verifying.verdict import Verdict, Verifier


@dataclass(frozen=True)
class Judgement:
    """A verifier's verdict on a frozen forest.

    ``forest`` and ``decisions`` are the record of the verdict for the given dice, ``tokens`` what it emits: one text,
    or one for each beam. ``outcomes`` is the exact distribution over what is emitted, ``kept`` the one over the
    accepted nodes, whatever is drawn after them; probabilities sum to one. ``expected_tokens`` and
    ``expected_accepted`` are their means (tokens emitted, drafted tokens accepted).
    """

    verifier: str
    forest: ForestRecord
    decisions: tuple[Decision, ...]
    tokens: tuple
    outcomes: dict[tuple, float]
    kept: dict[tuple[int, ...], float]
    expected_tokens: float
    expected_accepted: float


def score_forest(
    pair: ModelPair,
    prompt: str | list[int] | tuple[int, ...],
    drafter: str = "tree",
    *,
    seed: int = 0,
    **options: Any,
) -> ScoredForest:
    """One forest drafted after ``prompt`` by a drafter of the ``custom`` method, with the target's law at every place:
    something to judge. ``options`` are those of ``custom``. Raises OptionError, PromptError or ModelError."""
    if drafter not in DRAFTERS:
        raise OptionError(f"drafter must be one of {', '.join(DRAFTERS)}, got {drafter!r}")
    verifier = "token" if DRAFTERS[drafter].chain else "recursive"
    options = options | {"drafter": drafter, "verifier": verifier}
    run = Run(pair, CUSTOM, prompt, options=options, max_new_tokens=64, dice=SeededDice(check_seed(seed)), seed=seed)
    run.start()
    return run.draft_and_score()


def judge(
    scored: ScoredForest,
    verifier: str | Verifier,
    *,
    dice: Dice | None = None,
    seed: int = 0,
    end_tokens: frozenset[int] = frozenset(),
    limit: int = 200_000,
    **options: Any,
) -> Judgement:
    """The verdict of ``verifier`` on a scored forest, and its exact distribution over all coins and draws.

    ``verifier`` is one of the ``custom`` method's by name (token, block, recursive, kseq, joint, typical, rollback,
    greedy), with its ``options`` (``lenience``, ``tau``, ``epsilon``, ``delta``, ``rollback``, ``temperature``), or any
    object with ``verify``. The forest stays as it is. The verdict shown is that of ``dice`` (default: seeded with
    ``seed``). Raises OptionError for an unknown verifier, a wrong option, or one that cannot judge such drafts;
    RuntimeError past ``limit`` outcomes: every token that the target could draw is one, so warp with a small top_k.
    """
    named = isinstance(verifier, str)
    rule, scored = named_verifier(scored, verifier, end_tokens, options) if named else (verifier, scored)
    verdict = rule.verify(scored, dice or SeededDice(check_seed(seed)))
    lines, tokens = _grown(scored, verdict, end_tokens)
    vocab_size = len(_any_law(scored).probs)
    forest, decisions = Recorder(vocab_size, None).iteration(scored, verdict, lines)
    outcomes: dict[tuple, float] = defaultdict(float)
    kept: dict[tuple[int, ...], float] = defaultdict(float)
    expected_tokens = expected_accepted = 0.0
    for probability, found in explore(lambda branches: rule.verify(scored, branches), limit):
        grown, emitted = _grown(scored, found, end_tokens)
        nodes = tuple(found.path) or tuple(n for line in grown for n in line.survivor().path)
        outcomes[emitted] += probability
        kept[nodes] += probability
        expected_tokens += probability * max(len(line.steps) for line in grown)
        expected_accepted += probability * (len(found.path) if found.accepted is None else found.accepted)
    name = verifier if named else type(verifier).__name__
    return Judgement(name, forest, decisions, tokens, dict(outcomes), dict(kept), expected_tokens, expected_accepted)


def named_verifier(
    scored: ScoredForest, name: str, end_tokens: frozenset[int], options: dict[str, Any]
) -> tuple[Verifier, ScoredForest]:
    """The verifier called ``name``, and the forest as it wants to see it. Raises OptionError for an unknown one, a
    wrong option, or drafts that it cannot judge."""
    if name not in VERIFIERS:
        raise OptionError(f"verifier must be one of {', '.join(VERIFIERS)}, got {name!r}")
    if len(scored.roots) > 1:
        raise OptionError(f"verifier {name!r} judges drafts of one text, this forest has {len(scored.roots)}")
    refuse(name, chain=is_chain(scored.forest), drawing=scored.forest.drawing, drafter="the forest")
    resolved = CUSTOM.resolve(**options)
    if name == "greedy":
        scored = _greedy(scored)
    greedy = all(law.probs.max() == 1.0 for law in (scored.root, *scored.after.values()))
    warp = Warp(0.0) if greedy else Warp(resolved["temperature"])
    return VERIFIERS[name].build(resolved, warp, end_tokens), scored


def _greedy(scored: ScoredForest) -> ScoredForest:
    """The same forest with the target's laws at temperature 0."""

    def certain(law):
        return law.certain(int(law.logits.argmax()))

    after = {node: certain(law) for node, law in scored.after.items()}
    return ScoredForest(scored.forest, (certain(scored.root),), after, scored.beams, scored.hidden)


def _grown(scored: ScoredForest, verdict: Verdict, end_tokens: frozenset[int]) -> tuple[list[Line], tuple]:
    """The lines that go on and what they emit."""
    beams = [Beam([], beam.logprob, beam.finished) for beam in scored.beams] or [Beam([])]
    lines = Texts(beams, end_tokens, most=1 + len(scored.forest)).grow(verdict, scored, 0)
    emitted = tuple(tuple(step.token for step in line.steps) for line in lines)
    return lines, emitted if verdict.layers else emitted[0]


def _any_law(scored: ScoredForest):
    return next(law for law in (*scored.roots, *scored.after.values()) if law is not None)
