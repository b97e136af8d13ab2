"""What the types of a trace cannot say: that its parts agree with each other.

``first_problem`` walks a trace and names the first field that contradicts another, as a path and a sentence. The
distributions have been checked when they were read (``table.py``); what is left is where they stand.
"""

from collections.abc import Container, Iterator

from specviz.trace.decisions import Decision
from specviz.trace.distribution import STAYS, JointDistribution
from specviz.trace.forest import Forest, Proposal
from specviz.trace.ranges import numbers_of, ranges_of, values_of
from specviz.trace.record import BeamRecord, Iteration, Metrics, Trace

Problems = Iterator[tuple[str, str]]  # (path of the field, what is wrong with it)


def first_problem(trace: Trace) -> str | None:
    """The first contradiction in ``trace`` as ``path: sentence``, None for a sound trace."""
    for path, sentence in _trace(trace):
        return f"{path}: {sentence}"
    return None


def _trace(trace: Trace) -> Problems:
    header, known = trace.header, trace.vocabulary.keys()
    yield from _tokens("header.prompt_tokens", header.prompt_tokens, known)
    if header.end_token is not None and header.end_tokens and header.end_token not in header.end_tokens:
        yield "header.end_token", f"is {header.end_token}, none of the end tokens {header.end_tokens}"
    yield from (*_ranges("header", header), *_ranges("header.method", header.method), *_ranges("", trace))
    models = {"target": header.target, "draft": header.draft, "heads": header.heads}
    models |= {f"drafts[{i}]": model for i, model in enumerate(header.drafts)}
    for role, model in models.items():
        if model is not None:
            yield from _ranges(f"header.{role}", model)
    for i, branch in enumerate(header.branches):
        yield from _ranges(f"header.branches[{i}]", branch)
        yield from _tokens(f"header.branches[{i}].by_hand", branch.by_hand, known)
    length = len(header.prompt_tokens)
    for index, iteration in enumerate(trace.iterations):
        path = f"iterations[{index}]"
        if iteration.index != index:
            yield f"{path}.index", f"is {iteration.index}, iterations are numbered in order from 0"
        if iteration.context_length != length:
            yield f"{path}.context_length", f"is {iteration.context_length}, prompt and emitted tokens make {length}"
        yield from _iteration(path, iteration, known)
        length += len(iteration.emitted)
    yield from _metrics(trace.metrics, length - len(header.prompt_tokens))


def _iteration(path: str, iteration: Iteration, known: Container[int]) -> Problems:
    yield from _tokens(f"{path}.context_tail", iteration.context_tail, known)
    forest, lowest = iteration.forest, -max(1, len(iteration.inputs))
    if forest is not None:
        yield from _forest(f"{path}.forest", forest, lowest, known)
    for i, decision in enumerate(iteration.decisions):
        yield from _decision(f"{path}.decisions[{i}]", decision, forest, lowest, known)
    for i, emitted in enumerate(iteration.emitted):
        here = f"{path}.emitted[{i}]"
        yield from _tokens(f"{here}.token", (emitted.token,), known)
        yield from _ranges(here, emitted)
        if forest is not None and emitted.node is not None:
            yield from _node_of(here, emitted.node, emitted.token, forest)
    if not iteration.accepted <= iteration.offered:
        yield f"{path}.accepted", f"is {iteration.accepted}, more than the {iteration.offered} offered"
    yield from _ranges(path, iteration)
    for name in ("inputs", "beams"):
        for i, beam in enumerate(getattr(iteration, name)):
            yield from _beam(f"{path}.{name}[{i}]", beam, known)
    for i, call in enumerate(iteration.calls):
        yield from _ranges(f"{path}.calls[{i}]", call)
    for i, segment in enumerate(iteration.segments):
        yield from _ranges(f"{path}.segments[{i}]", segment)
        if segment.end < segment.start:
            yield f"{path}.segments[{i}]", f"ends at {segment.end}, it starts at {segment.start}"


def _beam(path: str, beam: BeamRecord, known: Container[int]) -> Problems:
    yield from _tokens(f"{path}.tokens", (*beam.tokens, beam.last), known)
    if beam.tokens and beam.tokens[-1] != beam.last:
        yield f"{path}.last", f"is {beam.last}, its tokens end with {beam.tokens[-1]}"
    for name in ("origins", "logprobs"):
        if getattr(beam, name) and len(getattr(beam, name)) != len(beam.tokens):
            yield f"{path}.{name}", f"has {len(getattr(beam, name))} entries for {len(beam.tokens)} tokens"
    yield from _ranges(path, beam)


def _forest(path: str, forest: Forest, lowest: int, known: Container[int]) -> Problems:
    for i, node in enumerate(forest.nodes):
        here = f"{path}.nodes[{i}]"
        if not lowest <= node.parent < i:
            yield f"{here}.parent", f"is {node.parent}, a parent comes before its child: from {lowest} to {i - 1}"
            return
        depth = 1 if node.parent < 0 else forest.nodes[node.parent].depth + 1
        if node.depth != depth:
            yield f"{here}.depth", f"is {node.depth}, its parent makes it {depth}"
        if node.root and node.parent >= 0:
            yield f"{here}.root", f"is set, but the node follows node {node.parent}: a root follows the text"
        yield from _ranges(here, node)
        yield from _tokens(f"{here}.token", (node.token,), known)
        if node.draft.index(node.token) is None:
            yield f"{here}.draft", f"does not list token {node.token}, which was drawn from it"
    count = len(forest.nodes)
    for i, proposal in enumerate(forest.layers):
        yield from _proposal(f"{path}.layers[{i}]", proposal, lowest, count)
    yield from _ranges(path, forest)
    yield from _range(f"{path}.target", tuple(forest.target), lowest, count)
    if forest.considered < len(forest.hypotheses):
        yield f"{path}.considered", f"is {forest.considered}, fewer than the {len(forest.hypotheses)} hypotheses listed"
    for i, hypothesis in enumerate(forest.hypotheses):
        here = f"{path}.hypotheses[{i}]"
        yield from _tokens(f"{here}.tokens", hypothesis.tokens, known)
        yield from _ranges(here, hypothesis)
        if hypothesis.node is not None:
            yield from _node_of(here, hypothesis.node, hypothesis.tokens[-1] if hypothesis.tokens else None, forest)


def _proposal(path: str, proposal: Proposal, lowest: int, count: int) -> Problems:
    expected = len(proposal.parents) if proposal.joint is None else 0
    if not (len(proposal.parents) == len(proposal.weights) and len(proposal.distributions) == expected):
        yield path, "parents, weights and distributions have different lengths"
    for name, first in (("parents", lowest), ("draws", lowest)):
        yield from _range(f"{path}.{name}", getattr(proposal, name), first, count)
    yield from _ranges(path, proposal)
    for j, beam in enumerate(proposal.beams):
        yield from _ranges(f"{path}.beams[{j}]", beam)
    yield from _range(f"{path}.beams", tuple(beam.prefix for beam in proposal.beams), lowest, count)
    if proposal.joint is not None:
        yield from _joint(f"{path}.joint", proposal.joint, lowest, count)


def _decision(path: str, decision: Decision, forest: Forest | None, lowest: int, known: Container[int]) -> Problems:
    kind, token = type(decision), getattr(decision, "token", None)
    for name, number in numbers_of(kind).items():
        if number.what == "token":
            tokens = tuple(value for _, value in values_of(decision, name) if value != STAYS or not number.stays)
            yield from _tokens(f"{path}.{name}", tokens, known)
    if forest is None:
        yield path, f"is a {decision.rule} decision, but the iteration has no forest"
        return
    yield from _ranges(path, decision)
    count = len(forest.nodes)
    for name, number in numbers_of(kind).items():
        numbers = tuple(value for _, value in values_of(decision, name))
        if name == "node" and numbers and not (number.stays and token == STAYS):
            yield from _node_of(path, numbers[0], token, forest)
        elif number.what != "token":
            named = number.what == "node" and name != "node"
            yield from _range(f"{path}.{name}", numbers, 0 if named else lowest, count)
    for name, value in vars(decision).items():
        if isinstance(value, JointDistribution):
            yield from _joint(f"{path}.{name}", value, lowest, count)
    for name, sentence in decision.contradictions():
        yield f"{path}.{name}".rstrip("."), sentence


def _node_of(path: str, node: int, token: int | None, forest: Forest) -> Problems:
    if not 0 <= node < len(forest.nodes):
        yield f"{path}.node", f"is {node}, the forest has {len(forest.nodes)} nodes"
    elif forest.nodes[node].token != token:
        yield f"{path}.token", f"is {token}, node {node} of the forest is token {forest.nodes[node].token}"


def _joint(path: str, joint: JointDistribution, lowest: int, count: int) -> Problems:
    if len(joint):
        extremes = (int(joint.prefixes.min()), int(joint.prefixes.max()))
        yield from _range(f"{path}.prefixes", extremes, lowest, max(count, 1))


def _metrics(metrics: Metrics, tokens: int) -> Problems:
    if metrics.tokens != tokens:
        yield "metrics.tokens", f"is {metrics.tokens}, the iterations emit {tokens}"
    yield from _ranges("metrics", metrics)


def _ranges(path: str, thing: object) -> Problems:
    """Numbers outside of the ranges that their types say."""
    for name, allowed in ranges_of(type(thing)).items():
        for where, value in values_of(thing, name):
            if not allowed.holds(value):
                yield f"{path}.{where}".lstrip("."), f"is {value}, {allowed.otherwise}"


def _tokens(path: str, tokens: tuple[int, ...], known: Container[int]) -> Problems:
    for token in tokens:
        if token not in known:
            yield path, f"token {token} is not in the vocabulary of the trace"
            return


def _range(path: str, numbers: tuple[int, ...], lowest: int, end: int) -> Problems:
    for i, number in enumerate(numbers):
        if not lowest <= number < end:
            yield f"{path}[{i}]", f"is {number}, prefixes go from {lowest} to {end - 1}"
