"""Beyond the five papers: a whole tree, or the best of several sequences, judged as a block; drafts chosen so that no
rule can accept more of them."""

from specviz.decoding.registry.method import Method

TRAVERSAL = Method(
    name="traversal",
    drafter="distinct-tree",
    verifier="traversal",
    title="Traversal verification",
    family="candidates",
    paper=(
        "Weng et al. (2025), Traversal Verification for Speculative Tree Decoding, arXiv 2505.12398 (beyond the five "
        "papers)"
    ),
    summary=(
        "A tree of candidates judged from its leaves to its root, whole paths at a time: block verification on a tree. "
        "No fewer tokens on average than MCSD keeps of the same tree."
    ),
    defaults={"k_config": (4, 2, 2, 1)},
    texts={
        "rule": "A path is kept with its weight w, min(w p'(x) / q(x), 1) along the way, less what was lost below it.",
        "draft": "Below every node the draft model draws several candidates, by default never the same one twice.",
        "verify": "One target call reads the whole tree, every node seeing only its own ancestors.",
        "accept": "Nothing below it was kept, and its own coin keeps this path.",
        "reject": "What the draft proposes too often is taken from p', the parent's weight falls, and the next "
        "candidate is tried, after the last the parent itself.",
        "finish": "After the kept path a token is drawn from the p' that the judging left there, after a leaf from the "
        "target.",
    },
)

BEST_PATH = Method(
    name="best-path",
    drafter="sequences",
    verifier="best-path",
    title="Best of several blocks",
    family="candidates",
    paper=(
        "after Thomas and Pal (2026), Greedy Multi-Path Block Verification for Faster Decoding in Speculative "
        "Sampling, arXiv 2602.16961 (beyond the five papers)"
    ),
    summary=(
        "Several sequences are drafted independently; where they differ, tokens that the draft gives too little are "
        "followed, and the path so chosen is judged as a block, by the distribution that such a choice has."
    ),
    texts={
        "rule": "Of m sequences that agree, follow the first whose next token is among those with the greatest p / q: "
        "it is drawn from q_m, a known distribution. Block verification judges the path with q_m in place of q.",
        "draft": "The draft model writes several sequences, each drawn from its own distribution q.",
        "verify": "One target call reads all sequences; what they share is read once.",
        "accept": "This prefix of the chosen sequence passes by its own coin, even where a shorter one failed.",
        "reject": "No prefix of the chosen sequence that reaches this far passes its coin.",
        "finish": "After the longest passing prefix a token is drawn from norm((w p - q_m)+), after the whole sequence "
        "from the target.",
    },
)

_LEADING = {
    "verify": "One target call reads the whole tree, every node seeing only its own ancestors.",
    "accept": "This candidate passes: go on among its children.",
    "finish": "At a leaf of the tree the same target call yields one bonus token.",
}

SPECHUB = Method(
    name="spechub",
    drafter="leading-tree",
    verifier="recursive",
    title="SpecHub",
    family="candidates",
    paper=(
        "Sun et al. (2024), SpecHub: Provable Acceleration to Multi-Draft Speculative Decoding, arXiv 2411.05289 "
        "(beyond the five papers)"
    ),
    summary=(
        "Two candidates at every node, of which one is always the draft's most probable token, the hub. So few pairs "
        "are possible that the best way to choose between the two is known in closed form."
    ),
    shows=("k_config", "draft"),
    defaults={"k_config": (2, 2, 2, 1)},
    texts=_LEADING
    | {
        "rule": "Accept the other token x with probability min(1, p(x) / q'(x)), q' being q without the hub; then the "
        "hub with probability p'(hub).",
        "draft": "Below every node stand the draft's most probable token and one drawn from all others.",
        "reject": "p' becomes norm((p - q')+), and the hub is tried, which is certain to be drafted; when it goes too, "
        "the token is drawn from what is left.",
    },
)

GREEDY_DRAFTS = Method(
    name="greedy-drafts",
    drafter="leading-tree",
    verifier="recursive",
    title="Greedy drafts",
    family="candidates",
    paper=(
        "Hu et al. (2025), Towards Optimal Multi-Draft Speculative Decoding, arXiv 2502.18779 (beyond the five papers)"
    ),
    summary=(
        "All candidates of a node but one are the draft's most probable tokens; one is drawn from the rest. Of such "
        "candidates the rule accepts as many as any rule can that keeps the target's distribution."
    ),
    shows=("k_config", "draft"),
    texts=_LEADING
    | {
        "rule": "Accept the drawn token x with probability min(1, p(x) / q'(x)), q' being q without the others; then "
        "each of these with probability p', what earlier rejections left of p.",
        "draft": "Below every node stand the draft's most probable tokens, and one drawn from all others.",
        "reject": "After the drawn token p' becomes norm((p - q')+); a token that was certain to be drafted is taken "
        "out of p'. When no candidate is left, the token is drawn from p'.",
    },
)
