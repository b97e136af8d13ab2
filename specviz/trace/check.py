"""What the types of a trace cannot say: that its parts agree with each other.

``first_problem`` walks a trace and names the first field that contradicts another, as a path and a sentence. The
distributions have been checked when they were read (``table.py``); what is left is where they stand.
"""

from collections.abc import Container, Iterator

from specviz.trace.decisions import BeamCoin, BeamWidth, Decision, SampledBeam, SearchStep
from specviz.trace.distribution import JointDistribution
from specviz.trace.forest import Forest, Proposal
from specviz.trace.record import BeamRecord, Iteration, Metrics, Trace

PROBABILITIES = (
    *("target_prob", "acceptance_probability", "uniform", "weight", "confidence", "beta", "accept_any"),
    *("acceptances", "at_least"),
)
AMOUNTS = ("entropy", "threshold", "surprise", "excess", "rho", "width", "least", "offered")

Problems = Iterator[tuple[str, str]]  # (path of the field, what is wrong with it)

SIZES = ("parameters", "embedding_parameters", "layers", "width", "vocab_size", "weight_bytes", "row_bytes")
"""Of a model."""


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
    yield from _probability("header.probability_floor", header.probability_floor)
    yield from _nonnegative("prefill_seconds", trace.prefill_seconds)
    if header.method.distance is not None:
        yield from _probability("header.method.distance", header.method.distance)
    models = {"target": header.target, "draft": header.draft, "heads": header.heads}
    models |= {f"drafts[{i}]": model for i, model in enumerate(header.drafts)}
    for role, model in models.items():
        for name in SIZES if model else ():
            yield from _nonnegative(f"header.{role}.{name}", getattr(model, name))
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
        if forest is not None and emitted.node is not None:
            yield from _node_of(here, emitted.node, emitted.token, forest)
    if not iteration.accepted <= iteration.offered:
        yield f"{path}.accepted", f"is {iteration.accepted}, more than the {iteration.offered} offered"
    for name in ("accepted", "depth", "rows", "rows_peak", "seconds", "record_seconds", "steps"):
        yield from _nonnegative(f"{path}.{name}", getattr(iteration, name))
    for name in ("inputs", "beams"):
        for i, beam in enumerate(getattr(iteration, name)):
            yield from _beam(f"{path}.{name}[{i}]", beam, known)
    for i, call in enumerate(iteration.calls):
        for name in ("tokens", "rows", "seconds", "draft"):
            yield from _nonnegative(f"{path}.calls[{i}].{name}", getattr(call, name))
    for i, segment in enumerate(iteration.segments):
        if not 0.0 <= segment.start <= segment.end:
            yield f"{path}.segments[{i}]", f"runs from {segment.start} to {segment.end} on an axis that starts at 0"


def _beam(path: str, beam: BeamRecord, known: Container[int]) -> Problems:
    yield from _tokens(f"{path}.tokens", (*beam.tokens, beam.last), known)
    if beam.tokens and beam.tokens[-1] != beam.last:
        yield f"{path}.last", f"is {beam.last}, its tokens end with {beam.tokens[-1]}"
    for name in ("origins", "logprobs"):
        if getattr(beam, name) and len(getattr(beam, name)) != len(beam.tokens):
            yield f"{path}.{name}", f"has {len(getattr(beam, name))} entries for {len(beam.tokens)} tokens"


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
        for name in ("score", "estimate"):
            yield from _probability(f"{here}.{name}", getattr(node, name))
        yield from _nonnegative(f"{here}.model", node.model)
        yield from _tokens(f"{here}.token", (node.token,), known)
        if node.draft.index(node.token) is None:
            yield f"{here}.draft", f"does not list token {node.token}, which was drawn from it"
    count = len(forest.nodes)
    for i, proposal in enumerate(forest.layers):
        yield from _proposal(f"{path}.layers[{i}]", proposal, lowest, count)
    yield from _nonnegative(f"{path}.planned_depth", forest.planned_depth)
    yield from _range(f"{path}.target", tuple(forest.target), lowest, count)
    if forest.considered < len(forest.hypotheses):
        yield f"{path}.considered", f"is {forest.considered}, fewer than the {len(forest.hypotheses)} hypotheses listed"
    for i, hypothesis in enumerate(forest.hypotheses):
        here = f"{path}.hypotheses[{i}]"
        yield from _tokens(f"{here}.tokens", hypothesis.tokens, known)
        for name in ("posterior", "independent"):
            yield from _nonnegative(f"{here}.{name}", getattr(hypothesis, name))
        if hypothesis.node is not None:
            yield from _node_of(here, hypothesis.node, hypothesis.tokens[-1] if hypothesis.tokens else None, forest)


def _proposal(path: str, proposal: Proposal, lowest: int, count: int) -> Problems:
    expected = len(proposal.parents) if proposal.joint is None else 0
    if not (len(proposal.parents) == len(proposal.weights) and len(proposal.distributions) == expected):
        yield path, "parents, weights and distributions have different lengths"
    for name, first in (("parents", lowest), ("draws", lowest)):
        yield from _range(f"{path}.{name}", getattr(proposal, name), first, count)
    for j, weight in enumerate(proposal.weights):
        yield from _probability(f"{path}.weights[{j}]", weight)
    yield from _range(f"{path}.beams", tuple(beam.prefix for beam in proposal.beams), lowest, count)
    if proposal.joint is not None:
        yield from _joint(f"{path}.joint", proposal.joint, lowest, count)


def _decision(path: str, decision: Decision, forest: Forest | None, lowest: int, known: Container[int]) -> Problems:
    fields = vars(decision)
    stays = isinstance(decision, SampledBeam | BeamCoin) and decision.token == -1  # a finished beam
    if isinstance(fields.get("token"), int) and not stays:
        yield from _tokens(f"{path}.token", (fields["token"],), known)
    if forest is None:
        yield path, f"is a {decision.rule} decision, but the iteration has no forest"
        return
    count = len(forest.nodes)
    for name, value in fields.items():
        if isinstance(value, JointDistribution):
            yield from _joint(f"{path}.{name}", value, lowest, count)
        elif name in PROBABILITIES:
            for one in value if isinstance(value, tuple) else (value,):
                yield from _probability(f"{path}.{name}", one)
        elif name in AMOUNTS:
            yield from _nonnegative(f"{path}.{name}", value, room=1e-6)
        elif name in ("parent", "after"):
            yield from _range(f"{path}.{name}", (value,), lowest, count)
        elif name == "best":
            yield from _tokens(f"{path}.best", (value,), known)
    if stays:
        yield from _range(f"{path}.node", (fields.get("node", 0),), lowest, max(count, 1))
    elif "node" in fields:
        yield from _node_of(path, fields["node"], fields["token"], forest)
    if fields.get("candidate", 0) >= fields.get("candidates", 1):
        yield (
            f"{path}.candidate",
            f"is {fields['candidate']}, candidates are counted from 0 to {fields['candidates'] - 1}",
        )
    if isinstance(decision, BeamWidth):
        if not len(decision.acceptances) == len(decision.at_least) == decision.offered:
            yield path, f"acceptances and at_least have one number for each of the {decision.offered} offered drafts"
    elif isinstance(decision, SearchStep):
        yield from _search(path, decision, lowest, count, known)


def _search(path: str, step: SearchStep, lowest: int, count: int, known: Container[int]) -> Problems:
    if not len(step.parents) == len(step.tokens) == len(step.logprobs) == len(step.nodes):
        yield path, "parents, tokens, logprobs and nodes have different lengths"
    yield from _tokens(f"{path}.tokens", tuple(token for token in step.tokens if token != -1), known)
    yield from _range(f"{path}.parents", step.parents, lowest, count)
    yield from _range(f"{path}.nodes", tuple(node for node in step.nodes if node is not None), 0, count)
    yield from _range(f"{path}.drafted", step.drafted, 0, count)


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
    for name, value in vars(metrics).items():
        if not isinstance(value, tuple):
            yield from _nonnegative(f"metrics.{name}", value)
    yield from _probability("metrics.alpha", metrics.alpha)
    for i, share in enumerate(metrics.acceptance_by_depth):
        yield from _probability(f"metrics.acceptance_by_depth[{i}]", share)


def _tokens(path: str, tokens: tuple[int, ...], known: Container[int]) -> Problems:
    for token in tokens:
        if token not in known:
            yield path, f"token {token} is not in the vocabulary of the trace"
            return


def _range(path: str, numbers: tuple[int, ...], lowest: int, end: int) -> Problems:
    for i, number in enumerate(numbers):
        if not lowest <= number < end:
            yield f"{path}[{i}]", f"is {number}, prefixes go from {lowest} to {end - 1}"


def _probability(path: str, value: float | None) -> Problems:
    if value is not None and not 0.0 <= value <= 1.0 + 1e-6:  # room for the rounding of float32
        yield path, f"is {value}, a probability lies from 0 to 1"


def _nonnegative(path: str, value: float | None, room: float = 0.0) -> Problems:
    if value is not None and not value >= -room:
        yield path, f"is {value}, it cannot be negative"
