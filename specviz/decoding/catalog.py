"""Every method: its paper, options, law and texts, and which drafter meets which verifier."""

from collections.abc import Callable
from dataclasses import dataclass, field

from specviz.decoding.options import SHARED, Option, Value, resolve
from specviz.decoding.workbench import Decoder, Workbench
from specviz.drafting.beam import BeamDrafter
from specviz.drafting.chain import ChainDrafter, NoDraft
from specviz.drafting.stopping import BestGamma, FixedGamma
from specviz.errors import ModelError, OptionError
from specviz.lm.ngram import KINDS, NgramLM
from specviz.trace.record import MethodRecord
from specviz.verifying.joint import JointVerifier
from specviz.verifying.token import GreedyTokenVerifier, TokenVerifier

Options = dict[str, Value]


@dataclass(frozen=True)
class Method:
    """A named pairing of a drafter and a verifier. ``law`` says what the output is distributed as at the defaults:
    ``target``, ``greedy`` or ``lossy``; ``texts`` explain it by phase (rule, draft, verify, accept, reject, finish)."""

    name: str
    title: str
    paper: str
    summary: str
    own_options: tuple[Option, ...]
    texts: dict[str, str]
    build: Callable[[Workbench, Options], Decoder] = field(repr=False)
    lossless: Callable[[Options], bool] = field(repr=False)
    greedy_law: Callable[[Options], str] = field(repr=False, default=lambda options: "greedy")

    @property
    def options(self) -> dict[str, Option]:
        """Own options first, then those that all methods share."""
        return {option.name: option for option in (*self.own_options, *SHARED)}

    @property
    def law(self) -> str:
        """The law at the default options."""
        return self.law_for()

    def resolve(self, **options: Value) -> Options:
        """Every option, defaults filled in. Raises OptionError naming the option, the value and the allowed range."""
        return resolve(tuple(self.options.values()), options, f"method {self.name!r}")

    def law_for(self, **options: Value) -> str:
        """``target``, ``greedy`` or ``lossy`` at the given options."""
        resolved = self.resolve(**options)
        if not self.lossless(resolved):
            return "lossy"
        return self.greedy_law(resolved) if resolved["temperature"] == 0 else "target"

    def record(self, options: Options) -> MethodRecord:
        """What a trace says about the method."""
        return MethodRecord(self.name, self.title, self.paper, self.law_for(**options), self.summary, dict(self.texts))


def _autoregressive(bench: Workbench, options: Options) -> Decoder:
    return Decoder(NoDraft(), TokenVerifier(end_tokens=bench.end_tokens), None)


def _speculative(bench: Workbench, options: Options) -> Decoder:
    if options["draft"] == "model":
        draft = bench.pair.draft
        if draft is None:
            raise ModelError("speculative with draft='model' needs a pair with a draft model; use draft='bigram', say")
    else:
        draft = NgramLM(options["draft"], bench.pair.target.vocab_size)
    cost_ratio = bench.cost_ratio(draft) if options["gamma"] == "auto" else None
    gamma = FixedGamma(options["gamma"]) if cost_ratio is None else BestGamma(cost_ratio)
    session = bench.open_draft(draft, extra_rows=gamma.most)
    kind = GreedyTokenVerifier if bench.warp.greedy else TokenVerifier
    drafter = ChainDrafter(session, bench.warp, gamma, bench.end_tokens)
    return Decoder(drafter, kind(options["lenience"], bench.end_tokens), draft, cost_ratio)


def _mtad(bench: Workbench, options: Options) -> Decoder:
    draft = bench.pair.draft
    if draft is None:
        raise ModelError("mtad needs a pair with a draft model")
    session = bench.open_draft(draft, extra_rows=options["gamma"] * options["beams"])
    drafter = BeamDrafter(session, bench.warp, options["gamma"], options["beams"], bench.end_tokens)
    return Decoder(drafter, JointVerifier(options["tau"], bench.end_tokens), draft)


GAMMA = Option("gamma", "integer", 4, "Tokens drafted in a row, per iteration.", 1, 16)

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="autoregressive",
            title="Autoregressive",
            paper="plain sampling, the baseline of every paper",
            summary="The target writes one token per call. Nothing is drafted.",
            own_options=(),
            texts={
                "rule": "Draw each token from the target's own law p.",
                "draft": "Nothing is drafted.",
                "verify": "The target reads the newest token and gives the law of the next one.",
                "accept": "",
                "reject": "",
                "finish": "One token per target call: the slow way that the others race against.",
            },
            build=_autoregressive,
            lossless=lambda options: True,
        ),
        Method(
            name="speculative",
            title="Speculative decoding",
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
            lossless=lambda options: options["lenience"] == 1.0,
        ),
        Method(
            name="mtad",
            title="MTAD",
            paper="Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference",
            summary="The draft model searches several beams for a likely run of tokens; the target keeps the longest "
            "prefix whose joint likelihood is not much below the draft's. Likelier text, not the target's law.",
            own_options=(
                GAMMA,
                Option("beams", "integer", 8, "Sequences that the draft model keeps while searching.", 1, 64),
                Option("tau", "number", 0.1, "Joint likelihood ratio that a prefix must exceed to be kept.", 0.0, 1.0),
            ),
            texts={
                "rule": "Keep the longest prefix with min(1, prod p / prod q) > tau.",
                "draft": "The draft model grows several beams and submits the most likely one.",
                "verify": "One target call gives the law p at every place of the submitted beam.",
                "accept": "The joint ratio is above tau: this prefix passes, whatever the shorter ones did.",
                "reject": "No prefix that reaches this far passes.",
                "finish": "After the longest passing prefix one token is drawn from the target: no coin, no residual.",
            },
            build=_mtad,
            lossless=lambda options: False,
        ),
    )
}


def methods() -> dict[str, Method]:
    """Every method by name."""
    return dict(METHODS)


def find(name: str) -> Method:
    """The method called ``name``. Raises OptionError listing the names there are."""
    if not isinstance(name, str) or name not in METHODS:
        raise OptionError(f"method must be one of {', '.join(METHODS)}, got {name!r}")
    return METHODS[name]
