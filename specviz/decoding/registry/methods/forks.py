"""Improved multi-candidate speculative decoding: many first tokens, the best continuation wins (improved-mcsd.txt)."""

from specviz.decoding.registry.method import Method

IMPROVED_MCSD = Method(
    name="improved-mcsd",
    drafter="fork",
    verifier="fork",
    title="Improved MCSD",
    family="candidates",
    paper="Lu, Zeng, Ma, Yu, Levorato (2024), Improving Multi-candidate Speculative Decoding",
    summary=(
        "Several first tokens are drawn from the target's own distribution; the draft model continues each, and "
        "the one whose continuation goes furthest is kept."
    ),
    texts={
        "rule": "Judge every chain with its own coins, min(1, p(x) / q(x)), and keep the longest accepted.",
        "draft": "The first tokens are drawn from the target's distribution without replacement; the draft model "
        "extends each.",
        "verify": "One target call gives the distribution p at every position of every chain.",
        "accept": "The token passes and stays.",
        "reject": "This chain ends here; if it is kept, the next first tokens come from its residual norm((p - q)+).",
        "finish": "The chain that went furthest becomes text. Its first token stands for the bonus or replacement "
        "that other methods draw at the end; here nothing is drawn after the chain.",
    },
    distance=0.178,
)
