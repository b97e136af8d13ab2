"""Which view shows a decision: by its rule, never by the method's name; a rule of one's own shows its own."""

from collections.abc import Callable, Iterable

from specviz.trace import decisions
from specviz.trace.record import Iteration, Trace
from specviz.views.decisions.block import show_block
from specviz.views.decisions.coin import show_beam_coin, show_coin
from specviz.views.decisions.kseq import show_kseq
from specviz.views.decisions.layers import show_beam_draw, show_layer
from specviz.views.decisions.match_view import show_match, show_search
from specviz.views.decisions.residual import show_draw
from specviz.views.decisions.rollback import show_rollback
from specviz.views.decisions.staircase import show_joint
from specviz.views.decisions.typical import show_typical
from specviz.views.facts.scene_parts import Moment, Shown

RULES: dict[str, Callable[[Moment], Shown]] = {
    "coin": show_coin,
    "joint": show_joint,
    "draw": show_draw,
    "kseq": show_kseq,
    "block": show_block,
    "typical": show_typical,
    "rollback": show_rollback,
    "match": show_match,
    "layer": show_layer,
    "beam-coin": show_beam_coin,
    "beam-draw": show_beam_draw,
    "search": show_search,
}


def check_views(rules: Iterable[str]) -> None:
    """That every rule has a view, and every view a rule that decisions can have; called as this is imported."""
    known = tuple(rules)
    missing, idle = [rule for rule in known if rule not in RULES], [rule for rule in RULES if rule not in known]
    assert not missing, (
        f"Decisions of the rules {missing} cannot be shown: write a view, a function of a Moment that returns Shown, "
        "and name it for its rule in RULES (specviz/views/decisions/rules.py)."
    )
    assert not idle, (
        f"No decision has the rules {idle}, which have views in RULES (specviz/views/decisions/rules.py): take them "
        "out, or write their classes (specviz/trace/decisions.py)."
    )


check_views(kind.rule for kind in decisions.known_kinds() if not hasattr(kind, "show"))


class Views:
    """What is shown of the decisions of one iteration; of each it is made once, when it is first asked for."""

    def __init__(self, trace: Trace, iteration: Iteration):
        self._trace, self._iteration = trace, iteration
        self._made: dict[int, Shown] = {}

    def of(self, decision_index: int) -> Shown:
        """The words and pictures of the decision with this number, counted from 1."""
        if decision_index not in self._made:
            moment = Moment(self._trace, self._iteration, decision_index)
            own = getattr(moment.decision, "show", None)
            self._made[decision_index] = own(moment) if own else RULES[moment.decision.rule](moment)
        return self._made[decision_index]
