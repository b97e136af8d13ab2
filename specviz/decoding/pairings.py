"""Which drafter may meet which verifier, and what comes of it.

A verifier asks something of the forest: one chain, or candidates drawn independently of each other. How a forest was
drawn also decides the law: only a verifier that knows the law of every draft can keep the target's.
"""

from collections.abc import Callable
from dataclasses import dataclass

from specviz.decoding.options import Options
from specviz.drafting.forest import Drawing, Forest
from specviz.errors import OptionError
from specviz.lm.warp import Warp
from specviz.verifying.block import BlockVerifier
from specviz.verifying.greedy import GreedyVerifier
from specviz.verifying.joint import JointVerifier
from specviz.verifying.kseq import SequenceVerifier
from specviz.verifying.recursive import RecursiveVerifier
from specviz.verifying.rollback import RollbackVerifier
from specviz.verifying.token import GreedyTokenVerifier, TokenVerifier
from specviz.verifying.typical import TypicalVerifier
from specviz.verifying.verdict import Verifier

DRAWINGS: dict[str, str] = {
    "independent": "drawn independently of each other",
    "distinct": "drawn without replacement",
    "certain": "deterministic",
    "search": "chosen by a search, so that nobody knows the chance of each",
}


@dataclass(frozen=True)
class NamedVerifier:
    """A verifier by name. ``chain``: it judges one chain only; ``drawings``: how its candidates may have been drawn;
    ``exact``: the drawings of which it keeps the target's law. ``build`` makes it from options, the warp and the end
    tokens."""

    name: str
    about: str
    build: Callable[[Options, Warp, frozenset[int]], Verifier]
    chain: bool = False
    drawings: tuple[Drawing, ...] = ("independent", "distinct", "certain", "search")
    exact: tuple[Drawing, ...] = ()


def _token(options: Options, warp: Warp, ends: frozenset[int]) -> Verifier:
    return (GreedyTokenVerifier if warp.greedy else TokenVerifier)(options["lenience"], ends)


VERIFIERS: dict[str, NamedVerifier] = {
    judge.name: judge
    for judge in (
        NamedVerifier("token", "token by token", _token, chain=True, exact=("independent", "certain")),
        NamedVerifier(
            "block",
            "the chain as a block",
            lambda options, warp, ends: BlockVerifier(ends),
            chain=True,
            exact=("independent", "certain"),
        ),
        NamedVerifier(
            "recursive",
            "candidate after candidate at every node",
            lambda options, warp, ends: RecursiveVerifier(ends),
            exact=("independent", "distinct", "certain"),
        ),
        NamedVerifier(
            "kseq",
            "K-SEQ, all candidates of a place at once",
            lambda options, warp, ends: SequenceVerifier(ends),
            drawings=("independent",),
            exact=("independent",),
        ),
        NamedVerifier("joint", "MTAD's joint rule", lambda options, warp, ends: JointVerifier(options["tau"], ends)),
        NamedVerifier(
            "typical",
            "typical acceptance",
            lambda options, warp, ends: TypicalVerifier(
                options["epsilon"], options["delta"], options["temperature"], ends
            ),
        ),
        NamedVerifier(
            "rollback",
            "Big Little Decoder's rollback",
            lambda options, warp, ends: RollbackVerifier(options["rollback"], ends),
            chain=True,
        ),
        NamedVerifier("greedy", "the target's own choice", lambda options, warp, ends: GreedyVerifier(ends)),
    )
}


def is_chain(forest: Forest) -> bool:
    """Whether the submitted nodes are one path."""
    return all(len(children) == 1 for children in forest.children().values())


def refuse(verifier: str, *, chain: bool, drawing: Drawing, drafter: str) -> None:
    """Raises OptionError, with the reason, where ``verifier`` cannot judge such drafts."""
    judge = VERIFIERS[verifier]
    if judge.chain and not chain:
        allowed = ", ".join(name for name, other in VERIFIERS.items() if not other.chain)
        raise OptionError(
            f"verifier {verifier!r} judges one chain, and {drafter} is a tree; for trees take one of {allowed}"
        )
    if drawing not in judge.drawings:
        raise OptionError(
            f"verifier {verifier!r} needs candidates {' or '.join(DRAWINGS[name] for name in judge.drawings)}, and "
            f"those of {drafter} are {DRAWINGS[drawing]}: its coins would not be fair"
        )
