"""One frozen forest, any verifier: what it makes of the same drafts, and how often over all coins."""

from collections import defaultdict
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar

from specviz.decoding.exact.distribution import Written
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.parts import find_verifier
from specviz.decoding.registry.specs import DrafterSpec
from specviz.decoding.run.growing import GrowingBeam, GrowingTexts
from specviz.decoding.run.loop import Run, check_seed
from specviz.decoding.run.recording import Recorder
from specviz.dice import Dice, SeededDice, explore
from specviz.drafting.drafter import Beam, ScoredForest
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.prompt import Prompt
from specviz.lm.warp import Warp
from specviz.options import SHARED, Options, resolve
from specviz.rules.spec import VerifierSpec, VerifyContext
from specviz.rules.verdict import Verdict, Verifier
from specviz.trace.decisions import Decision
from specviz.trace.distribution import one_hot
from specviz.trace.forest import Forest

T = TypeVar("T")


@dataclass(frozen=True)
class Judgement:
    """A verifier's verdict on a frozen forest.

    ``forest`` and ``decisions`` are the record of the verdict for the given dice, ``tokens`` what it emits: one text,
    or one for each beam. ``outcomes`` is the exact distribution over what is emitted, ``kept`` the one over the
    accepted nodes, whatever is drawn after them; probabilities sum to one. ``expected_tokens`` and
    ``expected_accepted`` are their means (tokens emitted, drafted tokens accepted).
    """

    verifier: str
    forest: Forest
    decisions: tuple[Decision, ...]
    tokens: Written
    outcomes: dict[Written, float]
    kept: dict[tuple[int, ...], float]
    expected_tokens: float
    expected_accepted: float


def score_forest(
    pair: ModelPair,
    prompt: Prompt,
    drafter: str | DrafterSpec | Method = "tree",
    *,
    seed: int = 0,
    **options: Any,
) -> ScoredForest:
    """One forest drafted after ``prompt``, with the target's distribution after every prefix: something to judge.

    ``drafter`` is a registered one, a spec of one's own, or a Method, whose drafter it is; ``options`` are the
    drafter's and the shared ones. Raises OptionError, PromptError or ModelError.
    """
    method = drafter if isinstance(drafter, Method) else _drafting(drafter)
    seed = check_seed(seed)
    run = Run(pair, method, prompt, options=options, max_new_tokens=64, dice=SeededDice(seed), seed=seed)
    run.start()
    return run.draft_and_score()


class _Unjudged(Verifier):
    """Stands where a forest is drafted for others to judge."""

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        raise NotImplementedError


_ANY = ("nothing", "chain", "tree", "fork", "layers")
_NOBODY = VerifierSpec("nobody", "nobody judges", lambda context, options: _Unjudged(), judges=_ANY)


def _drafting(drafter: str | DrafterSpec) -> Method:
    """A method that drafts so and is never judged."""
    return Method(name=getattr(drafter, "name", str(drafter)), drafter=drafter, verifier=_NOBODY)


def judge(
    scored: ScoredForest,
    verifier: str | VerifierSpec | Method | Verifier,
    *,
    dice: Dice | None = None,
    seed: int = 0,
    end_tokens: frozenset[int] = frozenset(),
    limit: int = 200_000,
    **options: Any,
) -> Judgement:
    """The verdict of ``verifier`` on a scored forest, and its exact distribution over all coins and draws.

    ``verifier`` is a registered one, a spec of one's own, a Method (whose verifier it is), each with its ``options``
    and the ``temperature`` that the forest was scored at, or any object with ``verify``. The forest stays as it is. The
    verdict shown is that of ``dice`` (default: seeded with ``seed``). Raises OptionError for what is no forest, an
    unknown verifier, a wrong option, or one that cannot judge such drafts; TooManyOutcomes past ``limit`` outcomes:
    every token that the target could draw is one, so warp with a small top_k.
    """
    return finished(judging(scored, verifier, dice, seed, end_tokens, limit, options))


def finished(steps: Generator[None, None, T]) -> T:
    """What a generator returns that yields where it may be paused, or ended."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def judging(
    scored: ScoredForest,
    verifier: str | VerifierSpec | Method | Verifier,
    dice: Dice | None = None,
    seed: int = 0,
    end_tokens: frozenset[int] = frozenset(),
    limit: int = 200_000,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Generator[None, None, Judgement]:
    """``judge``, which yields after each outcome."""
    if not isinstance(scored, ScoredForest):
        raise OptionError(
            f"scored must be a forest of score_forest or recorded_forest, got {type(scored).__name__}",
            argument="scored",
        )
    rule: Verifier
    if isinstance(verifier, Verifier) or hasattr(verifier, "verify"):
        assert not isinstance(verifier, str | VerifierSpec | Method)
        rule, seen, name = verifier, scored, type(verifier).__name__
    else:
        spec, own_options = _spec_of(verifier, options)
        rule, seen = made_for(scored, spec, end_tokens, own_options)
        name = spec.name
    verdict = rule.verify(seen, dice or SeededDice(check_seed(seed)))
    grown, tokens = _grown(seen, verdict, end_tokens)
    forest, decisions = Recorder(0.0, release=False).iteration(seen, verdict, grown)
    outcomes: dict[Written, float] = defaultdict(float)
    kept_probs: dict[tuple[int, ...], float] = defaultdict(float)
    expected_tokens = expected_accepted = 0.0
    for probability, possible in explore(lambda branches: rule.verify(seen, branches), limit):
        beams, emitted = _grown(seen, possible, end_tokens)
        nodes = tuple(possible.path) or tuple(node for beam in beams for node in beam.accepted().path)
        outcomes[emitted] += probability
        kept_probs[nodes] += probability
        expected_tokens += probability * max(len(beam.steps) for beam in beams)
        expected_accepted += probability * possible.accepted_count
        yield
    return Judgement(
        name, forest, decisions, tokens, dict(outcomes), dict(kept_probs), expected_tokens, expected_accepted
    )


def _spec_of(
    verifier: str | VerifierSpec | Method, options: Mapping[str, Any]
) -> tuple[VerifierSpec, Mapping[str, Any]]:
    """The verifier's spec; a method's options are those of its verifier, with the method's defaults."""
    if not isinstance(verifier, Method):
        return find_verifier(verifier), options
    _, spec = verifier.pair(options)
    names = {option.name for option in (*spec.options, *SHARED)}
    full = verifier.full(verifier.resolve(**options))
    return spec, {name: value for name, value in full.items() if name in names}


def judging_options(spec: VerifierSpec, options: Mapping[str, Any]) -> Options:
    """The verifier's options and the shared ones, defaults filled in. Raises OptionError for others."""
    return resolve((*spec.options, *SHARED), dict(options), f"verifier {spec.name!r}")


def refusal(scored: ScoredForest, spec: VerifierSpec) -> str | None:
    """Why the verifier cannot judge such a forest, None where it can."""
    if len(scored.beams) > 1:
        return f"verifier {spec.name!r} judges drafts of one text, this forest has {len(scored.beams)}"
    shape = "chain" if scored.forest.is_chain else "tree"
    return spec.refusal(shape, scored.forest.drawing, "the forest")


def made_for(
    scored: ScoredForest, spec: VerifierSpec, end_tokens: frozenset[int], own_options: Mapping[str, Any]
) -> tuple[Verifier, ScoredForest]:
    """A verifier for this forest, and the forest as it wants to see it. Raises OptionError for a wrong option, or
    drafts that it cannot judge."""
    options = judging_options(spec, own_options)
    reason = refusal(scored, spec)
    if reason is not None:
        raise OptionError(reason, argument="verifier", code="incompatible")
    if spec.target_warp(options) == Warp(0.0):
        scored = _at_zero(scored)
    greedy = all(target.certain for target in scored.forest.target.values())
    warp = Warp(0.0) if greedy else Warp(options["temperature"])
    context = VerifyContext(warp, end_tokens, len(scored.beams[0].tokens) if scored.beams else 0, 2**31, 2**31)
    return spec.build(context, options), scored


def _at_zero(scored: ScoredForest) -> ScoredForest:
    """The same forest with the target's distributions at temperature 0."""
    target = {prefix: one_hot(distribution, distribution.best) for prefix, distribution in scored.forest.target.items()}
    return replace(scored, forest=replace(scored.forest, target=target))


def _grown(scored: ScoredForest, verdict: Verdict, end_tokens: frozenset[int]) -> tuple[list[GrowingBeam], Written]:
    """The beams that go on and what they emit."""
    beams = [Beam([], beam.logprob, beam.finished) for beam in scored.beams] or [Beam([])]
    grown = GrowingTexts(beams, end_tokens, most=1 + len(scored.forest)).grow(verdict, scored, 0)
    emitted = tuple(tuple(step.token for step in beam.steps) for beam in grown)
    return grown, emitted if verdict.layers else emitted[0]
