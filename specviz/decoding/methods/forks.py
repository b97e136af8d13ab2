"""Improved multi-candidate speculative decoding: many first tokens, the best continuation wins (improved-mcsd.txt)."""

from specviz.decoding.method import Method, target_or_greedy
from specviz.decoding.options import Option, Options
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.drafting.fork import ForkDrafter
from specviz.errors import ModelError
from specviz.lm.deciding import KINDS, Decider
from specviz.verifying.fork import ForkVerifier
from specviz.verifying.token import GreedyTokenVerifier, TokenVerifier


def _decider(bench: Workbench, kind: str | None) -> Decider | None:
    if kind is None:
        return None
    if kind not in bench.pair.deciders:
        raise ModelError(
            f"improved-mcsd with decision={kind!r} needs a pair with that decision model; "
            f"this one has {', '.join(bench.pair.deciders) or 'none'}: use decision=None"
        )
    return bench.pair.deciders[kind]


def _judge(setting: Setting, options: Options) -> ForkVerifier:
    rule = GreedyTokenVerifier() if setting.warp.greedy else TokenVerifier()
    return ForkVerifier(rule, setting.end_tokens)


def _improved_mcsd(bench: Workbench, options: Options) -> Decoder:
    draft, width, depth = bench.need_draft("improved-mcsd"), options["width"], options["depth"]
    decider = _decider(bench, options["decision"])
    hidden = decider is not None and decider.kind == "hidden"
    session = bench.open_draft(draft, extra_rows=width * depth, hidden=hidden)
    drafter = ForkDrafter(session, bench.warp, width, depth, bench.end_tokens, decider, options["beta"])
    return Decoder(drafter, _judge(bench.setting, options), draft, peek=True)


IMPROVED_MCSD = Method(
    name="improved-mcsd",
    title="Improved MCSD",
    family="candidates",
    paper="Lu, Zeng, Ma, Yu, Levorato (2024), Improving Multi-candidate Speculative Decoding",
    summary="Several first tokens are drawn from the target's own law; the draft model continues each, and the one "
    "whose continuation goes furthest is kept. Chosen by its continuation, it no longer follows the target's law.",
    own_options=(
        Option("width", "integer", 16, "First tokens, each with a chain of its own; 1 is speculative decoding.", 1, 64),
        Option("depth", "integer", 5, "Tokens drafted below each first token, at most.", 1, 16),
        Option("beta", "number", 0.4, "Drafting stops early once every chain's estimate is below this.", 0.0, 1.0),
        Option(
            "decision",
            "choice",
            None,
            "Decision model that estimates acceptance while drafting: from the draft's hidden states, or from its "
            "highest probabilities and entropy. None: always draft to the full depth.",
            choices=KINDS,
            optional=True,
        ),
    ),
    texts={
        "rule": "Judge every chain with its own coins, min(1, p(x) / q(x)), and keep the longest accepted.",
        "draft": "The first tokens are drawn from the target's law without replacement; the draft model extends each.",
        "verify": "One target call gives the law p at every place of every chain.",
        "accept": "The target likes this token at least as much as the coin asks for.",
        "reject": "This chain ends here; if it is kept, the next first tokens come from its residual norm((p - q)+).",
        "finish": "The chain that went furthest becomes text, its first token unjudged; no bonus token is drawn.",
    },
    build=_improved_mcsd,
    judge=_judge,
    law_of=lambda options: target_or_greedy(options) if options["width"] == 1 else "lossy",
    distance=0.178,
    carries=True,
)
