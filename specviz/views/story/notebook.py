"""The panels of one step as they are called in a notebook: by trace, iteration and scene."""

import plotly.graph_objects as go

from specviz.errors import SpecvizError
from specviz.trace.record import Trace
from specviz.views.plot import palette
from specviz.views.story.scenes import Scene, drawings, scenes


def steps(trace: Trace, index: int) -> list[Scene]:
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
    known = drawings(trace, index)
    panels = _scene(trace, index, scene).panels
    return {panel: palette.figure_of(known[key].figure(dark=dark)) for panel, key in panels.items()}


def step_texts(trace: Trace, index: int, scene: str = "target") -> dict[str, str]:
    """What the figures of ``step_figures`` show, in words, by panel; under ``story`` what happens and why.

    Raises what ``step_figures`` raises."""
    told, known = _scene(trace, index, scene), drawings(trace, index)
    story = " ".join(part for part in (f"{told.title}.", told.sentence, told.formula) if part)
    return {"story": story} | {panel: known[key].text() for panel, key in told.panels.items()}


def _scene(trace: Trace, index: int, key: str) -> Scene:
    told = {scene.key: scene for scene in steps(trace, index)}
    if key not in told:
        raise SpecvizError(f"scene must be one of {', '.join(told)}, got {key!r}", argument="key")
    return told[key]
