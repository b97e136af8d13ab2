"""specviz: see speculative decoding happen.

``load_pair`` gives a target and a draft, ``decode`` runs a method and returns its trace, ``race`` runs several,
``exact_distribution`` computes the distribution of a decoder's output on a small model, ``judge`` what any verifier
makes of one frozen forest, ``replay`` what becomes of a recorded step when a coin or an option is another. Traces are
saved and loaded as JSON.
"""

from specviz import interrupt as _interrupt  # noqa: F401, I001  # before all that takes long to import
from specviz.decoding import (
    DrafterSpec,
    Judgement,
    Lane,
    Method,
    Option,
    VerifierSpec,
    changeable,
    decode,
    drafters,
    exact_distribution,
    judge,
    methods,
    race,
    recorded_forest,
    register_drafter,
    register_method,
    register_verifier,
    replay,
    score_forest,
    verifiers,
)
from specviz.errors import ModelError, OptionError, PromptError, ReplayError, SpecvizError, TraceError
from specviz.lm.ngram import NgramLM
from specviz.lm.pair import ModelPair, load_pair
from specviz.lm.table import TableLM
from specviz.trace.record import Trace
from specviz.trace.store import load_trace
from specviz.version import __version__

__all__ = [
    "DrafterSpec",
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
    "VerifierSpec",
    "__version__",
    "changeable",
    "decode",
    "drafters",
    "exact_distribution",
    "judge",
    "load_pair",
    "load_trace",
    "methods",
    "race",
    "recorded_forest",
    "register_drafter",
    "register_method",
    "register_verifier",
    "replay",
    "score_forest",
    "verifiers",
]
