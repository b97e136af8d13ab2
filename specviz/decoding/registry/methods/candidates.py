"""Several candidates, or a chain judged as a whole, with the target's distribution: SpecInfer, multi-candidate
speculative decoding, SpecTr, block verification, dynamic trees."""

from specviz.decoding.registry.method import Method

SPECINFER = Method(
    name="specinfer",
    drafter="tree",
    verifier="recursive",
    title="SpecInfer",
    family="candidates",
    paper=(
        "Miao et al. (2023), SpecInfer: Accelerating Generative LLM Serving with Tree-based Speculative Inference "
        "and Verification"
    ),
    summary=(
        "A tree of candidates, several at every node, drawn independently by one draft model or by several in "
        "turn. Each rejection removes its share from the target's distribution, and the next candidate is tried."
    ),
    shows=("k_config", "drafts", "draft"),
    defaults={"k_config": (4, 1, 1, 1)},
    texts={
        "rule": "Accept candidate x with probability min(1, p'(x) / q(x)), p' being what earlier rejections left of p.",
        "draft": "Below every node the draft model draws several candidates, each without a look at the others.",
        "verify": "One target call reads the whole tree, every node seeing only its own ancestors.",
        "accept": "This candidate passes: go on among its children.",
        "reject": "The draft's share is removed from the target's distribution, p' becomes norm((p' - q)+), and the "
        "next candidate is tried. When none is left, the token is drawn from p'.",
        "finish": "At a leaf of the tree the same target call yields one bonus token.",
    },
)

MCSD = Method(
    name="mcsd",
    drafter="distinct-tree",
    verifier="recursive",
    title="MCSD",
    family="candidates",
    paper="Yang et al. (2024), Multi-Candidate Speculative Decoding",
    summary=(
        "A tree of candidates, all siblings different: each is drawn from what the candidates before it left of "
        "the draft's distribution, and judged by that same distribution."
    ),
    defaults={"k_config": (4, 2, 2, 1, 1)},
    texts={
        "rule": "Accept candidate x with probability min(1, p'(x) / q'(x)), both distributions being what "
        "the candidates before it left.",
        "draft": "Below every node the draft model draws several candidates, by default never the same one twice.",
        "verify": "One target call reads the whole tree, every node seeing only its own ancestors.",
        "accept": "This candidate passes: go on among its children.",
        "reject": "p' becomes norm((p' - q')+); drawn without replacement, x is also removed from the draft's. When no "
        "candidate is left, the token is drawn from p'.",
        "finish": "At a leaf of the tree the same target call yields one bonus token.",
    },
)

SPECTR = Method(
    name="spectr",
    drafter="sequences",
    verifier="kseq",
    title="SpecTr",
    family="candidates",
    paper="Sun et al. (2023), SpecTr: Fast Speculative Decoding via Optimal Transport",
    summary=(
        "Several whole sequences are drafted independently. All that still match the output are judged together, "
        "by one number rho that makes their coins fair."
    ),
    texts={
        "rule": "Accept the first of k candidates whose coin, with probability min(1, p(x) / (rho q(x))), succeeds.",
        "draft": "The draft model writes several sequences, each drawn from its own distribution q.",
        "verify": "One target call reads all sequences; what they share is read once.",
        "accept": "This candidate's coin succeeded. Every sequence that has the same token goes on, those whose own "
        "coin failed included.",
        "reject": "This candidate is rejected, and the next has its turn. When none is accepted, the token is drawn "
        "from what the coins cannot supply, norm(p - min(q, p / rho) p_acc / beta).",
        "finish": "When gamma tokens are accepted, the same target call yields one bonus token.",
    },
)

BLOCK = Method(
    name="block",
    drafter="chain",
    verifier="block",
    title="Block verification",
    family="chain",
    paper="Sun et al. (2024), Block Verification Accelerates Speculative Decoding (beyond the five papers)",
    summary=(
        "One chain, judged as a block: a token that looks unlikely by itself may be kept when those around it make "
        "up for it. The target's distribution, and never fewer tokens on average than judging one by one."
    ),
    shows=("gamma", "draft"),
    texts={
        "rule": "Each prefix has a weight w, the share of its drafts that may be kept, and a coin of its own. Keep the "
        "longest prefix that passes.",
        "draft": "The draft model writes token after token, each drawn from its own distribution q.",
        "verify": "One target call gives the distribution p at every drafted position.",
        "accept": "This prefix passes by its own coin, even where a shorter one failed.",
        "reject": "No prefix that reaches this far passes its coin.",
        "finish": "After the longest passing prefix a token is drawn from norm((w p - q)+), after the whole chain from "
        "the target.",
    },
)

DYNAMIC_TREE = Method(
    name="dynamic-tree",
    drafter="dynamic-tree",
    verifier="recursive",
    title="Dynamic tree",
    family="candidates",
    paper=(
        "after Li et al. (2024), EAGLE-2: Faster Inference of Language Models with Dynamic Draft Trees (beyond the "
        "five papers)"
    ),
    summary=(
        "The draft tree grows where the draft model is most confident; its most probable nodes are kept. Nothing "
        "is drawn while drafting, so every candidate counts as certain."
    ),
    texts={
        "rule": "Accept candidate x with probability p'(x), p' being what earlier rejections left of p.",
        "draft": "The draft model expands the nodes of greatest cumulative probability, layer by layer.",
        "verify": "One target call reads the best nodes, each seeing only its own ancestors.",
        "accept": "This candidate passes: go on among its children.",
        "reject": "The candidate is removed from p', which is renormalised. When none is left, p' gives the token.",
        "finish": "At a leaf of the tree the same target call yields one bonus token.",
    },
)
