"""The forest of one iteration: what was drafted, what it was drawn from, and what the target says at every prefix.

A prefix is a text that something may follow: a node number stands for the text that ends with that node, -1 - i for
input beam i (-1 where one text is written: the last token of the context). Drafters fill a forest, verifiers judge it,
the trace keeps it, views draw it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    ConfigDict,
    PlainSerializer,
    PlainValidator,
    SerializationInfo,
    TypeAdapter,
    ValidationInfo,
    with_config,
)
from pydantic_core import to_json

from specviz.trace.distribution import Distribution, JointDistribution
from specviz.trace.plain import as_number
from specviz.trace.ranges import Amount, Count, LogProb, Probability

T = TypeVar("T")
Origin = Literal["accepted", "resampled", "bonus", "target", "hand"]
"""Where a token of the text came from; ``hand``: somebody put it there."""
Outcome = Literal["accepted", "rejected", "dropped", "unjudged", "pruned"]
Drawing = str
"""How siblings were drawn: ``independent``, ``without_replacement``, ``deterministic`` (not drawn at all), ``search``
(over whole beams, after which nobody knows the probability of each), or the name of a drafter's own way."""


@dataclass(slots=True)
class Node:
    """One drafted token. Nodes are numbered from 0 in the order drafted; ``parent`` is the prefix that it follows.

    ``draft`` is the distribution that the token was drawn from, given its parent; of a deterministic draft all
    probability is on the token. ``submitted``: the target scores it. ``model`` numbers the draft model it came from
    (0: the pair's own). ``score`` is what a deterministic drafter ranked the node by (0 to 1: a head's probability, a
    cumulative probability); ``estimate`` a decision model's estimate of its acceptance. A ``root`` was drawn from a
    distribution of the target known from the iteration before: it is text without being judged, with this origin.
    ``outcome`` is what became of it, once recorded.
    """

    token: int
    parent: int
    depth: int
    draft: Distribution
    submitted: bool = False
    outcome: Outcome = "unjudged"
    model: Count = 0
    score: Probability | None = None
    estimate: Probability | None = None
    root: Origin | None = None

    @property
    def draft_prob(self) -> float:
        """Warped probability with which the token was drawn, given its parent; 1 for a deterministic draft."""
        return self.draft.prob(self.token)

    @property
    def draft_logprob(self) -> float | None:
        """Its raw log-probability under the draft, None for minus infinity."""
        return finite(self.draft.logprob(self.token))


@with_config(ConfigDict(strict=True, extra="forbid", allow_inf_nan=False))
@dataclass(frozen=True)
class _Columns:
    """Nodes as a file has them, column by column. ``drafts`` are numbers of distributions; ``outcomes`` say which nodes
    came to what. What is as usual (submitted, model 0, no score, no estimate, no root) is left out."""

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    drafts: tuple[int, ...]
    outcomes: dict[Outcome, tuple[int, ...]]
    unsubmitted: tuple[int, ...] = ()
    models: dict[int, Count] = field(default_factory=dict)
    scores: dict[int, Probability] = field(default_factory=dict)
    estimates: dict[int, Probability] = field(default_factory=dict)
    roots: dict[int, Origin] = field(default_factory=dict)


_COLUMNS = TypeAdapter(_Columns)


def _to_columns(nodes: Sequence[Node], info: SerializationInfo) -> dict[str, Any]:
    """The nodes as JSON data, column by column; the context numbers distributions (``table.py``)."""
    table: Any = info.context
    columns: dict[str, Any] = {
        "tokens": [node.token for node in nodes],
        "parents": [node.parent for node in nodes],
        "drafts": [table.number(node.draft) for node in nodes],
        "outcomes": {},
        "unsubmitted": [number for number, node in enumerate(nodes) if not node.submitted],
        "models": {str(number): node.model for number, node in enumerate(nodes) if node.model},
    }
    for number, node in enumerate(nodes):
        columns["outcomes"].setdefault(node.outcome, []).append(number)
    for name, attribute in (("scores", "score"), ("estimates", "estimate"), ("roots", "root")):
        values = {str(number): getattr(node, attribute) for number, node in enumerate(nodes)}
        columns[name] = {number: value for number, value in values.items() if value is not None}
    always = ("tokens", "parents", "drafts", "outcomes")
    return {name: column for name, column in columns.items() if column or name in always}


def _from_columns(value: Any, info: ValidationInfo) -> tuple[Node, ...]:
    """The nodes. Raises ValueError for columns that contradict each other."""
    columns = _COLUMNS.validate_json(to_json(value, inf_nan_mode="constants"))
    count = len(columns.tokens)
    if not len(columns.parents) == len(columns.drafts) == count:
        raise ValueError("tokens, parents and drafts have different lengths")
    outcome_of: dict[int, Outcome] = {n: outcome for outcome, numbers in columns.outcomes.items() for n in numbers}
    unsubmitted, nodes = set(columns.unsubmitted), list[Node]()
    table: Any = info.context  # the reader of the file's distributions (table.py)
    for number, (token, parent, draft) in enumerate(zip(columns.tokens, columns.parents, columns.drafts, strict=True)):
        if not parent < number:
            raise ValueError(f"parent of node {number} is {parent}, a parent comes before its child")
        depth = nodes[parent].depth + 1 if parent >= 0 else 1
        distribution = table.find(draft, Distribution)
        node = Node(token, parent, depth, distribution, number not in unsubmitted, outcome_of.get(number, "unjudged"))
        node.model, node.root = columns.models.get(number, 0), columns.roots.get(number)
        node.score, node.estimate = columns.scores.get(number), columns.estimates.get(number)
        nodes.append(node)
    if len(outcome_of) < sum(map(len, columns.outcomes.values())):
        raise ValueError("outcomes: a node is named twice")
    named = (unsubmitted, outcome_of, columns.models, columns.scores, columns.estimates, columns.roots)
    strange = [number for numbers in named for number in numbers if not 0 <= number < count]
    if strange:
        raise ValueError(f"node {strange[0]} is named, there are {count}")
    return tuple(nodes)


Nodes = Annotated[
    Sequence[Node],
    PlainSerializer(_to_columns),
    PlainValidator(_from_columns, json_schema_input_type=_Columns),
]


@dataclass(frozen=True, slots=True)
class LayerBeam:
    """A beam of a layer: its ``prefix`` (the first of equal texts), the raw joint log-probability of its output (None
    for minus infinity) under one model, and the distribution of its next token (None: it has ended)."""

    prefix: int
    logprob: LogProb | None
    next: Distribution | None


@dataclass(frozen=True)
class Proposal:
    """What a group of nodes was drawn from, for views: one prefix (token methods) or a whole layer of beams.

    ``parents`` are prefixes, ``distributions`` the draft's at each; ``weights`` the probability of each parent's beam
    when the layer was drawn (1 for one parent). ``draws`` are the nodes drawn, in order. Deterministic drafts have no
    proposal. Where the joint over beams and tokens was warped as one it is ``joint``, made of the layer ``beams``, and
    ``distributions`` is empty; a beam that has ended and was drawn to stay is then named among ``draws`` by its prefix.
    """

    parents: tuple[int, ...]
    weights: tuple[Probability, ...]
    distributions: tuple[Distribution, ...]
    draws: tuple[int, ...]
    replacement: bool
    joint: JointDistribution | None = None
    beams: tuple[LayerBeam, ...] = ()

    @property
    def nodes(self) -> tuple[int, ...]:
        """The new nodes among ``draws``."""
        return tuple(draw for draw in self.draws if draw not in self.parents)


@dataclass(frozen=True)
class Hypothesis:
    """One candidate sequence of a drafter that prunes by posterior (slim.txt, Eq. 3): its ``tokens`` after the context,
    its ``posterior`` and what that would be if the tokens were ``independent`` (without the bigram correlation), both
    unnormalised; ``kept`` after the reduction, and then the ``node`` it ends in."""

    tokens: tuple[int, ...]
    posterior: Amount
    independent: Amount
    kept: bool
    node: int | None


@dataclass
class Forest:
    """All drafted nodes of one iteration and what they were drawn from.

    ``drawing`` says how siblings were drawn. ``planned_depth`` is the depth that drafting could have reached and the
    mask was built for (None: the deepest node's). ``layers`` say what whole layers of beams were drawn from; what other
    nodes were is theirs to say (``proposals``). ``hypotheses`` are the likeliest candidates of a drafter that prunes,
    best first; ``considered`` counts them all. ``target`` has the target's distribution after every submitted node and
    every input beam that has not ended; equal texts share one.
    """

    nodes: Nodes = field(default_factory=list)
    layers: Annotated[Sequence[Proposal], AfterValidator(tuple)] = field(default_factory=list)
    hypotheses: Annotated[Sequence[Hypothesis], AfterValidator(tuple)] = ()
    considered: Count = 0
    planned_depth: Count | None = None
    drawing: Drawing = "independent"
    target: dict[int, Distribution] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.nodes)

    def add(self, token: int, parent: int, draft: Distribution, *, model: int = 0, score: float | None = None) -> int:
        """Append a node that was drawn from ``draft`` and return its number."""
        token, parent = as_number(token, int, "a drafted token"), as_number(parent, int, "a node's parent")
        depth = self.nodes[parent].depth + 1 if parent >= 0 else 1
        self._open(self.nodes).append(Node(token, parent, depth, draft, model=model, score=score))
        return len(self.nodes) - 1

    def replace_node(self, number: int, node: Node) -> None:
        """Replace a node."""
        self._open(self.nodes)[number] = node

    def add_layer(self, proposal: Proposal) -> None:
        """Record what a whole layer of beams was drawn from."""
        self._open(self.layers).append(proposal)

    @staticmethod
    def _open(parts: Sequence[T]) -> list[T]:
        """The parts of a forest that still grows; a recorded one has tuples."""
        assert isinstance(parts, list), "a recorded forest does not grow"
        return parts

    def submit(self, nodes: Iterable[int] | None = None) -> None:
        """Submit nodes (default: all) to the target; their ancestors must be among them."""
        for node in range(len(self.nodes)) if nodes is None else nodes:
            self.nodes[node].submitted = True

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """What the nodes were drawn from, in the order drawn: the ``layers``, or one proposal for the siblings that one
        draft model drew after one prefix. What was certain was not drawn and has none."""
        if self.layers or self.drawing == "deterministic":
            return tuple(self.layers)
        groups: dict[tuple[int, int], list[int]] = {}
        for number, node in enumerate(self.nodes):
            if len(node.draft) > 1:  # not taken for certain
                groups.setdefault((node.parent, node.model), []).append(number)
        proposals = []
        for (parent, _), numbers in groups.items():
            first = self.nodes[numbers[0]]
            if not first.draft.certain:
                replacement = self.drawing == "independent" and first.root is None
                proposals.append(Proposal((parent,), (1.0,), (first.draft,), tuple(numbers), replacement))
        return tuple(proposals)

    @property
    def submitted(self) -> list[int]:
        """The submitted nodes, ancestors first."""
        return [number for number, node in enumerate(self.nodes) if node.submitted]

    @property
    def submitted_depth(self) -> int:
        """Depth of the submitted forest: the drafted tokens that one path can have."""
        return max((node.depth for node in self.nodes if node.submitted), default=0)

    def path(self, node: int) -> list[int]:
        """The nodes from depth 1 to ``node``; empty for a negative one."""
        path = []
        while node >= 0:
            path.append(node)
            node = self.nodes[node].parent
        return path[::-1]

    def children(self) -> dict[int, list[int]]:
        """The submitted children of every prefix that has any, in the order drafted."""
        children: dict[int, list[int]] = {}
        for node in self.submitted:
            children.setdefault(self.nodes[node].parent, []).append(node)
        return children

    @property
    def is_chain(self) -> bool:
        """Whether the submitted nodes are one path."""
        return all(len(children) == 1 for children in self.children().values())

    def with_outcomes(self, outcomes: dict[int, Outcome]) -> Forest:
        """The forest as a trace keeps it: nothing in it changes any more, and every node says what became of it."""
        nodes = (
            replace(node, outcome=outcomes.get(number, "unjudged" if node.submitted else "pruned"))
            for number, node in enumerate(self.nodes)
        )
        fields = {"layers": tuple(self.layers), "hypotheses": tuple(self.hypotheses), "target": dict(self.target)}
        return replace(self, nodes=tuple(nodes), **fields)


def finite(value: float) -> float | None:
    """The number, None for an infinite one, as traces have it."""
    return value if math.isfinite(value) else None


def first_prefixes(
    nodes: Sequence[Node], beams: Sequence[Hashable] = (), *, submitted_apart: bool = False
) -> dict[int, int]:
    """Every prefix -> the first prefix with the same text. ``beams`` are the texts of the input beams (hashable);
    ``submitted_apart``: a node that the target scored and one that it did not are never the same."""
    texts: dict[Hashable, int] = {}
    first = {-1 - index: texts.setdefault(text, -1 - index) for index, text in enumerate(beams)}
    first.setdefault(-1, -1)
    pairs: dict[tuple[int, int, bool], int] = {}
    for number, node in enumerate(nodes):
        apart = submitted_apart and node.submitted
        first[number] = pairs.setdefault((first[node.parent], node.token, apart), number)
    return first
