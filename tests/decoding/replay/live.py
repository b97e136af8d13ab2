"""The forest of a recorded step with the models' own distributions, read anew: what a replay is held against."""

import math
from dataclasses import replace

import numpy as np

from specviz.decoding.registry.registry import find_method
from specviz.dice import RepeatedDice
from specviz.drafting.drafter import Beam, ScoredForest
from specviz.drafting.joint import joint_distribution
from specviz.rules.spec import VerifyContext, asked_warp
from specviz.trace.distribution import Distribution, conditional, one_hot
from specviz.trace.forest import LayerBeam, Proposal, finite


def model_distribution(model, text, warp):
    """The distribution after a text, over the whole vocabulary, by reading all of the text anew."""
    session = model.open(len(text) + 1)
    logits = session.extend(list(text), range(-1, len(text) - 1), last_only=True).logits
    probs, total = warp(logits)[0].numpy(), float(logits[0].logsumexp(-1))
    return Distribution(np.arange(len(probs)), probs, logits[0].numpy(), total, len(probs), True)


class Live:
    """The forest of a recorded step with the models' own distributions, every prefix read by itself."""

    def __init__(self, pair, trace, index, options, method=None):
        method = find_method(method or trace.header.method.name)
        self.drafter, self.verifier = method.pair(options)
        self.pair, self.options, self.warp = pair, method.full(options), asked_warp(options)
        self.target_warp = method.target_warp(options)
        self.iteration, self.header = trace.iterations[index], trace.header
        before = (e.token for iteration in trace.iterations[:index] for e in iteration.emitted)
        self.context = (*trace.header.prompt_tokens, *before)
        self.drafts = [pair.draft, *pair.drafts]

    def text(self, prefix):
        if prefix < 0:
            inputs = self.iteration.inputs
            return (*self.context, *inputs[-1 - prefix].tokens) if inputs else self.context
        node = self.iteration.forest.nodes[prefix]
        return (*self.text(node.parent), node.token)

    def target(self, prefix):
        return model_distribution(self.pair.target, self.text(prefix), self.target_warp)

    def draft(self, number):
        """The distribution that a node was drawn from."""
        nodes, drawing = self.iteration.forest.nodes, self.iteration.forest.drawing
        node = nodes[number]
        if node.root or node.score is not None or drawing == "deterministic":  # taken, not drawn; roots are not judged
            return one_hot(self.target(node.parent), node.token)
        draft = model_distribution(self.drafts[node.model], self.text(node.parent), self.warp)
        siblings = [n for n, one in enumerate(nodes) if (one.parent, one.model) == (node.parent, node.model)]
        if self.drafter.drawing(self.options) == "deterministic":  # a tree takes the likeliest tokens at temperature 0
            best = np.argsort(-draft.logits, kind="stable")[: len(siblings)]
            elders = [nodes[n].token for n in siblings if n < number]
            inside = node.token in best and node.token not in elders
            return one_hot(draft, node.token) if inside else draft.with_probs(draft.probs * 0)
        if drawing == "without_replacement":
            for elder in (nodes[n] for n in siblings if n < number):
                left = draft.probs.copy()
                left[elder.token] = 0.0
                draft = draft.with_probs(left / max(left.sum(), 1e-30))
        return draft

    def draft_logprob(self, start, text):
        """The draft's log-probability of what follows the first ``start`` tokens of a text."""
        return sum(
            model_distribution(self.pair.draft, text[:i], self.warp).logprob(text[i]) for i in range(start, len(text))
        )

    def layer(self, proposal, prefixes):
        """A layer of drafted beams: the joint is the product of the draft's distributions, warped as one. Where none of
        the texts is possible they count as equally likely."""
        beams, end = [], len(self.header.prompt_tokens)
        roots = [self.text(-1 - i) for i in range(len(self.iteration.inputs))]
        possible = any(self.draft_logprob(end, text) > -math.inf for text in roots)
        for prefix in prefixes:
            text = self.text(prefix)
            start = end if possible else max(len(root) for root in roots if text[: len(root)] == root)
            ended = text[end:] and text[-1] in self.pair.end_tokens
            following = None if ended else model_distribution(self.pair.draft, text, self.warp)
            beams.append(LayerBeam(prefix, finite(self.draft_logprob(start, text)), following))
        joint = joint_distribution(beams, self.warp)
        return Proposal(proposal.parents, (), (), proposal.draws, True, joint, tuple(beams))

    def scored(self):
        record, inputs = self.iteration.forest, self.iteration.inputs
        first = {}
        for prefix in (*(-1 - i for i in range(max(1, len(inputs)))), *range(len(record.nodes))):
            first.setdefault(self.text(prefix), prefix)
        nodes = [replace(node, draft=self.draft(number)) for number, node in enumerate(record.nodes)]
        layer, layers = [first[self.text(-1 - i)] for i in range(len(inputs))], []
        for proposal in record.layers if inputs else ():
            layers.append(self.layer(proposal, layer))
            layer = [first[self.text(prefix)] for prefix in proposal.draws]
        for proposal in layers:
            following = {beam.prefix: beam.next for beam in proposal.beams}
            for number in (n for n in proposal.nodes if n >= 0):
                parent = nodes[number].parent
                inside = proposal.joint.of_prefix(parent) > 0.0
                given = following[parent]
                draft = conditional(proposal.joint, parent, given) if inside else given.with_probs(given.probs * 0)
                nodes[number] = replace(nodes[number], draft=draft)
        beams = [
            Beam([*self.text(-1 - i)], -math.inf if beam.logprob is None else beam.logprob, beam.finished)
            for i, beam in enumerate(inputs)
        ] or [Beam([*self.context])]
        target = {-1 - i: self.target(-1 - i) for i, beam in enumerate(beams) if not beam.finished}
        target |= {node: self.target(node) for node in record.submitted}
        return ScoredForest(replace(record, nodes=nodes, layers=layers, target=target), tuple(beams))

    def verdict(self):
        header = self.header
        context = VerifyContext(
            self.target_warp,
            self.pair.end_tokens,
            len(header.prompt_tokens),
            header.options["max_new_tokens"],
            self.pair.target.vocab_size,
        )
        numbers = [one.uniform for one in self.iteration.decisions if hasattr(one, "uniform")]
        scored = self.scored()
        dice = RepeatedDice(numbers, (header.seed + 1) << 32 | self.iteration.index)
        return scored, self.verifier.build(context, self.options).verify(scored, dice)
