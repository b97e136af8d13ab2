"""What an iteration of a trace says, once read closely: prefixes, ancestors, positions, texts, and what became of them.

A prefix is named by its last token: a node number, or -1 - i for the end of input beam i (-1 where there is one text).
The figures and the texts both take their facts from here, so they cannot disagree."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from math import prod
from typing import Any, TypeVar

from specviz.errors import SpecvizError
from specviz.trace.decisions import Decision, Draw, GuessTest, PrefixTest
from specviz.trace.forest import Forest, Node, Origin, first_prefixes
from specviz.trace.record import Iteration, Trace

ROOT = -1  # the last context token, where a parent is a node number
STAYS = -1  # stands for the token of a beam that has ended and stays as it is
MOST_SHOWN = 300  # nodes of a forest that are drawn, and rows of its mask
DEEPEST = 32  # depth to which they are drawn
MOST_ROWS = 18  # to which nodes that were not offered to the target may bring a drawing
T = TypeVar("T")


class _Same:
    """An object, hashed and compared by identity."""

    def __init__(self, it: Any):
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.it is other.it


def once(work: Callable[[Any], T]) -> Callable[[Any], T]:
    """A function of one frozen object that remembers the last few answers: the views of a step ask for the same ones
    again and again. Nobody may change them."""
    known = lru_cache(maxsize=8)(lambda same: work(same.it))
    return wraps(work)(lambda it: known(_Same(it)))


def iteration_of(trace: Trace, index: int) -> Iteration:
    """The iteration at ``index``; raises SpecvizError when there is none, or when the run was not recorded."""
    if not 0 <= index < len(trace.iterations):
        raise SpecvizError(f"iteration index must be 0 to {len(trace.iterations) - 1}, got {index}", argument="index")
    if not trace.header.recorded:
        raise SpecvizError("this trace was made with record=False, so it holds no forests or decisions to show")
    return trace.iterations[index]


def forest_of(iteration: Iteration) -> Forest:
    """The forest of an iteration that drafted something."""
    assert iteration.forest is not None
    return iteration.forest


def nodes_of(iteration: Iteration) -> tuple[Node, ...]:
    """The drafted nodes, none where nothing was drafted."""
    return tuple(iteration.forest.nodes) if iteration.forest else ()


def roots_of(iteration: Iteration) -> tuple[int, ...]:
    """The prefixes that the forest grows from: -1, or one for every input beam."""
    return tuple(-1 - beam for beam in range(max(1, len(iteration.inputs))))


def ancestors(nodes: Sequence[Node], number: int) -> tuple[int, ...]:
    """The prefixes above a node, from its parent up to and including its root (nothing is above a root)."""
    return _paths(nodes)[number] if number >= 0 else ()


@once
def _paths(nodes: Sequence[Node]) -> list[tuple[int, ...]]:
    """The prefixes above every node, in one pass: parents come before their children."""
    paths: list[tuple[int, ...]] = []
    for node in nodes:
        paths.append((node.parent, *(paths[node.parent] if node.parent >= 0 else ())))
    return paths


def root_of(nodes: Sequence[Node], prefix: int) -> int:
    """The root that a prefix grows from."""
    return ancestors(nodes, prefix)[-1] if prefix >= 0 else prefix


def own_tokens(iteration: Iteration, root: int) -> tuple[int, ...]:
    """The tokens of an input beam that are not output yet."""
    return iteration.inputs[-1 - root].tokens if iteration.inputs else ()


def token_at(iteration: Iteration, prefix: int) -> int:
    """The last token of a prefix."""
    if prefix >= 0:
        return nodes_of(iteration)[prefix].token
    return iteration.inputs[-1 - prefix].last if iteration.inputs else iteration.context_tail[-1]


def is_finished(iteration: Iteration, root: int) -> bool:
    """Whether an input beam has ended: it is not read again and nothing grows from it."""
    return bool(iteration.inputs) and iteration.inputs[-1 - root].finished


def position(iteration: Iteration, prefix: int) -> int:
    """The position id of a prefix's last token."""
    nodes = nodes_of(iteration)
    depth = nodes[prefix].depth if prefix >= 0 else 0
    return iteration.context_length - 1 + len(own_tokens(iteration, root_of(nodes, prefix))) + depth


def text_at(iteration: Iteration, prefix: int) -> tuple[int, ...]:
    """The tokens of a prefix after the context."""
    nodes = nodes_of(iteration)
    path = [p for p in (prefix, *ancestors(nodes, prefix)) if p >= 0][::-1]
    return (*own_tokens(iteration, root_of(nodes, prefix)), *(nodes[p].token for p in path))


class PrefixTexts:
    """The texts of all prefixes as one trie, in which equal ones have the same number."""

    def __init__(self, iteration: Iteration):
        self._next: dict[tuple[int, int], int] = {}
        self._of = {root: self._walk(own_tokens(iteration, root)) for root in roots_of(iteration)}
        for number, node in enumerate(nodes_of(iteration)):
            self._of[number] = self._step(self._of[node.parent], node.token)

    def of(self, prefix: int) -> int:
        """The number of the text of a prefix."""
        return self._of[prefix]

    def along(self, tokens: Sequence[int]) -> list[int]:
        """The numbers of the beginnings of a text, from the empty one on, as far as there are prefixes for them."""
        numbers = [0]
        for token in tokens:
            if (numbers[-1], token) not in self._next:
                break
            numbers.append(self._next[numbers[-1], token])
        return numbers

    def _walk(self, tokens: Sequence[int]) -> int:
        text = 0
        for token in tokens:
            text = self._step(text, token)
        return text

    def _step(self, text: int, token: int) -> int:
        return self._next.setdefault((text, token), len(self._next) + 1)


texts_of = once(PrefixTexts)


@once
def first_of_text(iteration: Iteration) -> dict[int, int]:
    """Every prefix, and the first submitted prefix with the same text: copies share a row of the target's cache."""
    beams = [(own_tokens(iteration, root), is_finished(iteration, root)) for root in roots_of(iteration)]
    return first_prefixes(nodes_of(iteration), beams, submitted_apart=True)


@once
def nodes_of_pairs(iteration: Iteration) -> Callable[[int, int], int | None]:
    """A function of a prefix and a token: the node, if one was drafted, that is this token after that prefix."""
    first, nodes = first_of_text(iteration), {}
    for number, node in enumerate(nodes_of(iteration)):
        nodes.setdefault((first[node.parent], node.token), number)
    return lambda prefix, token: nodes.get((first[prefix], token))


def ranking(node: Node, scored: bool) -> float:
    """The number beside a guess: what a drafter that draws nothing ranked it by where these are ``scored``, or else its
    draft probability."""
    return node.draft_prob if node.score is None or not scored else node.score


def submitted(nodes: Sequence[Node]) -> tuple[int, ...]:
    """The numbers of the nodes that the target scored, in order."""
    return tuple(number for number, node in enumerate(nodes) if node.submitted)


def read_prefixes(iteration: Iteration) -> tuple[int, ...]:
    """The prefixes whose last tokens go into the target call, copies left out: roots, then submitted nodes."""
    first, nodes = first_of_text(iteration), nodes_of(iteration)
    roots = (root for root in roots_of(iteration) if not is_finished(iteration, root))
    return tuple(prefix for prefix in (*roots, *submitted(nodes)) if first[prefix] == prefix)


def surviving_texts(iteration: Iteration) -> list[tuple[int, ...]]:
    """The texts that go on, each as its tokens after the context; ended beams too."""
    output = tuple(emitted.token for emitted in iteration.emitted)
    return [(*output, *beam.tokens) for beam in iteration.beams] or [output]


@once
def kept_prefixes(iteration: Iteration) -> frozenset[int]:
    """The prefixes whose target rows stay: those before the last token of a text that goes on."""
    ended = [beam.finished for beam in iteration.beams] or [False]
    texts = [text for text, done in zip(surviving_texts(iteration), ended, strict=True) if not done]
    known = texts_of(iteration)
    begun = {beginning for text in texts if text for beginning in known.along(text[:-1])}
    return frozenset(prefix for prefix in read_prefixes(iteration) if known.of(prefix) in begun)


@dataclass(frozen=True)
class Drawn:
    """A token that was drawn, not drafted: the prefix it follows, where it came from, and how many beams drew it."""

    name: str
    parent: int
    token: int
    origin: Origin
    count: int


def drawn_tokens(iteration: Iteration, made: int | None = None) -> list[Drawn]:
    """What the first ``made`` decisions (default: all) drew; equal beams are one, counted."""
    first = first_of_text(iteration)
    names: dict[tuple[int, int], tuple[str, Origin]] = {}
    draws = [(at, d) for at, d in enumerate(iteration.decisions) if isinstance(d, Draw)]
    counts: Counter[tuple[int, int]] = Counter()
    for at, draw in draws:
        key = (first[draw.prefix], draw.token)
        names.setdefault(key, (f"drawn-{len(names)}", draw.origin))
        counts[key] += made is None or at < made
    return [Drawn(name, *key, origin, counts[key]) for key, (name, origin) in names.items() if counts[key]]


def draw_of(decisions: Sequence[Decision]) -> Draw | None:
    """The draw that the text ends with, if there was one."""
    return next((decision for decision in decisions if isinstance(decision, Draw) and decision.last), None)


def draw_emitted(iteration: Iteration) -> bool:
    """Whether the drawn token became text (the length limit may have cut it)."""
    return bool(iteration.emitted) and iteration.emitted[-1].node is None


def is_by_hand(iteration: Iteration) -> bool:
    """Whether the iteration is a token put by hand: nothing was drafted or judged in it."""
    return any(token.origin == "hand" for token in iteration.emitted)


def final_made(iteration: Iteration) -> int:
    """How many decisions still show at the end: all, or all but a last draw that the length limit cut."""
    cut = draw_of(iteration.decisions) is not None and not draw_emitted(iteration)
    return len(iteration.decisions) - cut


def ends(iteration: Iteration) -> dict[int | str, int]:
    """Where the beams that go on end, by prefix or name of a drawn token, and how many end there; {} for one text."""
    texts = Counter(surviving_texts(iteration)) if iteration.beams else Counter()
    counts: dict[int | str, int] = {}
    first = first_of_text(iteration)
    for prefix in (*roots_of(iteration), *range(len(nodes_of(iteration)))):
        if first[prefix] == prefix and (prefix < 0 or nodes_of(iteration)[prefix].outcome == "accepted"):
            count = texts.pop(text_at(iteration, prefix), 0)
            counts |= {prefix: count} if count else {}
    for drawn in drawn_tokens(iteration):
        more = () if drawn.token == STAYS else (drawn.token,)
        count = texts.pop((*text_at(iteration, drawn.parent), *more), 0)
        counts |= {drawn.name: count} if count else {}
    return counts


def siblings(iteration: Iteration, prefix: int) -> tuple[Decision, ...]:
    """The decisions about nodes that follow the same text as the token after ``prefix``, in order."""
    return _siblings(iteration).get(texts_of(iteration).of(prefix), ())


@once
def _siblings(iteration: Iteration) -> dict[int, tuple[Decision, ...]]:
    """The decisions about nodes by the text that the nodes follow."""
    nodes, known = nodes_of(iteration), texts_of(iteration)
    groups: dict[int, list[Decision]] = {}
    for decision in iteration.decisions:
        if isinstance(decision, GuessTest | PrefixTest):
            groups.setdefault(known.of(nodes[decision.node].parent), []).append(decision)
    return {text: tuple(decisions) for text, decisions in groups.items()}


def best_prefix(nodes: Sequence[Node], decisions: Sequence[PrefixTest]) -> int | None:
    """The node of the deepest passing prefix, the likeliest under the target among equals; None when none passes."""
    deepest = max((d.depth for d in decisions if d.passes), default=0)
    passing = [d for d in decisions if d.passes and d.depth == deepest]
    target = {d.node: getattr(d, "target_prob", 1.0) for d in decisions}

    def likelihood(decision: PrefixTest) -> float:
        return prod(target.get(prefix, 1.0) for prefix in (decision.node, *ancestors(nodes, decision.node)))

    return max(passing, key=likelihood).node if passing else None


@once
def several_drafts(nodes: Sequence[Node]) -> bool:
    """Whether some nodes come from another draft model than the pair's own."""
    return any(node.model for node in nodes)


@once
def prominent(nodes: Sequence[Node]) -> frozenset[int]:
    """The nodes that are drawn: ``likeliest``, with the usual bounds."""
    return likeliest(nodes)


def likeliest(nodes: Sequence[Node], most: int = 60, most_submitted: int = MOST_SHOWN) -> frozenset[int]:
    """The submitted nodes, those kept and then the likeliest (or best ranked) first, up to ``most_submitted``; then the
    likeliest of the others, up to ``most`` in all and MOST_ROWS leaves; with their ancestors, and none below
    DEEPEST."""
    path_probs: list[float] = []
    for node in nodes:
        path_probs.append(node.draft_prob * (path_probs[node.parent] if node.parent >= 0 else 1.0))
    scores = [path_probs[n] if node.score is None else node.score for n, node in enumerate(nodes)]
    shown: set[int] = set()
    leaves: set[int] = set()
    for room, sent in ((most_submitted, True), (most, False)):
        there = [n for n, node in enumerate(nodes) if node.submitted is sent and node.depth <= DEEPEST]
        for number in sorted(there, key=lambda n: (sent and nodes[n].outcome != "accepted", -scores[n], n)):
            more = {prefix for prefix in (number, *ancestors(nodes, number)) if prefix >= 0} - shown
            rows = (leaves | {number}) - {nodes[name].parent for name in more} if more else leaves
            if len(shown) + len(more) <= room and (sent or len(rows) <= MOST_ROWS):
                shown |= more
                leaves = rows
    return frozenset(shown)
