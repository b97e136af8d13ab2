"""Lossy relatives of speculative decoding: thresholds in place of coins (baselines of mtad.txt)."""

from specviz.decoding.registry.method import Method

TYPICAL = Method(
    name="typical",
    drafter="chain",
    verifier="typical",
    title="Typical acceptance",
    family="threshold",
    paper="Cai et al. (2024), Medusa: Simple LLM Inference Acceleration Framework with Multiple Decoding Heads",
    summary=(
        "The draft model writes a few tokens; the target keeps those that are likely enough for the entropy "
        "of its distribution. No coin: what the draft likes too much is not rejected."
    ),
    shows=("gamma", "epsilon", "delta", "draft"),
    texts={
        "rule": "Keep a drafted token x while p(x) > min(epsilon, delta exp(-H(p))), p after the temperature alone.",
        "draft": "The draft model writes token after token, each drawn from its own distribution q.",
        "verify": "One target call gives the distribution p, and its entropy, at every drafted position.",
        "accept": "The target finds this token likely enough, given the entropy here.",
        "reject": "Too unlikely here: this token and all after it are dropped.",
        "finish": "After the kept tokens one is drawn from the target: no coin, no residual.",
    },
    distance=0.171,
)

BILD = Method(
    name="bild",
    drafter="confident",
    verifier="rollback",
    title="Big Little Decoder",
    family="threshold",
    paper="Kim et al. (2023), Speculative Decoding with Big Little Decoder",
    summary=(
        "The small model writes for as long as it is sure of itself; then the target looks over what it wrote and "
        "goes back to the first token that surprises it. What surprises less is kept."
    ),
    texts={
        "rule": "Roll back to the first token with -log p(x) > rollback, p raw: before temperature, top-k and top-p.",
        "draft": "The small model writes while its largest probability is at least the fallback threshold.",
        "verify": "One target call gives the distribution p at every position the small model wrote.",
        "accept": "The target is not surprised: the token is kept.",
        "reject": "The target is too surprised: the text is rolled back to here, and the token replaced.",
        "finish": "The target supplies the next token, drawn from its own distribution: no coin, no residual.",
    },
    distance=0.023,
)
