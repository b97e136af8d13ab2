"""Multi-token assisted decoding: beams on the draft model, judged by their joint likelihood (mtad.txt)."""

from specviz.decoding.registry.method import Method

MTAD = Method(
    name="mtad",
    drafter="beam",
    verifier="joint",
    title="MTAD",
    family="threshold",
    paper="Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference",
    summary=(
        "The draft model searches several beams for a likely run of tokens; the target keeps the longest "
        "prefix whose joint likelihood is not much below the draft's. It aims at likely text."
    ),
    texts={
        "rule": "Keep the longest prefix with min(1, prod p / prod q) > tau.",
        "draft": "The draft model grows several beams and submits the most likely one.",
        "verify": "One target call gives the distribution p at every position of the submitted beam.",
        "accept": "The joint ratio is above tau: this prefix passes, even where a shorter one failed.",
        "reject": "No prefix that reaches this far passes.",
        "finish": "After the longest passing prefix one token is drawn from the target: no coin, no residual.",
    },
    distance=0.386,
)

TREE_MTAD = Method(
    name="tree-mtad",
    drafter="beam-forest",
    verifier="joint",
    title="MTAD on a tree",
    family="threshold",
    paper="beyond the papers: the future work that MTAD's authors name",
    summary=(
        "MTAD with all of its beams judged: the target keeps the deepest prefix in the whole tree whose joint "
        "likelihood is not much below the draft's. Longer runs than MTAD keeps."
    ),
    texts={
        "rule": "Keep the deepest prefix of the tree with min(1, prod p / prod q) > tau.",
        "draft": "The draft model grows several beams and submits every token of every one.",
        "verify": "One target call gives the distribution p at every node of the tree.",
        "accept": "The joint ratio is above tau: the prefix that ends here passes, even where a shorter one failed.",
        "reject": "The prefix that ends here does not pass; a longer one may make up for it, unless the "
        "target rules this token out.",
        "finish": "After the deepest passing prefix, the target's likeliest among equals, one token is drawn from the "
        "target: no coin, no residual.",
    },
    distance=0.340,
)
