"""Every method by name, in the order they are shown."""

from specviz.decoding.method import Method
from specviz.decoding.methods.baselines import AUTOREGRESSIVE
from specviz.decoding.methods.beams import BEAM, DSBD, MTJD, SPECULATIVE_BEAM
from specviz.decoding.methods.candidates import BLOCK, DYNAMIC_TREE, MCSD, SPECINFER, SPECTR
from specviz.decoding.methods.custom import CUSTOM
from specviz.decoding.methods.forks import IMPROVED_MCSD
from specviz.decoding.methods.heads import BPD, MEDUSA, SLIM
from specviz.decoding.methods.lossy import BILD, TYPICAL
from specviz.decoding.methods.mtad import MTAD, TREE_MTAD
from specviz.decoding.methods.speculative import SPECULATIVE
from specviz.errors import OptionError

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        AUTOREGRESSIVE,
        BEAM,
        MTJD,
        SPECULATIVE,
        BLOCK,
        SPECINFER,
        MCSD,
        SPECTR,
        DYNAMIC_TREE,
        IMPROVED_MCSD,
        TYPICAL,
        BILD,
        MTAD,
        TREE_MTAD,
        SPECULATIVE_BEAM,
        DSBD,
        BPD,
        MEDUSA,
        SLIM,
        CUSTOM,
    )
}


def methods() -> dict[str, Method]:
    """Every method by name."""
    return dict(METHODS)


def find(method: str | Method) -> Method:
    """The method called so; a Method that is not in the catalog stands for itself. Raises OptionError listing the
    names there are."""
    if isinstance(method, Method):
        return method
    if not isinstance(method, str) or method not in METHODS:
        raise OptionError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    return METHODS[method]
