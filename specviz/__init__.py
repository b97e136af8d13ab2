"""specviz: see speculative decoding happen.

``load_pair`` gives a target and a draft, ``decode`` runs a method and returns its trace, ``race`` runs several,
``exact_law`` computes the law of a decoder on a small model, ``judge`` what any verifier makes of one frozen forest,
``replay`` what becomes of a recorded step when a coin or an option is another. Traces are saved and loaded as JSON.
"""

from specviz.decoding import (
    Judgement,
    Lane,
    Method,
    Option,
    changeable,
    decode,
    exact_law,
    judge,
    methods,
    race,
    recorded_forest,
    replay,
    score_forest,
)
from specviz.errors import ModelError, OptionError, PromptError, ReplayError, SpecvizError, TraceError
from specviz.lm.ngram import NgramLM
from specviz.lm.pair import ModelPair, load_pair
from specviz.lm.table import TableLM
from specviz.trace.record import Trace
from specviz.trace.store import load_trace
from specviz.version import __version__

__all__ = [
    "Judgement",
    "Lane",
    "Method",
    "ModelError",
    "ModelPair",
    "NgramLM",
    "Option",
    "OptionError",
    "PromptError",
    "ReplayError",
    "SpecvizError",
    "TableLM",
    "Trace",
    "TraceError",
    "__version__",
    "changeable",
    "decode",
    "exact_law",
    "judge",
    "load_pair",
    "load_trace",
    "methods",
    "race",
    "recorded_forest",
    "replay",
    "score_forest",
]
