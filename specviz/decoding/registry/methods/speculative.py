"""Speculative decoding: one chain, judged token by token (speculative-decoding.txt), with a residual or without."""

from dataclasses import replace

from specviz.decoding.registry.method import Method
from specviz.options import GAMMA

SPECULATIVE = Method(
    name="speculative",
    drafter="chain",
    verifier="token",
    title="Speculative decoding",
    family="chain",
    paper="Leviathan, Kalman, Matias (2023), Fast Inference from Transformers via Speculative Decoding",
    summary=(
        "A small draft model proposes a few tokens; the target checks them all in one call, and a coin for each "
        "decides whether it stays."
    ),
    shows=(
        replace(
            GAMMA, help="Tokens drafted in a row; auto chooses the best for the acceptance so far.", choices=("auto",)
        ),
        "lenience",
        "draft",
    ),
    texts={
        "rule": "Accept a drafted token x with probability min(1, p(x) / q(x)).",
        "draft": "The draft model writes token after token, each drawn from its own distribution q.",
        "verify": "One target call gives the distribution p at every drafted position.",
        "accept": "The token passes and stays.",
        "reject": "The draft proposed this token more often than the target would; the surplus is rejected, "
        "and a replacement is drawn from what the target has more of: the residual norm((p - q)+).",
        "finish": "If every drafted token passes, the same target call yields one bonus token.",
    },
)

REJECTION = Method(
    name="rejection",
    drafter="chain",
    verifier="rejection",
    title="Rejection sampling",
    family="chain",
    paper=(
        "Leviathan, Kalman, Matias (2023), Fast Inference from Transformers via Speculative Decoding, appendix A.2 "
        "(what the residual is better than)"
    ),
    summary=(
        "Speculative decoding without a residual: every guess has to pass a coin so strict that the target's own "
        "distribution is right for the token in place of a rejected one. As exact, and few guesses stay."
    ),
    shows=("gamma", "draft"),
    texts={
        "rule": "Accept a drafted token x with probability p(x) / (M q(x)), M being the largest p / q of any token.",
        "draft": "The draft model writes token after token, each drawn from its own distribution q.",
        "verify": "One target call gives the distribution p at every drafted position.",
        "accept": "The token passes and stays.",
        "reject": "The token goes, and the target draws anew from the whole of p: what the draft got right is thrown "
        "away with what it got wrong.",
        "finish": "If every drafted token passes, the same target call yields one bonus token.",
    },
)
