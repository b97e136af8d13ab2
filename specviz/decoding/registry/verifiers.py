"""Every verifier of the papers, registered in the order shown; each says of itself what it is (``specviz/rules``)."""

from specviz.decoding.registry.parts import register_verifier
from specviz.rules import block, fork, greedy, joint, kseq, recursive, rejection, rollback, token, typical
from specviz.rules.beams import beam, layered, multi_token, search
from specviz.rules.blocks import best_path, traversal

BUILT_IN = (
    *(token.SPEC, block.SPEC, recursive.SPEC, kseq.SPEC, joint.SPEC, typical.SPEC, rollback.SPEC, greedy.SPEC),
    *(rejection.SPEC, traversal.SPEC, best_path.SPEC),
    *(fork.SPEC, beam.SPEC, multi_token.SPEC, search.SPEC, layered.SPEC),
)

for _spec in BUILT_IN:
    register_verifier(_spec)
