"""Prediction heads on the target: one chain, a static tree, or a tree pruned by posterior (slim.txt)."""

from specviz.decoding.registry.method import Method
from specviz.options import Option

_TEXTS = {
    "rule": "Accept a drafted token when it is the target's own choice: x = argmax f(text so far).",
    "verify": "One target call reads the text's last token and all nodes, each seeing only its own ancestors.",
    "accept": "This is what the target would have written here.",
    "reject": "The target would have written something else.",
    "finish": "After the longest path that is right throughout, the target's own choice follows: it starts the next "
    "hypotheses, is text already, and is not drafted again.",
}

BPD = Method(
    name="bpd",
    drafter="heads-chain",
    verifier="greedy",
    title="Blockwise parallel decoding",
    family="heads",
    paper="Stern, Shazeer, Uszkoreit (2018), Blockwise Parallel Decoding; as compared in SLiM",
    summary=(
        "Extra heads on the target guess the tokens after the next one, all at once; their best guesses form one "
        "chain, kept as far as it is what the target would have written."
    ),
    texts=_TEXTS | {"draft": "Every head gives its best token: one chain, read off the last hidden state."},
)

MEDUSA = Method(
    name="medusa",
    drafter="heads-tree",
    verifier="greedy",
    title="Medusa",
    family="heads",
    paper="Cai et al. (2024), Medusa: Simple LLM Inference Acceleration Framework with Multiple Decoding Heads",
    summary=(
        "Extra heads on the target guess the tokens after the next one; their best few guesses fill a tree whose "
        "shape was chosen once, from how often each guess is right, and the target checks all of it in one call."
    ),
    acceptance=Option(
        "acceptance",
        "choice",
        "greedy",
        "greedy keeps the target's argmax; typical keeps what the target finds likely enough, and samples.",
        choices=("greedy", "typical"),
    ),
    texts=_TEXTS | {"draft": "Each node of a fixed tree takes the token of a fixed rank from its head."},
)

SLIM = Method(
    name="slim",
    drafter="posterior",
    verifier="greedy",
    title="SLiM",
    family="heads",
    paper="Lin et al. (2024), SLiM: Speculative Decoding with Hypothesis Reduction",
    summary=(
        "Thousands of combinations of the heads' guesses are ranked by a fast posterior that corrects them with "
        "bigram counts, and only the best few are submitted: fewer tokens to check, as many right."
    ),
    texts=_TEXTS
    | {
        "draft": "Every text that the heads' best tokens can form is ranked by prod p(x_i) prod r(x_j, x_(j+1)); the "
        "best stay, with their ancestors.",
    },
)
