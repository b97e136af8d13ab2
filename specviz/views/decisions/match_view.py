"""Two lists side by side, what agrees joined: candidates against the target's choice, the draft's beams against the
target's best."""

from collections.abc import Sequence
from math import exp

from specviz.trace.decisions import GreedyMatch, SearchStep
from specviz.trace.record import Iteration, Trace
from specviz.views.facts.iteration_facts import nodes_of, siblings
from specviz.views.facts.prefix_names import log_number, next_name
from specviz.views.facts.scene_parts import Moment, Shown, Telling, join
from specviz.views.facts.tokens import label, number, quoted
from specviz.views.pictures.bars import bars_picture, bars_text, token_choices
from specviz.views.pictures.charts import failing, passing
from specviz.views.pictures.shapes import Entry, ListEntry, Lists, Picture

_KEY = passing("in both lists, joined"), failing("in one alone")


def show_match(moment: Moment) -> Shown:
    """One candidate against the target's most likely token."""
    decision, trace = moment.decision, moment.trace
    judged = [
        d
        for d in siblings(moment.iteration, nodes_of(moment.iteration)[decision.node].parent)
        if isinstance(d, GreedyMatch)
    ]
    judged = [d for d in judged if d.candidate <= decision.candidate]
    token, best = moment.token, quoted(trace.vocabulary, decision.best)
    of = f", candidate {decision.candidate + 1} of {decision.candidates}" if decision.candidates > 1 else ""
    verdict = "accepted" if decision.accepted else "rejected"
    what, formula = _argmax(moment, token, best)
    telling = Telling(
        f"Token {decision.depth}{of}, {token}: {verdict}",
        join(what, moment.reason),
        f"{formula}: {'accept' if decision.accepted else 'reject'} (no coin is flipped)",
    )
    panels = {
        "probabilities": (f"probabilities-{moment.decision_index}", match_target_picture(moment)),
        "decision": (f"match-{moment.decision_index}", match_picture(trace, judged)),
    }
    return Shown(telling, panels)


def _argmax(moment: Moment, token: str, best: str) -> tuple[str, str]:
    """The candidate beside the target's choice, in a sentence and as a formula; of a rule that goes by something else,
    what that says of itself."""
    decision = moment.decision
    if decision.accepted != (decision.token == decision.best) or not is_likeliest(decision):
        return moment.said.get("rule", ""), "by the method’s own rule"
    if decision.accepted:
        return f"The target's most likely token here is {best}, and so is this candidate.", f"{token} = argmax target"
    return (
        f"The target's most likely token here is {best}; this candidate is {token}{_likelihood(decision)}.",
        f"{token} ≠ argmax target = {best}",
    )


def is_likeliest(decision: GreedyMatch) -> bool:
    """Whether what the decision calls the target's best is likelier than all else there."""
    return bool(decision.target.prob(decision.best) >= decision.target.probs.max(initial=0.0))


def _likelihood(decision: GreedyMatch) -> str:
    """How likely the target finds the candidate, before temperature, top-k and top-p."""
    value = decision.target.raw_logprobs().get(decision.token)
    return "" if value is None else f", with probability {number(exp(value))}"


def match_target_picture(moment: Moment) -> Picture:
    """The target's distribution at the position, its choice marked: the model's own probabilities, for the warped
    distribution of greedy decoding is one-hot and says nothing more."""
    decision, prefix = moment.decision, nodes_of(moment.iteration)[moment.decision.node].parent
    table = {token: exp(value) for token, value in decision.target.raw_logprobs().items()}
    choices = token_choices(moment.trace, moment.iteration, prefix, table, decision.best)
    words = bars_text("Target, raw probabilities", choices, "its choice")
    mark = Entry("target", "◆", "the target's choice")
    return bars_picture("target, raw probabilities", choices, mark, "target", words)


def match_text(trace: Trace, decisions: Sequence[GreedyMatch]) -> str:
    """The candidates for a position judged so far."""
    best = quoted(trace.vocabulary, decisions[0].best)
    parts = [f"{quoted(trace.vocabulary, d.token)} {'matches' if d.accepted else 'does not'}" for d in decisions]
    return f"The target's choice is {best}. Candidates so far: {', '.join(parts)}."


def match_picture(trace: Trace, decisions: Sequence[GreedyMatch]) -> Picture:
    """Candidates for a position judged so far on the left, the target's choice on the right, joined where they
    match."""
    left = tuple(ListEntry(label(trace.vocabulary, d.token, 16), d.accepted, d.node) for d in decisions)
    found = next((d.node for d in decisions if d.accepted), None)
    right = (ListEntry(label(trace.vocabulary, decisions[0].best, 16), found is not None, found),)
    joins = tuple((at, 0) for at, decision in enumerate(decisions) if decision.accepted)
    lists = Lists(("candidates", "target’s choice"), left, right, joins)
    return Picture((lists,), match_text(trace, decisions), _KEY)


def show_search(moment: Moment) -> Shown:
    """One step of beam search on the target, against the draft's beams of that layer."""
    decision, iteration, trace = moment.decision, moment.iteration, moment.trace
    found = sum(node is not None for node in decision.nodes)
    many = len(decision.tokens)
    if decision.accepted:
        best = "The target's best beam is" if many == 1 else f"All of the target's {many} best beams are"
        what = f"{best} among the draft's {len(decision.drafted)}: the search goes on."
    elif decision.drafted:
        missing = many - found
        what = (
            f"{missing} of the target's {many} best beams {'is' if missing == 1 else 'are'} not among the draft's "
            f"{len(decision.drafted)}: the target's own are kept and the iteration ends."
        )
    else:
        what = f"Nothing is drafted at this depth: the target's own {many} best beams are kept."
    short = "the draft falls short" if decision.drafted else "the target alone"
    outcome = "all drafted" if decision.accepted else short
    best = next_name(trace, iteration, decision.parents[0], decision.tokens[0], 16) if many else ""
    telling = Telling(
        f"Search, depth {decision.depth}: {outcome}",
        join(what, moment.said.get("accept" if decision.accepted else "reject", "") if decision.drafted else ""),
        f"best: “{best}”, log joint = {log_number(decision.logprobs[0])}" if many else "",
    )
    picture = search_picture(trace, iteration, decision)
    return Shown(telling, {"decision": (f"search-{moment.decision_index}", picture)})


def _drafted_names(trace: Trace, iteration: Iteration, decision: SearchStep) -> list[str]:
    nodes = nodes_of(iteration)
    return [next_name(trace, iteration, nodes[node].parent, nodes[node].token) for node in decision.drafted]


def search_text(trace: Trace, iteration: Iteration, decision: SearchStep) -> str:
    """Both lists in sentences."""
    best = [
        f"“{next_name(trace, iteration, prefix, token, 16)}” {log_number(value)}"
        + (" (drafted)" if node is not None else "")
        for prefix, token, value, node in zip(
            decision.parents, decision.tokens, decision.logprobs, decision.nodes, strict=True
        )
    ]
    drafted = [f"“{name}”" for name in _drafted_names(trace, iteration, decision)]
    lines = [f"The target's best beams at depth {decision.depth}, with their joint log-probability: {', '.join(best)}."]
    lines.append(f"The draft's beams: {', '.join(drafted)}." if drafted else "The draft has no beams there.")
    return "\n".join(lines)


def search_picture(trace: Trace, iteration: Iteration, decision: SearchStep) -> Picture:
    """The target's best beams on the left with their joint log-probabilities, the draft's on the right, the same ones
    joined."""
    names = [
        f"{next_name(trace, iteration, prefix, token, 8)}  {log_number(value)}"
        for prefix, token, value in zip(decision.parents, decision.tokens, decision.logprobs, strict=True)
    ]
    left = tuple(ListEntry(name, node is not None, node) for name, node in zip(names, decision.nodes, strict=True))
    right = tuple(
        ListEntry(name, node in decision.nodes, node)
        for name, node in zip(_drafted_names(trace, iteration, decision), decision.drafted, strict=True)
    )
    joins = tuple((at, decision.drafted.index(n)) for at, n in enumerate(decision.nodes) if n in decision.drafted)
    lists = Lists(("target’s best", "draft’s beams"), left, right, joins)
    return Picture((lists,), search_text(trace, iteration, decision), _KEY)
