"""How far a lossy method strays from the target: computed exactly, on a small pair of models that is always the same.

The number belongs to that pair. On other models it is another one, larger where the draft is worse; it is there to say
of two lossy methods which strays further, and to be shown beside them.
"""

from typing import Any

import numpy as np

from specviz.decoding.exact.distribution import exact_distribution, target_distribution
from specviz.decoding.registry.method import Method
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.trace.distribution import total_variation

VOCAB_SIZE = 3
PROMPTS = ((0,), (1,), (2,))
N_TOKENS = 2
SIZES = {"gamma": 2, "beams": 2, "width": 2, "depth": 1}
"""What keeps the enumeration short: sizes of drafts. Thresholds, which make the method what it is, stay."""


def reference_pair() -> ModelPair:
    """Target and draft over three tokens, float64: some tokens nearly certain, others open, as in text. The draft knows
    the target and is led astray: its probabilities are the target's times the root of another random model's."""
    target = TableLM.random(VOCAB_SIZE, seed=0, sharpness=2.0)
    other = TableLM.random(VOCAB_SIZE, seed=1, sharpness=2.0)

    def draft(context: tuple[int, ...]) -> np.ndarray:
        weights = target.probabilities(context) * np.sqrt(other.probabilities(context))
        return weights / weights.sum()

    return ModelPair(target, TableLM(draft, VOCAB_SIZE, name="random table 0, led astray by 1"))


def distance(method: Method, **options: Any) -> float:
    """Total variation, 0 to 1, between the distribution of the first two tokens that ``method`` writes and the target's
    own, on the reference pair, without warp; the mean over three prompts of one token each.

    Options default to the method's own defaults, but for the sizes of drafts (``SIZES``). For methods that write one
    text. Raises OptionError for wrong options.
    """
    pair = reference_pair()
    settings = {name: size for name, size in SIZES.items() if name in method.options} | options
    distances = []
    for prompt in PROMPTS:
        distribution = exact_distribution(pair, method, prompt, N_TOKENS, restart=not method.carries, **settings)
        distances.append(total_variation(distribution, target_distribution(pair, prompt, N_TOKENS)))
    return sum(distances) / len(distances)
