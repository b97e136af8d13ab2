"""What calls cost by counting, whatever the machine: arithmetic operations and cache bytes."""

from collections.abc import Iterable

from specviz.trace.record import Call, Header, Iteration, ModelRecord, Role


def call_flops(model: ModelRecord, call: Call) -> float:
    """Floating-point operations of one forward call; a multiplication and an addition count as two.

    Every weight that is not an embedding is used once per new token; the logits cost a matrix of vocabulary x width
    per token, tied to the embedding or not (``embedding_parameters`` are all matrices with a vocabulary side).
    Attention scores and mixes every key, the masked ones too: cache rows before the call and the call's own tokens.
    A model that is not a network (a table, an n-gram) costs nothing.
    """
    if model.parameters == 0:
        return 0.0
    weights = model.parameters - model.embedding_parameters + model.vocab_size * model.width
    attention = 4 * model.layers * model.width * (call.rows + call.tokens)
    return float(call.tokens * (2 * weights + attention))


def call_bytes(model: ModelRecord, call: Call) -> int:
    """Bytes that one forward call reads: the weights once, however many tokens, and every cache row once, masked or
    not, the call's own among them."""
    return model.weight_bytes + model.row_bytes * (call.rows + call.tokens)


def total_flops(calls: Iterable[Call], header: Header) -> float:
    """Operations of all ``calls``, each charged to the model that made it (prediction heads: all their weights, once
    for each call)."""
    return sum(call_flops(model, call) for call in calls if (model := model_of(call, header)))


def total_bytes(calls: Iterable[Call], header: Header) -> int:
    """Bytes read by all ``calls``, each by the model that made it."""
    return sum(call_bytes(model, call) for call in calls if (model := model_of(call, header)))


def model_of(call: Call, header: Header) -> ModelRecord | None:
    """The model that made a call; None where the header does not have it."""
    if call.role == "draft":
        drafts = (header.draft, *header.drafts)
        return drafts[call.draft] if call.draft < len(drafts) else None
    return header.target if call.role == "target" else header.heads


def cache_bytes(iterations: Iterable[Iteration], header: Header, *, separate: bool = False) -> int:
    """The most bytes of cache that the target and the drafts held at a time, by the rows of their calls: each model
    with its largest call of an iteration, or of its last before.

    ``separate``: what they would need if every beam that goes into an iteration had a cache of its own, as DSBD's
    authors keep them (Sections 3.3 and 3.4), and rows were not shared; the same where there is one text.
    """
    held, most = dict[tuple[Role, int], int](), 0
    for iteration in iterations:
        copies = _copied_rows(iteration) if separate else 0
        largest = dict[tuple[Role, int], int]()
        for call in iteration.calls:
            model = model_of(call, header)
            size = (call.rows + call.tokens + copies) * (model.row_bytes if model else 0)
            largest[call.role, call.draft] = max(size, largest.get((call.role, call.draft), 0))
        held |= largest
        most = max(most, sum(held.values()))
    return most


def _copied_rows(iteration: Iteration) -> int:
    """Rows more than now that the texts of the input beams would take without sharing."""
    texts = [beam.tokens for beam in iteration.inputs]
    shared = {text[:length] for text in texts for length in range(1, len(text) + 1)}
    apart = sum(iteration.context_length + len(text) for text in texts)
    return max(0, apart - iteration.context_length - len(shared))
