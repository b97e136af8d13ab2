"""One iteration as a row of scenes, and everything a player needs to step through them without asking again.

The payload of ``iteration_payload`` is plain JSON data; its shape::

    {
      "iteration": 3,                        # index in the trace
      "scenes": [                            # in order; step through these
        {"key": "decision-2",                # unique: context, draft-1 .., reduction, target, decision-1 .., draw (or
                                             # draw-3 .., one for each beam), commit
         "phase": "verify",                  # context | draft | target | verify | draw | commit (marks of the slider)
         "title": "Token 2: rejected",       # short
         "sentence": "...",                  # plain text: what happens and why, with the numbers in it
         "formula": "min(1, 0.15 / 0.60) = 0.25; coin 0.44 >= 0.25: reject",     # plain text, "" where there is none
         "focus": 1,                         # the node the scene is about; -1 the last context token; null none
         "panels": {"tree": "tree-decision-2", "mask": "mask",                   # panel name -> a key;
                    "probabilities": "probabilities-2", "decision": "coin-2"}},  # a panel may be missing
        ...],
      "pictures": {"coin-2": [1, [0, [2, ...]], ...], ...},         # by the keys of panels; scenes share them
      "fields": [["shapes", "key", "notes"], ...],                  # of what they are made of (pictures/data.py)
      "texts": {"coin-2": [4], "tree-decision-2": [0, 7, 9], ...},  # what each panel shows: numbers of phrases
      "phrases": ["...", ...],
      "nodes": [                             # the drafted tokens the tree shows: what all panels link to
        {"node": 0, "token": 4, "label": ".SELECT", "parent": -1, "depth": 1, "position": 7, "ancestors": [-1],
         "row": 1,                           # its row in the mask (the roots come first), null if not submitted
         "draft": "0.60", "target": "0.15",  # its probabilities, "" where they are not known
         "scene": "decision-1",              # which judges it; null if it is never judged
         "formula": "min(1, ...",            # of that decision, where its scene has another; else ""
         "text": "node 0: ..."}, ...],
      "outcomes": [["accepted", "✓", "accepted draft"], ...],       # what can have come of a node: name, mark, words
      "forest": {...},                       # as the player draws it
      "stages": {"tree-decision-2": {"states": [...], ...}, ...},   # how it stands in a scene, by its tree panel's key
      "mask_rows": 6,                        # of the target call, as far as they are drawn
      "rows_read": 6,                        # tokens that the target call read
      "roots": [{"node": -1, ...}],          # the same of the prefixes they grow from: node, label, ancestors,
                                             # position, row, text
      "text": {"context": [" the", ...],     # pieces of text: the end of the context, and what this iteration wrote
               "emitted": [{"piece": " cat", "origin": "accepted", "node": 0}, ...]},  # node: null if it was drawn
    }

``payload_types.py`` says what each field is. All strings are plain text (insert them as text). Pictures have no
colours: one payload serves light and dark pages.
"""

from dataclasses import asdict, dataclass, replace
from functools import cached_property

from specviz.facts import iteration_facts as facts
from specviz.pictures.data import in_phrases, packed
from specviz.pictures.shapes import Picture
from specviz.pictures.shown import Shown, Views
from specviz.trace.decisions import Draw
from specviz.trace.record import Trace
from specviz.views.drafts import node_states
from specviz.views.drafts.forest import forest_picture, forest_stage
from specviz.views.drafts.listening import listening_draft, listening_picture
from specviz.views.drafts.mask import mask_picture, mask_rows
from specviz.views.drafts.mask_slice import planned_tokens, slice_picture
from specviz.views.drafts.node_records import node_records, root_records, text_strip
from specviz.views.drafts.posterior import show_reduction
from specviz.views.drafts.proposal import proposal_picture, proposals_at
from specviz.views.drafts.rows import rows_picture, scored_rows
from specviz.views.drafts.stages import drawn_depths, scene_key, told_together
from specviz.views.drafts.tree_words import tree_text
from specviz.views.plot import palette
from specviz.views.story import story
from specviz.views.story.payload_types import IterationPayload, Scene

TREE = "tree"
"""The panel that a stage of the forest is shown in, not a picture."""


@dataclass(frozen=True)
class StoryScene:
    """One step of the story of an iteration; the module's docstring explains the fields."""

    key: str
    phase: str
    title: str
    sentence: str
    formula: str
    focus: int | None
    panels: dict[str, str]


class Told:
    """An iteration of a trace as a row of scenes with their pictures. What is shown of a decision is made once.

    ``beside``: another lane of its race, to compare with. Raises SpecvizError for an unknown or unrecorded iteration.
    """

    def __init__(self, trace: Trace, index: int, beside: Trace | None = None):
        self.trace, self.index, self.beside = trace, index, beside
        self.iteration = facts.iteration_of(trace, index)
        self.views = Views(trace, self.iteration)
        self._keys: dict[Picture, str] = {}

    @cached_property
    def scenes(self) -> list[StoryScene]:
        """The scenes in order."""
        trace, iteration = self.trace, self.iteration
        root = facts.ROOT if len(iteration.inputs) < 2 else None
        scenes = [StoryScene("context", "context", *story.context(trace, iteration), root, {TREE: "tree-context"})]
        scenes += [self._draft_scene(depth) for depth in drawn_depths(iteration)]
        if self._reduced:
            reduction = show_reduction(trace, iteration)
            panels = {TREE: "tree-target", "mask": "mask-before"} | self._panels(reduction)
            scenes.append(StoryScene("reduction", "draft", *reduction.telling, None, panels))
        panels = {TREE: "tree-target", "mask": "mask"}
        panels |= {"probabilities": "rows"} if scored_rows(iteration) else {}
        panels |= {"decision": "slice"} if planned_tokens(iteration) else {}
        scenes.append(StoryScene("target", "target", *story.target_pass(trace, iteration), None, panels))
        together = told_together(iteration)
        for decision_index in range(1, len(iteration.decisions) + 1):
            group = together.of(decision_index)
            if not group:
                scenes.append(self._decision_scene(decision_index))
            elif decision_index == group[-1]:
                telling = (story.without_effect if group is together.idle else story.many)(trace, iteration, group)
                panels = {TREE: f"tree-decision-{decision_index}", "mask": "mask"}
                scenes.append(StoryScene(scene_key(iteration, decision_index), "verify", *telling, None, panels))
        panels = {TREE: self._last_tree(), "mask": "mask-commit"}
        scenes.append(StoryScene("commit", "commit", *story.commit(trace, iteration), None, panels))
        return scenes

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The pictures of all panels but the tree's, by the keys that scenes have for them."""
        trace, index, iteration = self.trace, self.index, self.iteration
        used = [key for scene in self.scenes for panel, key in scene.panels.items() if panel != TREE]
        pictures = {"mask": mask_picture(trace, index), "mask-commit": mask_picture(trace, index, fate=True)}
        pictures |= {"mask-before": mask_picture(trace, index, before=True)} if self._reduced else {}
        pictures |= {"rows": rows_picture(trace, index)} if scored_rows(iteration) else {}
        pictures |= {"slice": slice_picture(trace, index)} if planned_tokens(iteration) else {}
        if listening_draft(trace, iteration):
            pictures["listening"] = listening_picture(trace, index, self.beside)
        for depth in drawn_depths(iteration):
            pictures |= {f"proposal-{depth}": proposal_picture(trace, index, depth)} if self._by_chance(depth) else {}
        pictures |= {key: picture for picture, key in self._keys.items()}
        return {key: pictures[key] for key in dict.fromkeys(used)}

    @property
    def stages(self) -> list[str]:
        """The stages of the forest that scenes show."""
        return list(dict.fromkeys(scene.panels[TREE] for scene in self.scenes))

    @property
    def _reduced(self) -> bool:
        return bool(self.iteration.forest and self.iteration.forest.hypotheses)

    def _by_chance(self, depth: int) -> bool:
        return bool(proposals_at(self.iteration, depth))

    def _panels(self, shown: Shown) -> dict[str, str]:
        """The keys of what is shown, by panel; a picture that is equal to an earlier one is that one."""
        return {panel: self._keys.setdefault(picture, key) for panel, (key, picture) in shown.panels.items()}

    def _last_tree(self) -> str:
        """The tree at the end: a new one where outcomes or surviving beams say more than the decisions did."""
        iteration, last = self.iteration, len(self.iteration.decisions)
        judged = node_states.judged_states(iteration, last)
        settled = (
            node_states.final_states(iteration) == judged and facts.draw_emitted(iteration) and not iteration.beams
        )
        drawn = last > 0 and scene_key(iteration, last) == "draw"
        return "tree-draw" if settled and drawn else "tree-commit"

    def _draft_scene(self, depth: int) -> StoryScene:
        nodes = facts.nodes_of(self.iteration)
        layer = [number for number, node in enumerate(nodes) if node.depth == depth]
        shown = facts.prominent(nodes)
        focus = next((number for number in layer if nodes[number].submitted), None)
        focus = next((number for number in layer if number in shown), None) if focus is None else focus
        panels = {TREE: f"tree-draft-{depth}"}
        panels |= {"probabilities": f"proposal-{depth}"} if self._by_chance(depth) else {}
        panels |= {"decision": "listening"} if listening_draft(self.trace, self.iteration) else {}
        telling = story.draft_layer(self.trace, self.iteration, depth)
        return StoryScene(f"draft-{depth}", "draft", *telling, focus, panels)

    def _decision_scene(self, decision_index: int) -> StoryScene:
        iteration, decision = self.iteration, self.iteration.decisions[decision_index - 1]
        shown, key = self.views.of(decision_index), scene_key(iteration, decision_index)
        panels = {TREE: f"tree-{key}", "mask": "mask"} | self._panels(shown)
        if isinstance(decision, Draw) and decision.last and (judged := facts.siblings(iteration, decision.prefix)):
            last = next(n for n, decision in enumerate(iteration.decisions, start=1) if decision is judged[-1])
            if not told_together(iteration).of(last):
                before = self._panels(self.views.of(last))
                panels |= {panel: before[panel] for panel in ("probabilities",) if panel in before}
        phase = "draw" if isinstance(decision, Draw) else "verify"
        return StoryScene(key, phase, *shown.telling, getattr(decision, "node", None), panels)


def scenes(trace: Trace, index: int) -> list[StoryScene]:
    """The scenes of one iteration, in order. Raises SpecvizError for an unknown or unrecorded iteration."""
    return Told(trace, index).scenes


def iteration_payload(trace: Trace, index: int, beside: Trace | None = None) -> IterationPayload:
    """All scenes of an iteration with their pictures as plain JSON data (shape: the module's docstring); ``beside``:
    another lane of its race, to compare with.

    Raises SpecvizError for an unknown iteration or a run that was not recorded.
    """
    moment = Told(trace, index, beside)
    words = {key: tree_text(trace, index, key) for key in moment.stages}
    texts, phrases = in_phrases(words | {key: picture.words for key, picture in moment.pictures.items()})
    names: dict[tuple[str, ...], int] = {}
    return {
        "iteration": index,
        "scenes": [Scene(**asdict(scene)) for scene in moment.scenes],
        "pictures": {key: packed(replace(picture, words=""), names) for key, picture in moment.pictures.items()},
        "fields": [list(field_names) for field_names in names],
        "texts": texts,
        "phrases": phrases,
        "nodes": node_records(trace, index, moment.views),
        "outcomes": [(state, mark.glyph, mark.word) for state, mark in palette.OUTCOMES.items()],
        "forest": forest_picture(trace, index),
        "stages": {key: forest_stage(trace, index, key) for key in moment.stages},
        "mask_rows": len(mask_rows(moment.iteration)),
        "rows_read": len(facts.read_prefixes(moment.iteration)),
        "roots": root_records(trace, index),
        "text": text_strip(trace, index),
    }


def words_of(payload: IterationPayload, key: str) -> str:
    """What the panel with this key shows, in words."""
    return "".join(payload["phrases"][at] for at in payload["texts"][key])
