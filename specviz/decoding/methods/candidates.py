"""Several candidates, or a chain judged as a whole, at the target's law: SpecInfer, multi-candidate speculative
decoding, SpecTr, block verification, dynamic trees."""

from specviz.decoding.method import Method
from specviz.decoding.options import GAMMA, Option, Options, shown
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.drafting.chain import ChainDrafter
from specviz.drafting.dynamic import DynamicTreeDrafter
from specviz.drafting.sequences import SequencesDrafter
from specviz.drafting.tree import SampledTreeDrafter, tree_size
from specviz.errors import ModelError, OptionError
from specviz.lm.language_model import LanguageModel
from specviz.verifying.block import BlockVerifier
from specviz.verifying.kseq import SequenceVerifier
from specviz.verifying.recursive import RecursiveVerifier

MOST_NODES = 256  # of one tree


def _k_config(default: tuple[int, ...], most: int = 8) -> Option:
    return Option("k_config", "integers", default, "Candidates below each node, layer by layer of the tree.", 1, most)


def sized(k_config: tuple[int, ...]) -> tuple[int, ...]:
    """``k_config`` itself. Raises OptionError where its tree has more than ``MOST_NODES`` nodes."""
    if tree_size(k_config) > MOST_NODES:
        raise OptionError(
            f"k_config must make a tree of at most {MOST_NODES} nodes, got {shown(k_config)!r}, "
            f"which makes {tree_size(k_config)}"
        )
    return k_config


def _recursive(setting: Setting, options: Options) -> RecursiveVerifier:
    return RecursiveVerifier(setting.end_tokens)


def _k_seq(setting: Setting, options: Options) -> SequenceVerifier:
    return SequenceVerifier(setting.end_tokens)


def _whole_block(setting: Setting, options: Options) -> BlockVerifier:
    return BlockVerifier(setting.end_tokens)


def _draft_models(bench: Workbench, count: int) -> list[LanguageModel]:
    models = [bench.need_draft("specinfer"), *bench.pair.drafts]
    if count > len(models):
        raise ModelError(
            f"specinfer with drafts={count} needs a pair with {count} draft models, this has {len(models)}"
        )
    return models[:count]


def _specinfer(bench: Workbench, options: Options) -> Decoder:
    k_config, models = sized(options["k_config"]), _draft_models(bench, options["drafts"])
    sessions = [bench.open_draft(model, extra_rows=tree_size(k_config)) for model in models]
    drafter = SampledTreeDrafter(sessions, bench.warp, k_config, end_tokens=bench.end_tokens)
    return Decoder(drafter, _recursive(bench.setting, options), models[0], drafts=tuple(models[1:]))


def _mcsd(bench: Workbench, options: Options) -> Decoder:
    k_config, draft = sized(options["k_config"]), bench.need_draft("mcsd")
    session = bench.open_draft(draft, extra_rows=tree_size(k_config))
    drafter = SampledTreeDrafter(
        [session], bench.warp, k_config, replacement=options["replacement"], end_tokens=bench.end_tokens
    )
    return Decoder(drafter, _recursive(bench.setting, options), draft)


def _spectr(bench: Workbench, options: Options) -> Decoder:
    draft, drafts, gamma = bench.need_draft("spectr"), options["drafts"], options["gamma"]
    session = bench.open_draft(draft, extra_rows=drafts * gamma)
    drafter = SequencesDrafter(session, bench.warp, drafts, gamma, bench.end_tokens)
    return Decoder(drafter, _k_seq(bench.setting, options), draft)


def _block(bench: Workbench, options: Options) -> Decoder:
    draft, gamma = bench.need_draft("block"), options["gamma"]
    drafter = ChainDrafter(bench.open_draft(draft, extra_rows=gamma), bench.warp, gamma, bench.end_tokens)
    return Decoder(drafter, _whole_block(bench.setting, options), draft)


def _dynamic_tree(bench: Workbench, options: Options) -> Decoder:
    draft, nodes, depth = bench.need_draft("dynamic-tree"), options["nodes"], options["depth"]
    session = bench.open_draft(draft, extra_rows=nodes * depth)
    drafter = DynamicTreeDrafter(session, bench.warp, nodes, depth, bench.end_tokens)
    return Decoder(drafter, _recursive(bench.setting, options), draft)


SPECINFER = Method(
    name="specinfer",
    title="SpecInfer",
    family="candidates",
    paper="Miao et al. (2023), SpecInfer: Accelerating Generative LLM Serving with Tree-based Speculative Inference "
    "and Verification",
    summary="A tree of candidates, several at every node, drawn independently by one draft model or by several in "
    "turn. Each rejection takes its share out of the target's law, and the next candidate has its chance.",
    own_options=(
        _k_config((4, 2, 2, 1)),
        Option("drafts", "integer", 1, "Draft models that take turns; more than 1 needs a pair with more.", 1, 8),
    ),
    texts={
        "rule": "Accept candidate x with probability min(1, p'(x) / q(x)), p' being what earlier rejections left of p.",
        "draft": "Below every node the draft model draws several candidates, each without a look at the others.",
        "verify": "One target call reads the whole tree, every node seeing only its own ancestors.",
        "accept": "What is left of the target's law wants this candidate: go on among its children.",
        "reject": "The draft's share leaves the target's law, p' becomes norm((p' - q)+), and the next candidate is "
        "tried. When none is left, the token is drawn from p'.",
        "finish": "At a leaf of the tree the same target call yields one bonus token.",
    },
    build=_specinfer,
    judge=_recursive,
)

MCSD = Method(
    name="mcsd",
    title="MCSD",
    family="candidates",
    paper="Yang et al. (2024), Multi-Candidate Speculative Decoding",
    summary="A tree of candidates, all siblings different: each is drawn from what its elders left of the draft's law, "
    "and judged by just that law.",
    own_options=(
        _k_config((4, 2, 2, 1, 1)),
        Option("replacement", "flag", False, "Draw candidates independently, so that some may be equal."),
    ),
    texts={
        "rule": "Accept candidate x with probability min(1, p'(x) / q'(x)), both laws being what the candidates before "
        "it left.",
        "draft": "Below every node the draft model draws several candidates, by default never the same one twice.",
        "verify": "One target call reads the whole tree, every node seeing only its own ancestors.",
        "accept": "What is left of the target's law wants this candidate: go on among its children.",
        "reject": "p' becomes norm((p' - q')+); drawn without replacement, x also leaves the draft's law. When no "
        "candidate is left, the token is drawn from p'.",
        "finish": "At a leaf of the tree the same target call yields one bonus token.",
    },
    build=_mcsd,
    judge=_recursive,
)

SPECTR = Method(
    name="spectr",
    title="SpecTr",
    family="candidates",
    paper="Sun et al. (2023), SpecTr: Fast Speculative Decoding via Optimal Transport",
    summary="Several whole sequences are drafted independently. All that still match the output are judged together, "
    "by one number rho that makes their coins fair.",
    own_options=(Option("drafts", "integer", 4, "Sequences drafted, independently of each other.", 1, 16), GAMMA),
    texts={
        "rule": "Accept the first of k candidates whose coin, min(1, p(x) / (rho q(x))), falls for it.",
        "draft": "The draft model writes several sequences, each drawn from its own law q.",
        "verify": "One target call reads all sequences; what they share is read once.",
        "accept": "The coin fell for this candidate. Every sequence that has the same token goes on, those whose own "
        "coin failed included.",
        "reject": "This candidate is turned away, and the next has its turn. When none is accepted, the token is drawn "
        "from what the coins cannot supply, norm(p - min(q, p / rho) p_acc / beta).",
        "finish": "When gamma tokens are accepted, the same target call yields one bonus token.",
    },
    build=_spectr,
    judge=_k_seq,
)

BLOCK = Method(
    name="block",
    title="Block verification",
    family="chain",
    paper="Sun et al. (2024), Block Verification Accelerates Speculative Decoding (beyond the five papers)",
    summary="One chain, judged as a block: a token that looks unlikely by itself may stay when those around it make up "
    "for it. The target's law, and never fewer tokens on average than judging one by one.",
    own_options=(GAMMA,),
    texts={
        "rule": "Prefix i passes with probability S_i / (S_i + 1 - p_i), the whole chain with p_gamma; keep the "
        "longest that passes.",
        "draft": "The draft model writes token after token, each drawn from its own law q.",
        "verify": "One target call gives the law p at every drafted place.",
        "accept": "This prefix passes its own coin, whatever the shorter ones did.",
        "reject": "No prefix that reaches this far passes its coin.",
        "finish": "After the longest passing prefix a token is drawn from norm((p_i P - Q)+), after the whole chain "
        "from the target.",
    },
    build=_block,
    judge=_whole_block,
)

DYNAMIC_TREE = Method(
    name="dynamic-tree",
    title="Dynamic tree",
    family="candidates",
    paper="after Li et al. (2024), EAGLE-2: Faster Inference of Language Models with Dynamic Draft Trees (beyond the "
    "five papers)",
    summary="The draft tree grows where the draft model is most confident; its most probable nodes are kept. Nothing "
    "is drawn while drafting, so every candidate counts as certain.",
    own_options=(
        Option("nodes", "integer", 32, "Nodes of the tree that the target reads.", 1, 64),
        Option("depth", "integer", 5, "Layers of the tree at most.", 1, 16),
    ),
    texts={
        "rule": "Accept candidate x with probability p'(x), p' being what earlier rejections left of p.",
        "draft": "The draft model expands the nodes of greatest cumulative probability, layer by layer.",
        "verify": "One target call reads the best nodes, each seeing only its own ancestors.",
        "accept": "What is left of the target's law wants this candidate: go on among its children.",
        "reject": "The candidate leaves p', which is renormalised. When none is left, the token is drawn from p'.",
        "finish": "At a leaf of the tree the same target call yields one bonus token.",
    },
    build=_dynamic_tree,
    judge=_recursive,
)
