"""Trace in, picture, figure or plain text out. Views read nothing but traces; a decision shows itself. Pictures are
shapes (``specviz/pictures``), which the player draws, and plotly for notebooks and files.

In a notebook, where every figure is a plotly figure that shows itself::

    from specviz.views import step_figures, steps, tree_figure

    tree_figure(trace, 0)                                 # the draft tree of the first iteration
    [step.key for step in steps(trace, 0)]                 # its steps: context, draft-1, target, decision-1, ...
    step_figures(trace, 0, "decision-1")["probabilities"]  # any panel of any step

The names below are public; the subpackages implement them. Nothing is imported before it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specviz.views.drafts.mask import mask_text
    from specviz.views.drafts.tree import tree_figure
    from specviz.views.drafts.tree_words import tree_text
    from specviz.views.race.dials import dials_figure, dials_text
    from specviz.views.race.timeline import timeline_figure, timeline_text
    from specviz.views.race.verdict import verdict_text
    from specviz.views.story.notebook import mask_figure, step_figures, step_texts, steps

_MODULES = {
    "dials_figure": "race.dials",
    "dials_text": "race.dials",
    "mask_figure": "story.notebook",
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
__all__ = [
    "dials_figure",
    "dials_text",
    "mask_figure",
    "mask_text",
    "step_figures",
    "step_texts",
    "steps",
    "timeline_figure",
    "timeline_text",
    "tree_figure",
    "tree_text",
    "verdict_text",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
