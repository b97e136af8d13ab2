"""Which view shows a decision: by its rule, never by the method's name."""

from collections.abc import Callable

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


def show(moment: Moment) -> Shown:
    """The words and figures of one decision."""
    return RULES[moment.decision.rule](moment)
