"""Speculative decoding: one chain, judged token by token (speculative-decoding.txt)."""

from specviz.decoding.method import WARPS, Method, target_or_greedy
from specviz.decoding.options import Option, Options
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.drafting.chain import ChainDrafter
from specviz.drafting.stopping import BestGamma, FixedGamma
from specviz.lm.ngram import KINDS, NgramLM
from specviz.verifying.token import GreedyTokenVerifier, TokenVerifier


def _judge(setting: Setting, options: Options) -> TokenVerifier:
    kind = GreedyTokenVerifier if setting.warp.greedy else TokenVerifier
    return kind(options["lenience"], setting.end_tokens)


def _speculative(bench: Workbench, options: Options) -> Decoder:
    if options["draft"] == "model":
        draft = bench.need_draft("speculative with draft='model'", "use draft='bigram', say")
    else:
        draft = NgramLM(options["draft"], bench.pair.target.vocab_size)
    cost_ratio = bench.cost_ratio(draft) if options["gamma"] == "auto" else None
    gamma = FixedGamma(options["gamma"]) if cost_ratio is None else BestGamma(cost_ratio)
    session = bench.open_draft(draft, extra_rows=gamma.most)
    drafter = ChainDrafter(session, bench.warp, gamma, bench.end_tokens)
    return Decoder(drafter, _judge(bench.setting, options), draft, cost_ratio)


SPECULATIVE = Method(
    name="speculative",
    title="Speculative decoding",
    family="chain",
    paper="Leviathan, Kalman, Matias (2023), Fast Inference from Transformers via Speculative Decoding",
    summary="A small draft model proposes a few tokens; the target checks them all in one call, and coins "
    "decide so that the text follows the target's law exactly.",
    own_options=(
        Option(
            "gamma",
            "integer",
            4,
            "Tokens drafted in a row; auto chooses the best for the acceptance so far.",
            1,
            16,
            choices=("auto",),
        ),
        Option(
            "lenience",
            "number",
            1.0,
            "Below 1 accepts more than is exact: no token becomes more than 1/lenience times likelier.",
            0.0,
            1.0,
            above_low=True,
        ),
        Option(
            "draft",
            "choice",
            "model",
            "What drafts: the draft model, or counts over the context.",
            choices=("model", *KINDS),
        ),
    ),
    texts={
        "rule": "Accept a drafted token x with probability min(1, p(x) / q(x)).",
        "draft": "The draft model writes token after token, each drawn from its own law q.",
        "verify": "One target call gives the law p at every drafted place.",
        "accept": "The target likes this token at least as much as the coin asks for.",
        "reject": "The draft proposed this token more often than the target would; the surplus is turned away, "
        "and a replacement is drawn from what the target has more of: the residual norm((p - q)+).",
        "finish": "If every drafted token passes, the same target call yields one bonus token.",
    },
    build=_speculative,
    judge=_judge,
    ruled_by=lambda options: ("lenience", *WARPS),
    law_of=lambda options: target_or_greedy(options) if options["lenience"] == 1.0 else "lossy",
)
