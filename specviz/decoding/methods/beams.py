"""Methods that keep several beams: on the target alone, and with drafted beams (dsbd.txt; mtad.txt, section 3.1;
speculative-decoding.txt, appendix A.4)."""

from dataclasses import replace

from specviz.decoding.method import WARPS, Method
from specviz.decoding.options import GAMMA, Option, Options
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.drafting.chain import NoDraft
from specviz.drafting.layers import LayerDrafter, SearchDrafter
from specviz.errors import OptionError
from specviz.lm.warp import Warp
from specviz.verifying.beam import BeamSampling, BeamSearch
from specviz.verifying.layered import LayeredVerifier
from specviz.verifying.multi_token import MultiTokenVerifier
from specviz.verifying.speculative_beam import SpeculativeBeamVerifier
from specviz.verifying.verdict import Verifier

MOST_CONTINUATIONS = 20_000  # of a block, when all are enumerated

_DETERMINISTIC = Option("deterministic", "flag", False, "Keep the most likely instead of drawing.")


def _certain(options: Options) -> bool:
    return options["deterministic"] or options["temperature"] == 0


def _sampling_ruled_by(options: Options) -> tuple[str, ...]:
    return ("deterministic", *(() if options["deterministic"] else WARPS))


def _beam_judge(setting: Setting, options: Options) -> Verifier:
    return BeamSearch(options["beams"]) if _certain(options) else BeamSampling(setting.warp, options["beams"])


def _beam(bench: Workbench, options: Options) -> Decoder:
    return Decoder(NoDraft(), _beam_judge(bench.setting, options), beams=options["beams"])


BEAM = Method(
    name="beam",
    title="Beam sampling",
    family="target",
    paper="the baseline of Dynamic-Width Speculative Beam Decoding for Efficient LLM Inference, section 2",
    summary="The target keeps several beams and draws each next layer from the joint law of beams and tokens. "
    "Nothing is drafted. The most likely beam becomes the text.",
    own_options=(Option("beams", "integer", 4, "Beams kept at a time (W).", 1, 64), _DETERMINISTIC),
    texts={
        "rule": "Draw W beams, with replacement, from p_beam: P(beam) P(token given beam) over all beams and tokens, "
        "warped once.",
        "draft": "Nothing is drafted.",
        "verify": "The target reads the newest token of every beam in one call and gives the laws of the next ones.",
        "accept": "This continuation is one of the next beams.",
        "reject": "",
        "finish": "A token becomes output once all beams have it; at the end the most likely beam is the text.",
    },
    build=_beam,
    judge=_beam_judge,
    ruled_by=_sampling_ruled_by,
    drafts="nothing",
    law_of=lambda options: "beam search" if _certain(options) else "beam",
    carries=True,
)


def _block_beams(vocab_size: int, options: Options) -> tuple[int, int]:
    """The beams of a block, and the rows that they need."""
    width, tokens = options["beams"], options["tokens"]
    return _all_continuations(vocab_size, tokens) if options["exact"] else (width, width * (tokens - 1))


def _mtjd_judge(setting: Setting, options: Options) -> Verifier:
    width, _ = _block_beams(setting.vocab_size, options)
    warp = Warp(temperature=0.0) if _certain(options) else setting.warp
    searching = _certain(options) or options["exact"]
    grow = BeamSearch(width) if searching else BeamSampling(warp, width)
    sizes = options["tokens"], setting.prompt_length, setting.max_new_tokens
    return MultiTokenVerifier(grow, warp, *sizes, setting.end_tokens)


def _mtjd(bench: Workbench, options: Options) -> Decoder:
    width, rows = _block_beams(bench.setting.vocab_size, options)
    return Decoder(NoDraft(), _mtjd_judge(bench.setting, options), beams=width, beam_rows=rows)


def _all_continuations(vocab_size: int, tokens: int) -> tuple[int, int]:
    """V^(K-1), the most beams of a block of which every continuation is grown, and V + .. + V^(K-1), the rows that they
    need. Raises OptionError past ``MOST_CONTINUATIONS``."""
    if vocab_size**tokens > MOST_CONTINUATIONS:
        raise OptionError(
            f"exact=True enumerates vocabulary ** tokens continuations, here {vocab_size} ** {tokens} = "
            f"{vocab_size**tokens}; at most {MOST_CONTINUATIONS} are allowed: lower tokens, or use exact=False"
        )
    return vocab_size ** (tokens - 1), sum(vocab_size**length for length in range(1, tokens))


def _mtjd_law(options: Options) -> str:
    if options["tokens"] == 1:
        return "greedy" if _certain(options) else "target"
    unwarped = options["temperature"] == 1 and options["top_k"] is None and options["top_p"] in (None, 1.0)
    return "target" if options["exact"] and unwarped and not options["deterministic"] else "lossy"


MTJD = Method(
    name="mtjd",
    title="Multi-token joint decoding",
    family="target",
    paper="Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference, section 3.1",
    summary="The target writes several tokens at a time, drawn from their warped joint law, which it finds by growing "
    "beams. Nothing is drafted. Likelier text than token by token, not the target's law.",
    own_options=(
        Option("tokens", "integer", 4, "Tokens committed at a time (K).", 1, 16),
        Option("beams", "integer", 8, "Beams that approximate their joint law (W).", 1, 64),
        replace(_DETERMINISTIC, help="Commit the most likely instead of drawing."),
        Option("exact", "flag", False, "Grow every continuation; for small vocabularies."),
    ),
    texts={
        "rule": "Draw K tokens at once from their joint law, warped as one.",
        "draft": "Nothing is drafted.",
        "verify": "The target reads the newest token of every beam of the block in one call.",
        "accept": "This continuation is one of the block's beams.",
        "reject": "",
        "finish": "With the last token of a block, one beam is drawn by its weight and becomes text.",
    },
    build=_mtjd,
    judge=_mtjd_judge,
    ruled_by=_sampling_ruled_by,
    drafts="nothing",
    law_of=_mtjd_law,
    carries=True,
)


def _speculative_beam_judge(setting: Setting, options: Options) -> Verifier:
    width, draft_width = options["beams"], options["draft_beams"]
    if draft_width < width:
        raise OptionError(f"draft_beams must be at least beams ({width}), got {draft_width}")
    return SpeculativeBeamVerifier(width, setting.end_tokens)


def _speculative_beam(bench: Workbench, options: Options) -> Decoder:
    verifier, width = _speculative_beam_judge(bench.setting, options), options["beams"]
    drafter = _beam_drafter(SearchDrafter, "speculative-beam", bench, options, beams=width)
    return Decoder(drafter, verifier, bench.pair.draft, beams=width)


def _beam_drafter(kind: type, who: str, bench: Workbench, options: Options, beams: int) -> LayerDrafter | SearchDrafter:
    draft, gamma, width = bench.need_draft(who), options["gamma"], options["draft_beams"]
    session = bench.open_draft(draft, extra_rows=gamma * width + 2 * beams + bench.beam_rows(beams))
    return kind(session, bench.warp, gamma, width, bench.end_tokens)


SPECULATIVE_BEAM = Method(
    name="speculative-beam",
    title="Speculative beam search",
    family="beams",
    paper="Leviathan, Kalman, Matias (2023), Fast Inference from Transformers via Speculative Decoding, appendix A.4",
    summary="The draft model searches with more beams than are asked for; as long as the target's best are among them, "
    "one target call makes several steps of beam search. The text is that of beam search on the target.",
    own_options=(
        replace(GAMMA, default=3, help="Layers drafted, per iteration."),
        Option("beams", "integer", 2, "Beams of the search (w).", 1, 64),
        Option("draft_beams", "integer", 4, "Beams that the draft model keeps (u, at least w).", 1, 64),
    ),
    texts={
        "rule": "A step passes while the target's best w beams are among the draft's best u.",
        "draft": "The draft model searches u beams, layer by layer.",
        "verify": "One target call scores every drafted beam.",
        "accept": "The target's best were all drafted: the next step can be made without another call.",
        "reject": "One of the target's best was not drafted: its own best are kept, and the iteration ends.",
        "finish": "If every layer passes, the same target call makes one more step.",
    },
    build=_speculative_beam,
    judge=_speculative_beam_judge,
    ruled_by=lambda options: ("beams",),
    law_of=lambda options: "beam search",
    carries=True,
)


def _dsbd_judge(setting: Setting, options: Options) -> Verifier:
    return LayeredVerifier(
        setting.warp,
        options["min_beams"],
        options["threshold"],
        single_cache=options["single_cache"],
        prompt_length=setting.prompt_length,
        end_tokens=setting.end_tokens,
    )


def _dsbd(bench: Workbench, options: Options) -> Decoder:
    going = 1 if options["single_cache"] else max(options["draft_beams"], options["min_beams"])
    drafter = _beam_drafter(LayerDrafter, "dsbd", bench, options, beams=going)
    return Decoder(drafter, _dsbd_judge(bench.setting, options), bench.pair.draft, beams=going)


DSBD = Method(
    name="dsbd",
    title="Dynamic-width beams",
    family="beams",
    paper="Dynamic-Width Speculative Beam Decoding for Efficient LLM Inference",
    summary="The draft model writes layers of beams; the target accepts as many of each layer as the two models' "
    "agreement allows, so that the beams follow beam sampling on the target, several steps a call.",
    own_options=(
        replace(GAMMA, default=3, help="Layers drafted, per iteration."),
        Option("draft_beams", "integer", 5, "Beams drafted in each layer.", 1, 64),
        Option("min_beams", "integer", 1, "Beams that a layer has at least.", 1, 64),
        Option(
            "threshold",
            "number",
            0.7,
            "A layer gets as many beams as are all accepted with this chance; None: min_beams, always.",
            0.0,
            1.0,
            optional=True,
        ),
        Option("single_cache", "flag", False, "Only the output beam of lowest perplexity goes on: less memory."),
    ),
    texts={
        "rule": "Accept a drafted beam x with probability min(1, p'(x) / q_beam(x)).",
        "draft": "The draft model draws each layer of beams from its own joint law q_beam over beams and tokens.",
        "verify": "One target call scores every drafted beam of the forest; p_beam is the target's joint law, and the "
        "layer's width is what is likely to be accepted.",
        "accept": "The beam joins the layer, and p' is p_beam again.",
        "reject": "What the draft proposes too often is taken away: p' becomes norm((p' - q_beam)+).",
        "finish": "A layer that is not full gets one beam from p' and the others from p_beam, and the iteration ends; "
        "if every layer is full, the same target call gives one more from p_beam.",
    },
    build=_dsbd,
    judge=_dsbd_judge,
    ruled_by=lambda options: ("threshold", "min_beams", *WARPS),
    law_of=lambda options: "greedy" if options["temperature"] == 0 else "beam",
    carries=True,
)
