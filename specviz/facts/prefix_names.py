"""How prefixes, beams and pairs are called in sentences and labels."""

from collections.abc import Mapping, Sequence

from specviz.facts import iteration_facts as facts
from specviz.facts.tokens import joined, label, number, quoted
from specviz.trace.record import Iteration, Trace


def prefix_name(iteration: Iteration, prefix: int) -> str:
    """``node 3``, ``the last context token``, or ``beam 2`` where there are several (``beam 1 (×2)`` for copies)."""
    if prefix >= 0:
        return f"node {prefix}"
    if len(iteration.inputs) < 2:
        return "the last context token"
    copies = copies_of(iteration, prefix)
    return f"beam {-prefix}" + (f" (×{copies})" if copies > 1 else "")


def after_name(iteration: Iteration, prefix: int) -> str:
    """What a token follows: ``the context``, ``beam 2``, ``node 3``."""
    return "the context" if prefix < 0 and len(iteration.inputs) < 2 else prefix_name(iteration, prefix)


def beam_number(iteration: Iteration, prefix: int) -> str:
    """What stands before the text of one of several input beams, which sentences call by its number; "" for others."""
    return f"{-prefix}: " if prefix < 0 and len(iteration.inputs) > 1 else ""


def copies_of(iteration: Iteration, root: int) -> int:
    """How many input beams have the text of this one."""
    first = facts.first_of_text(iteration)
    return sum(first[other] == first[root] for other in facts.roots_of(iteration))


def phrase(vocabulary: Mapping[int, str], tokens: Sequence[int], limit: int = 40) -> str:
    """Several tokens as one quoted run; a long one keeps its end."""
    return f"“{joined(vocabulary, tokens, limit)}”"


def root_label(trace: Trace, iteration: Iteration, root: int, limit: int) -> str:
    """A root in a drawing: its number among several beams, its own tokens' end, how many copies there are, whether it
    has ended."""
    own = facts.own_tokens(iteration, root) or (facts.token_at(iteration, root),)
    copies, begin = copies_of(iteration, root), beam_number(iteration, root)
    end = (f" ×{copies}" if copies > 1 else "") + (" ∎" if facts.is_finished(iteration, root) else "")
    return begin + joined(trace.vocabulary, own, max(3, limit - len(begin + end))) + end


def next_name(trace: Trace, iteration: Iteration, prefix: int, token: int, limit: int = 10) -> str:
    """A pair of a beam and its next token, for a label: the end of the beam's own text, an arrow, the token."""
    own = facts.text_at(iteration, prefix) or (facts.token_at(iteration, prefix),)
    return f"{joined(trace.vocabulary, own, limit)} → {next_token(trace, token, limit)}"


def next_token(trace: Trace, token: int, limit: int = 40) -> str:
    """A token as text; of a beam that has ended, that it stays."""
    return "stays (ended)" if token == facts.STAYS else label(trace.vocabulary, token, limit)


def quoted_next(trace: Trace, token: int) -> str:
    """``next_token`` for a sentence."""
    return "nothing more (it has ended)" if token == facts.STAYS else quoted(trace.vocabulary, token)


def log_number(value: float | None) -> str:
    """A logarithm for a sentence, minus infinity included."""
    return "−∞" if value is None else number(value).replace("-", "−")


def ranked_words(trace: Trace, tokens: Sequence[int]) -> str:
    """Tokens one after another, for a sentence."""
    return " ".join(quoted(trace.vocabulary, token) for token in tokens)
