"""The forest of a recorded step with the models' own laws, read anew: what a replay is held against."""

import math

import numpy as np

from specviz.decoding.catalog import METHODS
from specviz.decoding.method import asked_warp
from specviz.decoding.replay import COINS, DRAWS
from specviz.decoding.workbench import Setting
from specviz.dice import RepeatedDice
from specviz.drafting.forest import Beam, Forest, LiveBeam, Proposal, ScoredForest, laws
from specviz.drafting.joint_law import joint_law
from specviz.drafting.layers import conditional
from specviz.lm.language_model import Scores


def model_law(model, text, warp):
    """The law after a text, by reading all of it anew."""
    session = model.open(len(text) + 1)
    logits = session.extend(list(text), range(-1, len(text) - 1), last_only=True).logits
    return laws(Scores(logits), warp)[0]


class Live:
    """The forest of a recorded step with the models' own laws, every place read by itself."""

    def __init__(self, pair, trace, index, options):
        self.pair, self.warp = pair, asked_warp(options)
        self.target_warp = METHODS[trace.header.method.name].warp(options)
        self.iteration, self.header = trace.iterations[index], trace.header
        before = (e.token for iteration in trace.iterations[:index] for e in iteration.emitted)
        self.context = (*trace.header.prompt_tokens, *before)
        self.drafts = [pair.draft, *pair.drafts]

    def text(self, place):
        if place < 0:
            inputs = self.iteration.inputs
            return (*self.context, *inputs[-1 - place].tokens) if inputs else self.context
        node = self.iteration.forest.nodes[place]
        return (*self.text(node.parent), node.token)

    def target(self, place):
        return model_law(self.pair.target, self.text(place), self.target_warp)

    def draft(self, number):
        """The law that a node was drawn from."""
        node = self.iteration.forest.nodes[number]
        if node.score is not None or node.root:  # taken, not drawn; roots are not judged
            return self.target(node.parent).certain(node.token)
        law = model_law(self.drafts[node.draft], self.text(node.parent), self.warp)
        if self.iteration.forest.drawing == "distinct":
            for elder in self.iteration.forest.nodes[:number]:
                if elder.parent == node.parent and elder.draft == node.draft:
                    left = law.probs.copy()
                    left[elder.token] = 0.0
                    law = law.with_probs(left / max(left.sum(), 1e-30))
        return law

    def draft_logprob(self, start, text):
        """The draft's log-probability of what follows the first ``start`` tokens of a text."""
        return sum(model_law(self.pair.draft, text[:i], self.warp).logprob(text[i]) for i in range(start, len(text)))

    def layer(self, proposal, places):
        """A layer of drafted beams: the joint is the product of the draft's laws, warped as one. Where none of the
        texts is possible they count as equally likely."""
        beams, end = [], len(self.header.prompt_tokens)
        roots = [self.text(-1 - i) for i in range(len(self.iteration.inputs))]
        possible = any(self.draft_logprob(end, text) > -math.inf for text in roots)
        for place in places:
            text = self.text(place)
            start = end if possible else max(len(root) for root in roots if text[: len(root)] == root)
            ended = text[end:] and text[-1] in self.pair.end_tokens
            law = None if ended else model_law(self.pair.draft, text, self.warp)
            beams.append(LiveBeam(place, self.draft_logprob(start, text), law))
        return Proposal(proposal.parents, (), (), proposal.order, True, joint_law(beams, self.warp))

    def scored(self):
        record, inputs = self.iteration.forest, self.iteration.inputs
        nodes, first = record.nodes, {}
        for place in (*(-1 - i for i in range(max(1, len(inputs)))), *range(len(nodes))):
            first.setdefault(self.text(place), place)
        forest = Forest(
            tokens=[node.token for node in nodes],
            parents=[node.parent for node in nodes],
            depths=[node.depth for node in nodes],
            submitted=[number for number, node in enumerate(nodes) if node.submitted],
            roots={number: "target" for number, node in enumerate(nodes) if node.root},
            drawing=record.drawing,
        )
        layer = [first[self.text(-1 - i)] for i in range(len(inputs))]
        for proposal in record.proposals if inputs else ():
            forest.proposals.append(self.layer(proposal, layer))
            layer = [first[self.text(place)] for place in proposal.order]
        forest.draft_laws = [self.draft(number) for number in range(len(nodes))]
        for proposal in forest.proposals:
            for number in (n for n in proposal.draws if n >= 0):
                size = len(forest.draft_laws[number].probs)
                inside = proposal.joint.places == nodes[number].parent
                probs = conditional(proposal.joint, nodes[number].parent, size) if inside.any() else np.zeros(size)
                forest.draft_laws[number] = forest.draft_laws[number].with_probs(probs)
        beams = [
            Beam([*self.text(-1 - i)], -math.inf if beam.logprob is None else beam.logprob, beam.finished)
            for i, beam in enumerate(inputs)
        ] or [Beam([*self.context])]
        roots = tuple(None if beam.finished else self.target(-1 - i) for i, beam in enumerate(beams))
        return ScoredForest(forest, roots, {node: self.target(node) for node in forest.submitted}, tuple(beams))

    def verdict(self, options):
        header = self.header
        setting = Setting(
            self.target_warp,
            self.pair.end_tokens,
            len(header.prompt_tokens),
            header.options["max_new_tokens"],
            self.pair.target.vocab_size,
        )
        numbers = [one.draw for one in self.iteration.decisions if one.rule in (*COINS, *DRAWS)]
        scored = self.scored()
        dice = RepeatedDice(numbers, (header.seed + 1) << 32 | self.iteration.index)
        return scored, METHODS[header.method.name].judge(setting, options).verify(scored, dice)
