"""Every verifier, registered once: its name, options, what it can judge, what it keeps, and how it is built."""

from dataclasses import replace

from specviz.decoding.context import VerifyContext
from specviz.decoding.registry.options import Option, Options
from specviz.decoding.registry.parts import register_verifier
from specviz.decoding.registry.specs import WARPS, VerifierSpec, target_or_greedy
from specviz.drafting.joint import joint_distribution
from specviz.errors import OptionError
from specviz.lm.warp import Warp
from specviz.trace.forest import Drawing
from specviz.trace.record import Guarantee
from specviz.verifying.beams.beam import BeamSampling, BeamSearch
from specviz.verifying.beams.layered import LayeredVerifier
from specviz.verifying.beams.speculative_beam import SpeculativeBeamVerifier
from specviz.verifying.block import BlockVerifier
from specviz.verifying.fork import ForkVerifier
from specviz.verifying.greedy import GreedyVerifier
from specviz.verifying.joint import JointVerifier
from specviz.verifying.kseq import SequenceVerifier
from specviz.verifying.multi_token import MultiTokenVerifier, Particles, particle_distribution
from specviz.verifying.recursive import RecursiveVerifier
from specviz.verifying.rollback import RollbackVerifier
from specviz.verifying.token import GreedyTokenVerifier, TokenVerifier
from specviz.verifying.typical import TypicalVerifier
from specviz.verifying.verdict import Verifier

MOST_CONTINUATIONS = 20_000  # of a block, when all are enumerated
LINE: tuple[Drawing, ...] = ("independent", "deterministic")  # of one chain

_DETERMINISTIC = Option("deterministic", "flag", False, "Keep the most likely instead of drawing.")


# One text.


def _token(context: VerifyContext, options: Options) -> Verifier:
    kind = GreedyTokenVerifier if context.warp.greedy else TokenVerifier
    return kind(options["lenience"], context.end_tokens)


def _token_guarantee(options: Options, drawing: Drawing) -> Guarantee:
    if options["lenience"] < 1.0:
        return "lossy"
    return target_or_greedy(options) if drawing in LINE or options["temperature"] == 0 else "lossy"


def _joint_guarantee(options: Options, drawing: Drawing) -> Guarantee:
    """tau = 1 keeps no draft; at temperature 0 a ratio is 1 for the greedy tokens and 0 for all others."""
    return target_or_greedy(options) if options["tau"] == 1.0 or options["temperature"] == 0 else "lossy"


def _typical(context: VerifyContext, options: Options) -> Verifier:
    return TypicalVerifier(options["epsilon"], options["delta"], options["temperature"], context.end_tokens)


def _fork(context: VerifyContext, options: Options) -> Verifier:
    return ForkVerifier(GreedyTokenVerifier() if context.warp.greedy else TokenVerifier(), context.end_tokens)


def _only_greedy(options: Options) -> Warp:
    return Warp(0.0)


# Several beams.


def _certain(options: Options) -> bool:
    return options["deterministic"] or options["temperature"] == 0


def _sampling_changeable(options: Options) -> tuple[str, ...]:
    return ("deterministic", *(() if options["deterministic"] else WARPS))


def _beam(context: VerifyContext, options: Options) -> Verifier:
    return BeamSearch(options["beams"]) if _certain(options) else BeamSampling(context.warp, options["beams"])


def _block_beams(context: VerifyContext, options: Options) -> tuple[int, int]:
    """The beams of a block, and the rows that they need."""
    width, tokens = options["beams"], options["tokens"]
    return _all_continuations(context.vocab_size, tokens) if options["exact"] else (width, width * (tokens - 1))


def _all_continuations(vocab_size: int, tokens: int) -> tuple[int, int]:
    """V^(K-1), the most beams of a block of which every continuation is grown, and V + .. + V^(K-1), the rows that they
    need. Raises OptionError past ``MOST_CONTINUATIONS``."""
    if vocab_size**tokens > MOST_CONTINUATIONS:
        raise OptionError(
            f"exact=True enumerates vocabulary ** tokens continuations, here {vocab_size} ** {tokens} = "
            f"{vocab_size**tokens}; at most {MOST_CONTINUATIONS} are allowed: lower tokens, or use exact=False",
            argument="exact",
            code="too_many",
        )
    return vocab_size ** (tokens - 1), sum(vocab_size**length for length in range(1, tokens))


def _multi_token(context: VerifyContext, options: Options) -> Verifier:
    width, _ = _block_beams(context, options)
    warp = Warp(temperature=0.0) if _certain(options) else context.warp
    searching = _certain(options) or options["exact"]
    grow: Verifier = BeamSearch(width) if searching else Particles(warp, width)
    joint = joint_distribution if searching else particle_distribution
    sizes = options["tokens"], context.prompt_length, context.max_new_tokens
    return MultiTokenVerifier(grow, joint, warp, *sizes, context.end_tokens)


def _multi_token_guarantee(options: Options, drawing: Drawing) -> Guarantee:
    if options["tokens"] == 1:
        return "greedy" if _certain(options) else "target"
    raw = options["temperature"] == 1 and options["top_k"] is None and options["top_p"] in (None, 1.0)
    return "target" if raw and not options["deterministic"] else "lossy"


def _search(context: VerifyContext, options: Options) -> Verifier:
    width, draft_width = options["beams"], options["draft_beams"]
    if draft_width < width:
        raise OptionError(f"draft_beams must be at least beams ({width}), got {draft_width}", argument="draft_beams")
    return SpeculativeBeamVerifier(width, context.end_tokens)


def _layered(context: VerifyContext, options: Options) -> Verifier:
    return LayeredVerifier(
        context.warp,
        options["min_beams"],
        options["threshold"],
        single_cache=options["single_cache"],
        prompt_length=context.prompt_length,
        end_tokens=context.end_tokens,
    )


BUILT_IN = (
    VerifierSpec(
        "token",
        "token by token",
        _token,
        (
            Option(
                "lenience",
                "number",
                1.0,
                "Below 1 accepts more than is exact: no token becomes more than 1/lenience times likelier.",
                0.0,
                1.0,
                above_low=True,
            ),
        ),
        judges=("chain", "nothing"),
        exact=LINE,
        guarantee=_token_guarantee,
        title="Token by token",
        sentence="One coin for each guess: it stays with probability min(1, target / draft). At the first rejection a "
        "replacement is drawn from the residual, and all guesses after it go.",
    ),
    VerifierSpec(
        "block",
        "the chain as a block",
        lambda context, options: BlockVerifier(context.end_tokens),
        judges=("chain",),
        exact=LINE,
        title="As a block",
        sentence="Weighs the whole chain: a strong guess later on can make up for a weak one before it, and the "
        "longest prefix that passes its coin stays.",
    ),
    VerifierSpec(
        "recursive",
        "candidate after candidate at every node",
        lambda context, options: RecursiveVerifier(context.end_tokens),
        exact=("independent", "without_replacement", "deterministic"),
        title="Candidate after candidate",
        sentence="At every position the candidates are tried in turn, each with a coin; after a rejection the next "
        "one is judged against what the residual has left.",
    ),
    VerifierSpec(
        "kseq",
        "K-SEQ, all candidates for a position at once",
        lambda context, options: SequenceVerifier(context.end_tokens),
        drawings=("independent",),
        exact=("independent",),
        title="K-SEQ",
        sentence="Judges all candidates for a position with one common discount on the acceptance probability, so "
        "that having several does not favour what the draft likes.",
    ),
    VerifierSpec(
        "joint",
        "MTAD's joint rule",
        lambda context, options: JointVerifier(options["tau"], context.end_tokens),
        (Option("tau", "number", 0.1, "Joint likelihood ratio that a prefix must exceed to be kept.", 0.0, 1.0),),
        guarantee=_joint_guarantee,
        title="MTAD's joint rule",
        sentence="No coin: keeps the longest prefix whose whole likelihood ratio, target / draft multiplied up, is "
        "above τ. Weak guesses inside a strong sentence stay.",
    ),
    VerifierSpec(
        "typical",
        "typical acceptance",
        _typical,
        (
            Option("epsilon", "number", 0.09, "Probability that is always enough for a token to be kept.", 0.0, 1.0),
            Option(
                "delta", "number", 0.3, "Share of exp(-entropy) that is enough where the target is uncertain.", 0.0, 1.0
            ),
        ),
        guarantee=lambda options, drawing: "greedy" if options["temperature"] == 0 else "lossy",
        title="Typical acceptance",
        sentence="No coin: keeps a guess that the target finds likely enough, and asks for less where the target "
        "itself is undecided.",
    ),
    VerifierSpec(
        "rollback",
        "Big Little Decoder's rollback",
        lambda context, options: RollbackVerifier(options["rollback"], context.end_tokens),
        (
            Option(
                "rollback",
                "number",
                2.0,
                "Surprise in nats, -log p(x), above which the text is rolled back.",
                0.0,
                100.0,
            ),
        ),
        judges=("chain",),
        guarantee=lambda options, drawing: target_or_greedy(options) if options["rollback"] == 0.0 else "lossy",
        title="Rollback",
        sentence="No coin: keeps the draft's text up to the first token that surprises the target by more than a "
        "threshold.",
    ),
    VerifierSpec(
        "greedy",
        "the target's own choice",
        lambda context, options: GreedyVerifier(context.end_tokens),
        guarantee=lambda options, drawing: "greedy",
        target_warp=_only_greedy,
        changeable=lambda options: (),
        title="Greedy match",
        sentence="Nothing is random: a guess stays only when it is the target's single most likely token.",
    ),
    VerifierSpec(
        "fork",
        "every chain token by token, the longest kept",
        _fork,
        judges=("fork",),
        guarantee=lambda options, drawing: target_or_greedy(options) if options["width"] == 1 else "lossy",
        free=False,
    ),
    VerifierSpec(
        "beam",
        "beams drawn from the target's joint distribution",
        _beam,
        (Option("beams", "integer", 4, "Beams kept at a time (W).", 1, 64), _DETERMINISTIC),
        judges=("nothing",),
        guarantee=lambda options, drawing: "beam search" if _certain(options) else "beam",
        changeable=_sampling_changeable,
        beams=lambda context, options: (options["beams"], None),
        carries=True,
        free=False,
    ),
    VerifierSpec(
        "multi-token",
        "a block of tokens drawn from their joint distribution",
        _multi_token,
        (
            Option("tokens", "integer", 4, "Tokens committed at a time (K).", 1, 16),
            Option("beams", "integer", 8, "Beams that approximate their joint distribution (W).", 1, 64),
            replace(_DETERMINISTIC, help="Commit the most likely instead of drawing."),
            Option("exact", "flag", False, "Grow every continuation; for small vocabularies."),
        ),
        judges=("nothing",),
        guarantee=_multi_token_guarantee,
        changeable=_sampling_changeable,
        beams=_block_beams,
        carries=True,
        free=False,
    ),
    VerifierSpec(
        "search",
        "steps of the target's beam search among the drafted beams",
        _search,
        (Option("beams", "integer", 2, "Beams of the search (w).", 1, 64),),
        judges=("layers",),
        guarantee=lambda options, drawing: "beam search",
        changeable=lambda options: ("beams",),
        beams=lambda context, options: (options["beams"], None),
        carries=True,
        free=False,
    ),
    VerifierSpec(
        "layered",
        "drafted beams layer by layer, of a width that changes",
        _layered,
        (
            Option("min_beams", "integer", 1, "Beams that a layer has at least.", 1, 64),
            Option(
                "threshold",
                "number",
                0.7,
                "A layer gets as many beams as are all accepted with this probability; None: min_beams, always.",
                0.0,
                1.0,
                optional=True,
            ),
            Option("single_cache", "flag", False, "Only the output beam of lowest perplexity goes on: less memory."),
        ),
        judges=("layers",),
        guarantee=lambda options, drawing: "greedy" if options["temperature"] == 0 else "beam",
        changeable=lambda options: ("threshold", "min_beams", *WARPS),
        beams=lambda context, options: (
            1 if options["single_cache"] else max(options["draft_beams"], options["min_beams"]),
            None,
        ),
        carries=True,
        free=False,
    ),
)

for _spec in BUILT_IN:
    register_verifier(_spec)
