"""Language models: token ids in, distributions out."""

from specviz.lm.language_model import LanguageModel, Scores, Session
from specviz.lm.ngram import NgramLM
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.lm.trie import TokenTrie
from specviz.lm.warp import Warp

__all__ = ["LanguageModel", "ModelPair", "NgramLM", "Scores", "Session", "TableLM", "TokenTrie", "Warp"]
