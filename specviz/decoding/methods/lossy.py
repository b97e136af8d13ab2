"""Lossy relatives of speculative decoding: thresholds in place of coins (baselines of mtad.txt)."""

from specviz.decoding.method import WARPS, Method, target_or_greedy
from specviz.decoding.options import GAMMA, Option, Options
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.drafting.chain import ChainDrafter
from specviz.drafting.confident import ConfidentDrafter
from specviz.verifying.rollback import RollbackVerifier
from specviz.verifying.typical import TypicalVerifier


def _typical_judge(setting: Setting, options: Options) -> TypicalVerifier:
    return TypicalVerifier(options["epsilon"], options["delta"], options["temperature"], setting.end_tokens)


def _typical(bench: Workbench, options: Options) -> Decoder:
    draft = bench.need_draft("typical")
    session = bench.open_draft(draft, extra_rows=options["gamma"])
    drafter = ChainDrafter(session, bench.warp, options["gamma"], bench.end_tokens)
    return Decoder(drafter, _typical_judge(bench.setting, options), draft)


def _typical_law(options: Options) -> str:
    return "greedy" if options["temperature"] == 0 else "lossy"


TYPICAL = Method(
    name="typical",
    title="Typical acceptance",
    family="threshold",
    paper="Cai et al. (2024), Medusa: Simple LLM Inference Acceleration Framework with Multiple Decoding Heads",
    summary="The draft model writes a few tokens; the target keeps those that are likely enough for how open the "
    "place is. No coin: what the draft likes too much is not turned away, so the text leaves the target's law.",
    own_options=(
        GAMMA,
        Option("epsilon", "number", 0.09, "Probability that is always enough for a token to be kept.", 0.0, 1.0),
        Option("delta", "number", 0.3, "Share of exp(-entropy) that is enough where the target is open.", 0.0, 1.0),
    ),
    texts={
        "rule": "Keep a drafted token x while p(x) > min(epsilon, delta exp(-H(p))), p after the temperature alone.",
        "draft": "The draft model writes token after token, each drawn from its own law q.",
        "verify": "One target call gives the law p, and its entropy, at every drafted place.",
        "accept": "The target finds this token likely enough for how open the place is.",
        "reject": "Too unlikely here: this token and all after it are dropped.",
        "finish": "After the kept tokens one is drawn from the target: no coin, no residual.",
    },
    build=_typical,
    judge=_typical_judge,
    ruled_by=lambda options: ("epsilon", "delta", *WARPS),
    law_of=_typical_law,
    distance=0.171,
)


def _bild_judge(setting: Setting, options: Options) -> RollbackVerifier:
    return RollbackVerifier(options["rollback"], setting.end_tokens)


def _bild(bench: Workbench, options: Options) -> Decoder:
    draft = bench.need_draft("bild")
    session = bench.open_draft(draft, extra_rows=options["gamma"])
    drafter = ConfidentDrafter(session, bench.warp, options["gamma"], options["fallback"], bench.end_tokens)
    return Decoder(drafter, _bild_judge(bench.setting, options), draft)


def _bild_law(options: Options) -> str:
    return target_or_greedy(options) if options["rollback"] == 0.0 else "lossy"


BILD = Method(
    name="bild",
    title="Big Little Decoder",
    family="threshold",
    paper="Kim et al. (2023), Speculative Decoding with Big Little Decoder",
    summary="The small model writes for as long as it is sure of itself; then the target looks over what it wrote and "
    "goes back to the first token that surprises it. What surprises less stays, so the text leaves the target's law.",
    own_options=(
        Option("gamma", "integer", 10, "Tokens that the small model may write before the target looks.", 1, 16),
        Option(
            "fallback", "number", 0.9, "The small model writes while its best token is at least this likely.", 0.0, 1.0
        ),
        Option(
            "rollback", "number", 2.0, "Surprise in nats, -log p(x), above which the text is rolled back.", 0.0, 100.0
        ),
    ),
    texts={
        "rule": "Roll back to the first token with -log p(x) > rollback, p unwarped.",
        "draft": "The small model writes while its largest probability is at least the fallback threshold.",
        "verify": "One target call gives the law p at every place the small model wrote.",
        "accept": "The target is not surprised: the token stays.",
        "reject": "The target is too surprised: the text is rolled back to here, and the token replaced.",
        "finish": "The target supplies the next token, drawn from its own law: no coin, no residual.",
    },
    build=_bild,
    judge=_bild_judge,
    ruled_by=lambda options: ("rollback", *WARPS),
    law_of=_bild_law,
    distance=0.023,
)
