"""specviz: see speculative decoding happen.

``load_pair`` gives a target and a draft (``TransformerLM`` makes a model of one that is loaded already), ``decode``
runs a method and returns its trace, ``stream`` hands over iteration by iteration, ``race`` runs several methods.
``exact_distribution`` computes the distribution of a decoder's output on a small model, ``target_distribution`` that of
plain decoding, ``total_variation`` how far apart two are; ``check_guarantee`` holds a method to what it claims.
``sweep`` runs a grid of settings on many prompts and seeds, a row for each run, and resumes where it was broken off.
``judge`` says what any verifier makes of one frozen forest, ``replay`` what becomes of a recorded step when a coin or
an option is another, ``branch`` how the text goes on from there, or behind a token put by hand. Traces are saved and
loaded as JSON; ``step_figures`` draws a step with plotly, which is imported only then.

A drafter, a verifier or a rule of one's own needs nothing but these names (docs/recipes); ``decisions``, ``ranges`` and
``shapes`` are modules: what a rule's decision may be, what its numbers are, and what its picture is made of.
"""

from specviz import command_line as command_line  # noqa: I001  # before all that takes long to import

from importlib import import_module
from typing import TYPE_CHECKING

from specviz.decoding.exact.distribution import exact_distribution, target_distribution
from specviz.decoding.exact.guarantee_check import GuaranteeClaim, GuaranteeReport, check_guarantee
from specviz.decoding.exact.judge import Judgement, judge, score_forest
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.plugins import load_plugins
from specviz.decoding.registry.parts import drafters, register_drafter, register_verifier, verifiers
from specviz.decoding.registry.registry import methods, register_method
from specviz.decoding.registry.specs import DrafterSpec
from specviz.decoding.replay.branch import branch
from specviz.decoding.replay.judge_again import changeable, recorded_forest, replay
from specviz.decoding.run.loop import decode
from specviz.decoding.run.race import Lane, race
from specviz.decoding.run.stream import Stream, stream
from specviz.drafting.chain import ChainDrafter
from specviz.drafting.drafter import Drafter
from specviz.errors import ModelError, OptionError, PromptError, ReplayError, SpecvizError, TraceError
from specviz.lab.sweep.running import sweep
from specviz.lm.loading.pairs import load_pair
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.ngram import NgramLM
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.options import Option
from specviz.pictures import shapes
from specviz.pictures.bars import target_bars
from specviz.pictures.shown import Shown, Telling
from specviz.rules.spec import VerifierSpec
from specviz.rules.token import Coin
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace import decisions, ranges
from specviz.trace.distribution import Distribution, one_hot, residual, total_variation, without
from specviz.trace.forest import Forest
from specviz.trace.record import Trace
from specviz.trace.store import load_trace, save_trace
from specviz.version import __version__

if TYPE_CHECKING:
    from specviz.notebook import show
    from specviz.views.story.notebook import step_figures

__all__ = ["ModelPair", "NgramLM", "TableLM", "TransformerLM", "__version__", "load_pair"]
__all__ += ["Lane", "Stream", "Trace", "branch", "decode", "load_trace", "race", "save_trace", "stream", "sweep"]
__all__ += ["show", "step_figures"]  # a run in a notebook
__all__ += ["Judgement", "changeable", "judge", "recorded_forest", "replay", "score_forest"]  # a step judged again
__all__ += ["GuaranteeClaim", "GuaranteeReport", "check_guarantee"]
__all__ += ["exact_distribution", "target_distribution", "total_variation"]
__all__ += ["ModelError", "OptionError", "PromptError", "ReplayError", "SpecvizError", "TraceError"]
# One's own: a method, a drafter, a verifier, a rule.
__all__ += ["DrafterSpec", "Method", "Option", "VerifierSpec", "drafters", "methods", "verifiers"]
__all__ += ["register_drafter", "register_method", "register_verifier"]
__all__ += ["ChainDrafter", "Drafter", "Forest", "one_hot"]
__all__ += ["Coin", "Distribution", "Verdict", "Verifier", "residual", "sample_after", "without"]
__all__ += ["Shown", "Telling", "decisions", "ranges", "shapes", "target_bars"]

_DRAWN = {"show": "specviz.notebook", "step_figures": "specviz.views.story.notebook"}


def __getattr__(name: str) -> object:
    if name not in _DRAWN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = globals()[name] = getattr(import_module(_DRAWN[name]), name)
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


load_plugins()  # they import from here, so all of it is there
