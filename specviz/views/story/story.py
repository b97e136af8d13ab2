"""What is said about the scenes around the decisions: a title, a sentence with the numbers in it, a formula.

Words come from what was recorded and from the texts that the method's record carries, never from the method's name.
What is said about a decision is in the file of its rule (``specviz/rules``).
"""

from collections import Counter
from collections.abc import Sequence
from math import prod

from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import log_number, phrase, ranked_words
from specviz.facts.tokens import count, number, quoted, worked
from specviz.facts.words import ORIGINS
from specviz.pictures.shown import Telling, join
from specviz.trace.decisions import GuessTest, PrefixTest
from specviz.trace.forest import Node
from specviz.trace.record import BeamRecord, Iteration, Trace
from specviz.views.drafts.listening import listening_draft, reads_words
from specviz.views.drafts.mask_slice import drafted_depth, planned_tokens

DRAWINGS = {
    "independent": "independently, so copies can come up",
    "without_replacement": "without replacement",
    "search": "chosen by a search",
    "deterministic": "",
    "one_drawn": "the likeliest taken, and one drawn from the others",
}
"""How siblings were drawn, in words, where that is one of the known ways."""


def context(trace: Trace, iteration: Iteration) -> Telling:
    """Before anything happens."""
    rule = trace.header.method.texts.get("rule", "")
    if len(iteration.inputs) > 1:
        numbered = _beams(trace, iteration.inputs, numbered=True)
        opening = f"{count(iteration.context_length, 'token')} are settled; after them {numbered}."
        return Telling("The texts so far", join(opening, rule), "")
    last = quoted(trace.vocabulary, facts.token_at(iteration, facts.ROOT))
    length = iteration.context_length + len(facts.own_tokens(iteration, facts.ROOT))
    before = length - 1
    holds = "the one" if before == 1 else f"the {before:,}"
    cached = f"The target's cache holds {holds} before it" if before else ""
    return Telling(
        "The text so far",
        join(
            f"The text is {count(length, 'token')} long and ends with {last}.",
            f"{cached}; {last} itself goes into the next target call." if before else "",
            rule,
        ),
        "",
    )


def _beams(trace: Trace, beams: tuple[BeamRecord, ...], *, numbered: bool = False) -> str:
    """The beams of a multiset: their own tokens, copies counted, log-probabilities; ``numbered`` as the pictures and
    sentences of an iteration call those that it begins with."""
    keys = [(beam.tokens, beam.logprob, beam.finished) for beam in beams]
    parts = []
    for (tokens, logprob, finished), copies in Counter(keys).items():
        own = phrase(trace.vocabulary, tokens) if tokens else "(nothing open)"
        own = f"{1 + keys.index((tokens, logprob, finished))}: {own}" if numbered and len(beams) > 1 else own
        parts.append(
            own + f" {log_number(logprob)}" + (f" ×{copies}" if copies > 1 else "") + (" (ended)" if finished else "")
        )
    noun = "beam stands" if len(beams) == 1 else "beams stand"
    whose = "its" if len(beams) == 1 else "their"
    what = f"the logarithm of {whose} probability before temperature, top-k and top-p"
    return f"{len(beams)} {noun}, with {what}: {', '.join(parts)}"


def draft_layer(trace: Trace, iteration: Iteration, depth: int) -> Telling:
    """The nodes of one depth appear."""
    nodes, texts = facts.nodes_of(iteration), trace.header.method.texts
    numbers = [n for n, node in enumerate(nodes) if node.depth == depth]
    layer = [nodes[n] for n in numbers]
    forest = facts.forest_of(iteration)
    proposals = [p for p in forest.proposals if p.nodes and nodes[p.nodes[0]].depth == depth]
    lead = texts.get("draft", "") if depth == 1 else ""
    scored = all(node.score is not None for node in layer)
    listed = _listed(trace, iteration, layer, scored)
    if all(node.root for node in layer):
        return Telling(
            "First tokens, from the target", join(lead, _roots(layer, listed, bool(proposals), forest.drawing)), ""
        )
    if scored:
        by = "its share of the posterior of all candidates" if forest.hypotheses else "what it ranks them by"
        what = (
            f"At depth {depth} the draft ranks its guesses and draws nothing at random (in brackets, {by}): {listed}."
        )
    elif not proposals or all(node.draft_prob == 1.0 for node in layer):
        what = f"At depth {depth} the draft draws nothing at random: {listed}."
    elif len(layer) == 1:
        token, prob = quoted(trace.vocabulary, layer[0].token), number(layer[0].draft_prob)
        what = f"At depth {depth} the draft draws {token}, to which it gives probability {prob}."
    elif any(len(proposal.parents) > 1 or proposal.joint is not None for proposal in proposals):
        how = "with replacement, so copies can come up" if proposals[0].replacement else "without replacement"
        how = _own_way(forest.drawing) or how
        what = (
            f"At depth {depth} the draft draws {count(len(layer), 'continuation')} {how}, a sequence being likelier "
            f"the larger the product of its draft probabilities (in brackets, that of the last token, given those "
            f"before it): {listed}."
        )
    else:
        prefixes = len({node.parent for node in layer})
        how = _each(proposals, len(layer), forest.drawing)
        condition = " after its own prefix; these need not sum to 1" if prefixes > 1 else ""
        what = (
            f"At depth {depth} the draft draws {count(len(layer), 'candidate')} at {count(prefixes, 'position')}{how} "
            f"(in brackets, each one's draft probability{condition}): {listed}."
        )
    formula = _product(iteration, depth) if proposals else ""
    draft = listening_draft(trace, iteration)
    reads = reads_words(trace, draft, depth) if draft and depth <= 2 else ""
    return Telling(
        f"Draft, depth {depth}",
        join(
            lead,
            what,
            reads,
            _models(trace, layer),
            _estimates(layer),
            _deeper(nodes, depth),
        ),
        formula,
    )


def _deeper(nodes: tuple, depth: int) -> str:
    """What is said of guesses below the deepest that are drawn."""
    deepest = max(node.depth for node in nodes)
    if depth < facts.DEEPEST or deepest == depth:
        return ""
    return f"The draft goes on to depth {deepest}, which is more than the pictures show."


def _own_way(drawing: str) -> str:
    """A drafter's own way of drawing siblings, as it names it; "" for those that are known."""
    return "" if drawing in DRAWINGS else f"in a way of its own ({drawing})"


def _roots(layer: list, listed: str, by_chance: bool, drawing: str) -> str:
    how = "are drawn without replacement from" if by_chance else "are the likeliest under"
    if by_chance and _own_way(drawing):
        how = f"are drawn {_own_way(drawing)} from"
    if len(layer) == 1:
        how = "is drawn from" if by_chance else "is the likeliest under"
    noun = "first token" if len(layer) == 1 else "first tokens"
    known = "known from before (in brackets, the probability)"
    return f"{len(layer)} {noun} {how} the target's distribution, {known}: {listed}."


def _listed(trace: Trace, iteration: Iteration, layer: Sequence[Node], scored: bool, most: int = 4) -> str:
    """The first tokens of a layer with their numbers; where they follow different tokens, each list after its own."""
    lists: dict[int, list[str]] = {}
    for node in layer[:most]:
        word = f"{quoted(trace.vocabulary, node.token)} ({number(facts.ranking(node, scored))})"
        lists.setdefault(node.parent, []).append(word)
    if scored or len({node.parent for node in layer}) == 1:
        listing = ", ".join(word for words in lists.values() for word in words)
    else:
        listing = "; ".join(
            f"after {quoted(trace.vocabulary, facts.token_at(iteration, parent))}: {', '.join(words)}"
            for parent, words in lists.items()
        )
    return listing + (f" and {len(layer) - most} more" if len(layer) > most else "")


def _each(proposals: list, candidates: int, drawing: str) -> str:
    drawn = [len(proposal.nodes) for proposal in proposals]
    if max(drawn) == 1 and sum(drawn) == candidates:
        return ", one at each"
    how = DRAWINGS.get(drawing, _own_way(drawing))
    return f", {how}" if how else ""


def _models(trace: Trace, layer: list) -> str:
    """Which draft models the nodes come from, where there are several."""
    if not trace.header.drafts or not any(node.model for node in layer):
        return ""
    names = [trace.header.draft.name if trace.header.draft else "", *(model.name for model in trace.header.drafts)]
    counts = Counter(node.model for node in layer)
    parts = [f"{counts[n]} from {names[n] if n < len(names) else n + 1} [{n + 1}]" for n in sorted(counts)]
    return f"They come from several draft models: {', '.join(parts)}."


def _estimates(layer: list) -> str:
    """What the decision model expects of the layer."""
    values = [node.estimate for node in layer if node.estimate is not None]
    if not values:
        return ""
    return f"The decision model estimates acceptances from {number(min(values))} to {number(max(values))}."


def _product(iteration: Iteration, depth: int) -> str:
    """The joint draft probability of the one submitted path, once it is whole."""
    nodes = facts.nodes_of(iteration)
    path = [node for node in nodes if node.submitted and node.depth <= depth]
    product = prod(node.draft_prob for node in path)
    last = depth == max(node.depth for node in nodes)
    if not (last and 1 < len(path) == depth <= 8 and product < 1.0):
        return ""
    total = number(product)
    factors = " × ".join(worked(total, lambda *probs: prod(probs), *(node.draft_prob for node in path)))
    return f"draft probability of the submitted path: {factors} = {total}"


def target_pass(trace: Trace, iteration: Iteration) -> Telling:
    """The one target call over the last tokens of the text or beams and the submitted nodes."""
    if facts.is_by_hand(iteration):
        what = (
            "The target reads the last context token, to say what it thinks of the next one. Nothing is drafted here."
        )
        return Telling("What the target would say", what, "")
    nodes, texts = facts.nodes_of(iteration), trace.header.method.texts
    rows = facts.read_prefixes(iteration)
    beams = sum(prefix < 0 for prefix in rows)
    sent, nodes_sent = len(rows) - beams, len(facts.submitted(nodes))
    left = len(nodes) - nodes_sent
    begin = "the last context token" if beams == 1 else f"the last token of each of {beams} different beams"
    if beams == 1 and len(iteration.inputs) > 1:
        begin = "the last token of the only beam that goes on"
    if sent:
        what = (
            f"All {len(rows)} tokens go in at once: {begin} and {count(sent, 'drafted token')}. The mask lets each see "
            "only the context and its own ancestors, so this one call gives the target's probabilities at "
            f"{count(len(rows), 'position')}."
        )
    elif beams == 1:
        what = f"The target reads {begin} alone and gives the probabilities of the next one."
        if trace.header.draft and not nodes:
            limit = iteration.notes.get("draft_context")
            why = f": the text is longer than the {limit:,.0f} tokens that the draft can read" if limit else ""
            return Telling("One target call", join(f"Nothing was drafted{why}.", texts.get("draft", ""), what), "")
    else:
        what = f"The target reads {begin} and gives the probabilities of the next one."
    shared = (
        f"{count(nodes_sent - sent, 'copy').replace('copys', 'copies')} of the same text share"
        f"{'s' if nodes_sent - sent == 1 else ''} a row."
        if nodes_sent > sent
        else ""
    )
    rest = "that the draft ranked lower" if any(node.score is not None for node in nodes) else "of other beams"
    spared = f"{count(left, 'drafted token')} {rest} {'is' if left == 1 else 'are'} not sent." if left else ""
    cut = ""
    if planned_tokens(iteration):
        planned = facts.forest_of(iteration).planned_depth
        cut = (
            f"Drafting stopped at {drafted_depth(iteration)} of {planned} planned: of the mask "
            f"built for all of them a slice is used, {planned_tokens(iteration)} rows fewer."
        )
    return Telling("One target call", join(texts.get("verify", ""), what, shared, spared, cut), "")


def without_effect(trace: Trace, iteration: Iteration, decision_indices: tuple[int, ...]) -> Telling:
    """Tests below tokens that failed, told together."""
    tests = [iteration.decisions[index - 1] for index in decision_indices]
    passing = sum(isinstance(test, PrefixTest) and test.passes for test in tests)
    alone = "Every one fails by itself too." if not passing else f"{passing} of them would pass by themselves."
    what = (
        f"These {len(decision_indices)} tokens stand below one that failed, so they cannot be kept, whatever they are."
    )
    return Telling(f"{len(decision_indices)} tests without effect", join(what, alone), "")


def many(trace: Trace, iteration: Iteration, decision_indices: tuple[int, ...]) -> Telling:
    """Decisions of which there are too many to tell one by one."""
    more = len(decision_indices)
    what = f"This iteration has {count(len(iteration.decisions), 'decision')}. {more} of them are not told one by one"
    return Telling(f"{more} more decisions", f"{what}; the picture shows what came of them.", "")


def commit(trace: Trace, iteration: Iteration) -> Telling:
    """What became text and why, which beams go on, and which cache rows stay."""
    emitted = iteration.emitted
    origins = [token.origin for token in emitted]
    parts = [f"{origins.count(origin)} {words.short}" for origin, words in ORIGINS.items() if origin in origins]
    rows_in = len(facts.read_prefixes(iteration))
    grown = f"The target's cache held {count(rows_in, 'row')} more during the call and keeps {iteration.rows:,}"
    tokens = ranked_words(trace, [token.token for token in emitted])
    if not iteration.beams:
        freed = iteration.context_length - 1 + rows_in - iteration.rows
        stays, go = rows_in - freed, "goes" if freed == 1 else "go"
        fate = f"{stays} {'stays' if stays == 1 else 'stay'}, {freed} {go}" if freed else "none goes"
        grown = f"The target's cache grew by {count(rows_in, 'row')}: {fate}, which makes {iteration.rows:,}"
        gave = "Somebody" if facts.is_by_hand(iteration) else "One target call"
        what = f"{gave} gave {tokens}: {', '.join(parts)}.{_cut(trace, iteration)} {grown}; "
        what += "the last token has no row yet: the next target call reads it."
        what = join(_winner(trace, iteration), what)
        calls = 0 if facts.is_by_hand(iteration) else 1
        return Telling(_title(emitted), what, f"{count(len(emitted), 'token')} / {count(calls, 'target call')}")
    steps = f"Every beam grew by {count(iteration.steps or 0, 'token')}."
    agreed = (
        f"All beams agree on {tokens}, so it becomes output: {', '.join(parts)}."
        if emitted
        else "The beams differ in their first open token, so nothing becomes output yet."
    )
    last = iteration.index == len(trace.iterations) - 1 and trace.stop != "stopped"
    if last and emitted:
        agreed = f"The run ends: what the most likely beam has becomes output, {tokens}: {', '.join(parts)}."
    going = "" if last else f"Now {_beams(trace, iteration.beams)}."
    return Telling(
        _title(emitted),
        join(steps, agreed, going, f"{grown}; each beam's last token has no row yet."),
        f"{count(iteration.steps or 0, 'token')} a beam, {count(len(emitted), 'token')} settled / 1 target call",
    )


def _winner(trace: Trace, iteration: Iteration) -> str:
    """Of several chains with first tokens of their own: which one goes furthest, and why it is text."""
    nodes = facts.nodes_of(iteration)
    winner = next((n for n, node in enumerate(nodes) if node.root and node.outcome == "accepted"), None)
    if winner is None:
        return ""
    passed: Counter = Counter()
    for decision in iteration.decisions:
        if isinstance(decision, GuessTest):
            root = [prefix for prefix in facts.ancestors(nodes, decision.node) if prefix >= 0][-1]
            passed[root] += decision.accepted
    rival = max((n for root, n in passed.items() if root != winner), default=0)
    others = f", the best of the others {rival}" if sum(node.root is not None for node in nodes) > 1 else ""
    others = ", as many as the best of the others" if others and rival == passed[winner] else others
    token = quoted(trace.vocabulary, nodes[winner].token)
    finish = trace.header.method.texts.get("finish", "")
    return join(f"The chain of {token} has {count(passed[winner], 'accepted draft')}{others}.", finish)


def _title(emitted: tuple) -> str:
    return f"Committed: {count(len(emitted), 'token')}" if emitted else "Committed: nothing yet"


def _cut(trace: Trace, iteration: Iteration) -> str:
    """How many tokens the length limit, an end token or a branch cut."""
    written = {token.node for token in iteration.emitted}
    drawn = facts.draw_of(iteration.decisions)
    path = set()
    if drawn is not None:
        path = {
            prefix
            for prefix in (drawn.prefix, *facts.ancestors(facts.nodes_of(iteration), drawn.prefix))
            if prefix >= 0
        }
    lost = len(path - written) + (drawn is not None and not facts.draw_emitted(iteration))
    if iteration.index < len(trace.iterations) - 1:
        return f" {count(lost, 'token')} more gave way to what follows: a branch of the text." if lost else ""
    return f" {count(lost, 'token')} more would pass the end of the text." if lost else ""
