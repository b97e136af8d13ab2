"""The built-in methods, in the order they are shown."""

from specviz.decoding.registry.methods.baselines import AUTOREGRESSIVE
from specviz.decoding.registry.methods.beams import BEAM, DSBD, MTJD, SPECULATIVE_BEAM
from specviz.decoding.registry.methods.candidates import BLOCK, DYNAMIC_TREE, MCSD, SPECINFER, SPECTR
from specviz.decoding.registry.methods.custom import CUSTOM
from specviz.decoding.registry.methods.forks import IMPROVED_MCSD
from specviz.decoding.registry.methods.heads import BPD, MEDUSA, SLIM
from specviz.decoding.registry.methods.later import BEST_PATH, GREEDY_DRAFTS, SPECHUB, TRAVERSAL
from specviz.decoding.registry.methods.lossy import BILD, TYPICAL
from specviz.decoding.registry.methods.mtad import MTAD, TREE_MTAD
from specviz.decoding.registry.methods.speculative import REJECTION, SPECULATIVE
from specviz.decoding.registry.registry import register_method

BUILT_IN = (
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
    REJECTION,
    TRAVERSAL,
    BEST_PATH,
    SPECHUB,
    GREEDY_DRAFTS,
    CUSTOM,
)

for _method in BUILT_IN:
    register_method(_method)
