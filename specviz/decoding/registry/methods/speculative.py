"""Speculative decoding: one chain, judged token by token (speculative-decoding.txt)."""

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
