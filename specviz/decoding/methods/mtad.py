"""Multi-token assisted decoding: beams on the draft model, judged by their joint likelihood (mtad.txt)."""

from specviz.decoding.method import WARPS, Method, target_or_greedy
from specviz.decoding.options import GAMMA, Option, Options
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.drafting.beam import BeamDrafter, BeamForestDrafter
from specviz.verifying.joint import JointVerifier

OPTIONS = (
    GAMMA,
    Option("beams", "integer", 8, "Sequences that the draft model keeps while searching.", 1, 64),
    Option("tau", "number", 0.1, "Joint likelihood ratio that a prefix must exceed to be kept.", 0.0, 1.0),
)


def _judge(setting: Setting, options: Options) -> JointVerifier:
    return JointVerifier(options["tau"], setting.end_tokens)


def _ruled_by(options: Options) -> tuple[str, ...]:
    return ("tau", *WARPS)


def _decoder(kind: type[BeamDrafter], who: str, bench: Workbench, options: Options) -> Decoder:
    draft = bench.need_draft(who)
    session = bench.open_draft(draft, extra_rows=options["gamma"] * options["beams"])
    drafter = kind(session, bench.warp, options["gamma"], options["beams"], bench.end_tokens)
    return Decoder(drafter, _judge(bench.setting, options), draft)


def _mtad(bench: Workbench, options: Options) -> Decoder:
    return _decoder(BeamDrafter, "mtad", bench, options)


def _tree_mtad(bench: Workbench, options: Options) -> Decoder:
    return _decoder(BeamForestDrafter, "tree-mtad", bench, options)


def _law(options: Options) -> str:
    """tau = 1 keeps no draft; at temperature 0 a ratio is 1 for the greedy tokens and 0 for all others."""
    return target_or_greedy(options) if options["tau"] == 1.0 or options["temperature"] == 0 else "lossy"


MTAD = Method(
    name="mtad",
    title="MTAD",
    family="threshold",
    paper="Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference",
    summary="The draft model searches several beams for a likely run of tokens; the target keeps the longest "
    "prefix whose joint likelihood is not much below the draft's. Likelier text, not the target's law.",
    own_options=OPTIONS,
    texts={
        "rule": "Keep the longest prefix with min(1, prod p / prod q) > tau.",
        "draft": "The draft model grows several beams and submits the most likely one.",
        "verify": "One target call gives the law p at every place of the submitted beam.",
        "accept": "The joint ratio is above tau: this prefix passes, whatever the shorter ones did.",
        "reject": "No prefix that reaches this far passes.",
        "finish": "After the longest passing prefix one token is drawn from the target: no coin, no residual.",
    },
    build=_mtad,
    judge=_judge,
    ruled_by=_ruled_by,
    law_of=_law,
    distance=0.386,
)


TREE_MTAD = Method(
    name="tree-mtad",
    title="MTAD on a tree",
    family="threshold",
    paper="beyond the papers: the future work that MTAD's authors name",
    summary="MTAD with all of its beams judged: the target keeps the deepest prefix in the whole tree whose joint "
    "likelihood is not much below the draft's. Longer runs than MTAD keeps; not the target's law.",
    own_options=OPTIONS,
    texts={
        "rule": "Keep the deepest prefix of the tree with min(1, prod p / prod q) > tau.",
        "draft": "The draft model grows several beams and submits every token of every one.",
        "verify": "One target call gives the law p at every node of the tree.",
        "accept": "The joint ratio is above tau: the prefix that ends here passes, whatever the shorter ones did.",
        "reject": "The prefix that ends here does not pass; a longer one may make up for it, unless the "
        "target rules this token out.",
        "finish": "After the deepest passing prefix, the target's likeliest among equals, one token is drawn from the "
        "target: no coin, no residual.",
    },
    build=_tree_mtad,
    judge=_judge,
    ruled_by=_ruled_by,
    law_of=_law,
    distance=0.340,
)
