"""Language models: token ids in, distributions out."""

import specviz.lm.optimized  # pyright: ignore[reportUnusedImport] # noqa: F401 (before anything of transformers)
from specviz.lm.language_model import LanguageModel, Scores, Session
from specviz.lm.ngram import NgramLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import Correlation, DenseCorrelation
from specviz.lm.parts.deciding import Decider, FunctionDecider
from specviz.lm.parts.heads import Heads, PredictionHeads, TableHeads
from specviz.lm.table import TableLM
from specviz.lm.trie import TokenTrie
from specviz.lm.warp import Warp

__all__ = [
    "Correlation",
    "Decider",
    "DenseCorrelation",
    "FunctionDecider",
    "Heads",
    "LanguageModel",
    "ModelPair",
    "NgramLM",
    "PredictionHeads",
    "Scores",
    "Session",
    "TableHeads",
    "TableLM",
    "TokenTrie",
    "Warp",
]
