"""What an iteration of a trace says, once read closely: places, ancestors, positions, texts, and what became of them.

A place is a node number, or -1 - i for the last token of input beam i (-1 where there is one text). The figures and the
texts both take their facts from here, so they cannot disagree.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from specviz.errors import SpecvizError
from specviz.trace.decisions import Decision, Distribution, DrawDecision, LayerDistribution, Origin
from specviz.trace.record import Iteration, Node, Trace

ROOT = -1  # the last context token, where a parent is a node number
STAYS = -1  # stands for the token of a beam that has ended and stays as it is


def iteration_of(trace: Trace, index: int) -> Iteration:
    """The iteration at ``index``; raises SpecvizError when there is none, or when the run was not recorded."""
    if not 0 <= index < len(trace.iterations):
        raise SpecvizError(f"iteration index must be 0 to {len(trace.iterations) - 1}, got {index}")
    if not trace.header.recorded:
        raise SpecvizError("this trace was made with record=False, so it holds no forests or decisions to show")
    return trace.iterations[index]


def nodes_of(iteration: Iteration) -> tuple[Node, ...]:
    """The drafted nodes, none where nothing was drafted."""
    return iteration.forest.nodes if iteration.forest else ()


def roots_of(iteration: Iteration) -> tuple[int, ...]:
    """The places that the forest grows from: -1, or one for every input beam."""
    return tuple(-1 - beam for beam in range(max(1, len(iteration.inputs))))


def table_of(law: Distribution | LayerDistribution) -> dict[Hashable, float]:
    """Token, or (place, token) of a layer, to warped probability; most probable first."""
    keys = law.tokens if isinstance(law, Distribution) else zip(law.places, law.tokens, strict=True)
    return dict(zip(keys, law.probs, strict=True))


def prob_of(law: Distribution | LayerDistribution, key: Hashable) -> float:
    """The warped probability of a token (of a layer: of a pair), 0 where it is not listed."""
    return table_of(law).get(key, 0.0)


def ancestors(nodes: Sequence[Node], number: int) -> tuple[int, ...]:
    """The places above a node, from its parent up to and including its root (nothing is above a root)."""
    path = []
    while number >= 0:
        number = nodes[number].parent
        path.append(number)
    return tuple(path)


def root_of(nodes: Sequence[Node], place: int) -> int:
    """The root that a place grows from."""
    return ancestors(nodes, place)[-1] if place >= 0 else place


def own_tokens(iteration: Iteration, root: int) -> tuple[int, ...]:
    """The tokens of an input beam that are not output yet."""
    return iteration.inputs[-1 - root].tokens if iteration.inputs else ()


def token_at(iteration: Iteration, place: int) -> int:
    """The token that stands at a place."""
    if place >= 0:
        return nodes_of(iteration)[place].token
    return iteration.inputs[-1 - place].last if iteration.inputs else iteration.context_tail[-1]


def is_finished(iteration: Iteration, root: int) -> bool:
    """Whether an input beam has ended: it is not read again and nothing grows from it."""
    return bool(iteration.inputs) and iteration.inputs[-1 - root].finished


def position(iteration: Iteration, place: int) -> int:
    """The position id of the token at a place."""
    nodes = nodes_of(iteration)
    depth = nodes[place].depth if place >= 0 else 0
    return iteration.context_length - 1 + len(own_tokens(iteration, root_of(nodes, place))) + depth


def text_at(iteration: Iteration, place: int) -> tuple[int, ...]:
    """The tokens after the context up to and including the place."""
    nodes = nodes_of(iteration)
    path = [p for p in (place, *ancestors(nodes, place)) if p >= 0][::-1]
    return (*own_tokens(iteration, root_of(nodes, place)), *(nodes[p].token for p in path))


def first_of_text(iteration: Iteration) -> dict[int, int]:
    """Every place, and the first submitted place with the same text: copies share a row of the target's cache."""
    nodes, seen, first = nodes_of(iteration), {}, {}
    for root in roots_of(iteration):
        first[root] = seen.setdefault((None, own_tokens(iteration, root), is_finished(iteration, root)), root)
    for number, node in enumerate(nodes):
        key = (first[node.parent], node.token, node.submitted)
        first[number] = seen.setdefault(key, number)
    return first


def nodes_of_pairs(iteration: Iteration) -> Callable[[int, int], int | None]:
    """A function of a place and a token: the node, if one was drafted, that is this token after that place."""
    first, found = first_of_text(iteration), {}
    for number, node in enumerate(nodes_of(iteration)):
        found.setdefault((first[node.parent], node.token), number)
    return lambda place, token: found.get((first[place], token))


def submitted(nodes: Sequence[Node]) -> tuple[int, ...]:
    """The numbers of the nodes that the target scored, in order."""
    return tuple(number for number, node in enumerate(nodes) if node.submitted)


def read_places(iteration: Iteration) -> tuple[int, ...]:
    """The places whose tokens go into the target call, copies left out: roots, then submitted nodes."""
    first, nodes = first_of_text(iteration), nodes_of(iteration)
    roots = (root for root in roots_of(iteration) if not is_finished(iteration, root))
    return tuple(place for place in (*roots, *submitted(nodes)) if first[place] == place)


def going_texts(iteration: Iteration) -> list[tuple[int, ...]]:
    """The texts that go on, each as its tokens after the context; ended beams too."""
    output = tuple(emitted.token for emitted in iteration.emitted)
    return [(*output, *beam.tokens) for beam in iteration.beams] or [output]


def kept_places(iteration: Iteration) -> frozenset[int]:
    """The places whose target rows stay: those before the last token of a text that goes on."""
    ended = [beam.finished for beam in iteration.beams] or [False]
    texts = [text for text, done in zip(going_texts(iteration), ended, strict=True) if not done]
    own = {place: text_at(iteration, place) for place in read_places(iteration)}
    return frozenset(
        place for place, begun in own.items() if any(len(t) > len(begun) and t[: len(begun)] == begun for t in texts)
    )


class Drawn(NamedTuple):
    """A token that was drawn, not drafted: the place it follows, where it came from, and how many beams drew it."""

    name: str
    parent: int
    token: int
    origin: Origin
    count: int


def drawn_tokens(iteration: Iteration, made: int | None = None) -> list[Drawn]:
    """What the first ``made`` decisions (default: all) drew; equal beams are one, counted."""
    first, names = first_of_text(iteration), {}
    draws = [(at, d) for at, d in enumerate(iteration.decisions) if d.rule in ("draw", "beam-draw")]
    counts: Counter = Counter()
    for at, draw in draws:
        parent = first[draw.after if draw.rule == "draw" else draw.parent]
        key = (parent, draw.token)
        names.setdefault(key, (f"drawn-{len(names)}", draw.origin))
        counts[key] += made is None or at < made
    return [Drawn(name, *key, origin, counts[key]) for key, (name, origin) in names.items() if counts[key]]


def draw_of(decisions: Sequence[Decision]) -> DrawDecision | None:
    """The draw of a new token, if there was one."""
    return next((decision for decision in decisions if decision.rule == "draw"), None)


def draw_emitted(iteration: Iteration) -> bool:
    """Whether the drawn token became text (the length limit may have cut it)."""
    return bool(iteration.emitted) and iteration.emitted[-1].node is None


def final_made(iteration: Iteration) -> int:
    """How many decisions still show at the end: all, or all but a last draw that the length limit cut."""
    cut = draw_of(iteration.decisions) is not None and not draw_emitted(iteration)
    return len(iteration.decisions) - cut


def ends(iteration: Iteration) -> dict[int | str, int]:
    """Where the beams that go on end, by place or name of a drawn token, and how many end there; {} for one text."""
    texts = Counter(going_texts(iteration)) if iteration.beams else Counter()
    found: dict[int | str, int] = {}
    first = first_of_text(iteration)
    for place in (*roots_of(iteration), *range(len(nodes_of(iteration)))):
        if first[place] == place and (place < 0 or nodes_of(iteration)[place].outcome == "accepted"):
            count = texts.pop(text_at(iteration, place), 0)
            found |= {place: count} if count else {}
    for drawn in drawn_tokens(iteration):
        more = () if drawn.token == STAYS else (drawn.token,)
        count = texts.pop((*text_at(iteration, drawn.parent), *more), 0)
        found |= {drawn.name: count} if count else {}
    return found


def siblings(iteration: Iteration, place: int) -> tuple[Decision, ...]:
    """The decisions about nodes that follow the same text as the token after ``place``, in order."""
    nodes = nodes_of(iteration)
    text = text_at(iteration, place)
    return tuple(
        decision
        for decision in iteration.decisions
        if hasattr(decision, "node") and text_at(iteration, nodes[decision.node].parent) == text
    )


def prominent(nodes: Sequence[Node], most: int = 60) -> frozenset[int]:
    """The submitted nodes, then the likeliest (or best ranked) of the others, up to ``most`` in all, with their
    ancestors."""
    path_probs: list[float] = []
    for node in nodes:
        path_probs.append(node.draft_prob * (path_probs[node.parent] if node.parent >= 0 else 1.0))
    scores = [path_probs[n] if node.score is None else node.score for n, node in enumerate(nodes)]
    shown = {place for number in submitted(nodes) for place in (number, *ancestors(nodes, number)) if place >= 0}
    for number in sorted(set(range(len(nodes))) - shown, key=lambda n: (-scores[n], n)):
        path = {place for place in (number, *ancestors(nodes, number)) if place >= 0}
        if len(shown | path) <= most:
            shown |= path
    return frozenset(shown)
