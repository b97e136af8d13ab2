"""What one draft call costs in target calls, measured once per pair."""

from statistics import median

from specviz.lm.language_model import LanguageModel
from specviz.lm.pair import ModelPair
from specviz.lm.threads import threads_for
from specviz.measure.clock import stopwatch
from specviz.measure.devices import synchroniser

ROUNDS, CONTEXT = 9, 32


def cost_ratio(pair: ModelPair, number: int = 1) -> float:
    """c of speculative-decoding.txt, Definition 3.7: a one-token draft call over a one-token target call, by time;
    ``number`` counts the pair's draft models from 1.

    Medians of nine interleaved calls behind 32 rows, device work included; measured at the first request and kept in
    ``pair.cost_ratio`` (``further_cost_ratios``). At least .001 (drafts that are no networks).
    """
    if number > 1:
        if number not in pair.further_cost_ratios:
            pair.further_cost_ratios[number] = _measured(pair, pair.drafts[number - 2])
        return pair.further_cost_ratios[number]
    if pair.cost_ratio is None:
        pair.cost_ratio = _measured(pair, pair.draft or pair.target)
    return pair.cost_ratio


def _measured(pair: ModelPair, draft: LanguageModel) -> float:
    times = {"target": [], "draft": []}
    models = {"target": pair.target, "draft": draft}
    sessions = {role: model.open(CONTEXT + ROUNDS + 1) for role, model in models.items()}
    for session in sessions.values():
        session.extend([0] * CONTEXT, range(-1, CONTEXT - 1), last_only=True)
    with threads_for(pair):
        for _ in range(ROUNDS):
            for role, session in sessions.items():
                with stopwatch(synchroniser(models[role])) as watch:
                    session.extend([0], [len(session.trie) - 1])
                times[role].append(watch.seconds)
    return max(0.001, round(median(times["draft"]) / median(times["target"]), 4))
