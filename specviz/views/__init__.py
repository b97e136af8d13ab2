"""Trace in, figure or plain text out. Views read nothing but traces and choose their drawing by the decision's rule.

In a notebook, where every figure is a plotly figure that shows itself::

    from specviz.views import step_figures, steps, tree_figure

    tree_figure(trace, 0)                                 # the draft tree of the first iteration
    [step.key for step in steps(trace, 0)]                 # its steps: context, draft-1, target, decision-1, ...
    step_figures(trace, 0, "decision-1")["probabilities"]  # any panel of any step

The names below are for everybody; the rooms below are how they are made. Nothing is imported before it is used.
"""

from importlib import import_module
from typing import Any

_MODULES = {
    "dials_figure": "race.dials",
    "dials_text": "race.dials",
    "mask_figure": "drafts.mask",
    "mask_text": "drafts.mask",
    "step_figures": "story.notebook",
    "step_texts": "story.notebook",
    "steps": "story.notebook",
    "timeline_figure": "race.timeline",
    "timeline_text": "race.timeline",
    "tree_figure": "drafts.tree",
    "tree_text": "drafts.tree_words",
    "verdict_text": "race.verdict",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
