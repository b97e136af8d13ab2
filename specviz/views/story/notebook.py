"""The panels of one step for notebooks, by trace, iteration and scene."""

import plotly.graph_objects as go

from specviz.errors import SpecvizError
from specviz.trace.record import Trace
from specviz.views.drafts.mask import mask_picture
from specviz.views.drafts.tree import tree_figure
from specviz.views.drafts.tree_words import tree_text
from specviz.views.plot.pictures import picture_figure
from specviz.views.story.scenes import TREE, StoryScene, Told, scenes


def steps(trace: Trace, index: int) -> list[StoryScene]:
    """The scenes of iteration ``index`` in order: key, phase, title, sentence, formula and panels of each.

    Raises SpecvizError for an unknown iteration or a run that was not recorded."""
    return scenes(trace, index)


def step_figures(trace: Trace, index: int, scene: str = "target", *, dark: bool = False) -> dict[str, go.Figure]:
    """The figures of one scene of iteration ``index`` by panel: ``tree``, ``mask``, ``probabilities``, ``decision``.

    ``scene`` is a key of ``steps(trace, index)``: context, draft-1 .., reduction, target, decision-1 .., draw, commit.
    A panel that has nothing to show is missing. Raises SpecvizError for an unknown iteration or scene, or a run that
    was not recorded.

    >>> import specviz
    >>> pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    >>> trace = specviz.decode(pair, "speculative", [0], max_new_tokens=6, gamma=2)
    >>> sorted(specviz.step_figures(trace, 0, "decision-1"))
    ['decision', 'mask', 'probabilities', 'tree']
    """
    story = Told(trace, index)
    return {
        panel: tree_figure(trace, index, key, dark=dark)
        if panel == TREE
        else picture_figure(story.pictures[key], dark=dark)
        for panel, key in _scene(story, scene).panels.items()
    }


def step_texts(trace: Trace, index: int, scene: str = "target") -> dict[str, str]:
    """What the figures of ``step_figures`` show, in words, by panel; under ``story`` what happens and why.

    Raises what ``step_figures`` raises."""
    moment = Told(trace, index)
    shown = _scene(moment, scene)
    story = " ".join(part for part in (f"{shown.title}.", shown.sentence, shown.formula) if part)
    return {"story": story} | {
        panel: tree_text(trace, index, key) if panel == TREE else moment.pictures[key].words
        for panel, key in shown.panels.items()
    }


def mask_figure(trace: Trace, index: int, *, fate: bool = False, before: bool = False, dark: bool = False) -> go.Figure:
    """The mask of the target pass of iteration ``index``; ``fate`` marks the rows that stay in the cache and those
    freed, ``before`` adds the rows that the reduction leaves out.

    Raises SpecvizError for an unknown iteration or a run that was not recorded."""
    return picture_figure(mask_picture(trace, index, fate=fate, before=before), dark=dark)


def _scene(moment: Told, key: str) -> StoryScene:
    known = {scene.key: scene for scene in moment.scenes}
    if key not in known:
        raise SpecvizError(f"scene must be one of {', '.join(known)}, got {key!r}", argument="key")
    return known[key]
