"""What calls cost by counting, whatever the machine: arithmetic operations and cache bytes."""

from collections.abc import Iterable

from specviz.trace.record import Call, Header, ModelRecord


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


def total_flops(calls: Iterable[Call], header: Header) -> float:
    """Operations of all ``calls``, each charged to the model that made it (prediction heads: all their weights, once
    for each call)."""
    drafts = (header.draft, *header.drafts)

    def model(call: Call) -> ModelRecord | None:
        if call.role == "draft":
            return drafts[call.draft] if call.draft < len(drafts) else None
        return header.target if call.role == "target" else header.heads

    return sum(call_flops(found, call) for call in calls if (found := model(call)) is not None)
