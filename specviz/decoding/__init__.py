"""Methods as pairings on one loop: the catalog, the loop, races, exact laws."""

from specviz.decoding.catalog import Method, methods
from specviz.decoding.exact import exact_law
from specviz.decoding.judge import Judgement, judge, score_forest
from specviz.decoding.loop import Run, decode
from specviz.decoding.options import Option
from specviz.decoding.race import Lane, race
from specviz.decoding.replay import changeable, recorded_forest, replay

__all__ = [
    "Judgement",
    "Lane",
    "Method",
    "Option",
    "Run",
    "changeable",
    "decode",
    "exact_law",
    "judge",
    "methods",
    "race",
    "recorded_forest",
    "replay",
    "score_forest",
]
