"""The decoder: methods run, raced, judged, replayed, and their exact distributions."""

from specviz.decoding.exact.distribution import exact_distribution, target_distribution
from specviz.decoding.exact.guarantee_check import GuaranteeClaim, GuaranteeReport, check_guarantee
from specviz.decoding.exact.judge import Judgement, judge, score_forest
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.options import Option
from specviz.decoding.registry.registry import (
    drafters,
    methods,
    register_drafter,
    register_method,
    register_verifier,
    verifiers,
)
from specviz.decoding.registry.specs import DrafterSpec, VerifierSpec
from specviz.decoding.replay.judge_again import changeable, recorded_forest, replay
from specviz.decoding.run.loop import decode
from specviz.decoding.run.race import Lane, race
from specviz.decoding.run.stream import Stream, stream

__all__ = [
    "GuaranteeClaim",
    "DrafterSpec",
    "GuaranteeReport",
    "Judgement",
    "Lane",
    "Method",
    "Option",
    "Stream",
    "VerifierSpec",
    "changeable",
    "check_guarantee",
    "decode",
    "drafters",
    "exact_distribution",
    "judge",
    "methods",
    "race",
    "recorded_forest",
    "register_drafter",
    "register_method",
    "register_verifier",
    "replay",
    "score_forest",
    "stream",
    "target_distribution",
    "verifiers",
]
