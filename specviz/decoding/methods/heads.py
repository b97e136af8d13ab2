"""Prediction heads on the target: one chain, a static tree, or a tree pruned by posterior (slim.txt)."""

from specviz.decoding.method import WARPS, Method, asked_warp
from specviz.decoding.options import Option, Options
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.drafting.heads import HeadsDrafter, PosteriorDrafter, TreeDrafter
from specviz.errors import ModelError, OptionError
from specviz.lm.heads import TREE_LIMIT, chain_tree
from specviz.lm.warp import Warp
from specviz.verifying.greedy import GreedyVerifier
from specviz.verifying.typical import TypicalVerifier
from specviz.verifying.verdict import Verifier

EPSILON, DELTA = 0.09, 0.3  # of typical acceptance, as Medusa sets them
MOST_CANDIDATES = 1_000_000


def _judge(setting: Setting, options: Options) -> Verifier:
    """The target's own choice, or typical acceptance where the options say so."""
    if options.get("acceptance") == "typical":
        return TypicalVerifier(EPSILON, DELTA, options["temperature"], setting.end_tokens)
    return GreedyVerifier(setting.end_tokens)


def _target_warp(options: Options) -> Warp:
    return asked_warp(options) if options.get("acceptance") == "typical" else Warp(0.0)


def _decoder(bench: Workbench, drafter: HeadsDrafter, options: Options) -> Decoder:
    return Decoder(drafter, _judge(bench.setting, options), heads=bench.pair.heads, hidden=True)


def _bpd(bench: Workbench, options: Options) -> Decoder:
    heads = bench.need_heads("bpd")
    return _decoder(bench, TreeDrafter(heads, chain_tree(heads.count), heads.count, bench.end_tokens), options)


def _medusa(bench: Workbench, options: Options) -> Decoder:
    heads = bench.need_heads("medusa")
    return _decoder(bench, TreeDrafter(heads, heads.tree, options["nodes"], bench.end_tokens), options)


def combined(top: int, heads: int, vocab_size: int) -> int:
    """How many best tokens of each head are combined. Raises OptionError where that makes too many prefixes."""
    top = min(top, vocab_size)
    if sum(top**depth for depth in range(1, heads + 1)) > MOST_CANDIDATES:
        raise OptionError(
            f"candidates must make at most {MOST_CANDIDATES} prefixes, got {top} for each of {heads} heads"
        )
    return top


def _slim(bench: Workbench, options: Options) -> Decoder:
    heads, correlation = bench.need_heads("slim"), None
    if options["correlation"]:
        correlation = bench.pair.correlation
        if correlation is None:
            raise ModelError(
                "slim needs a pair with the correlation of adjacent tokens; correlation=False ranks without it"
            )
    top = combined(options["candidates"], heads.count, bench.pair.target.vocab_size)
    return _decoder(bench, PosteriorDrafter(heads, top, options["keep"], correlation, bench.end_tokens), options)


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
    title="Blockwise parallel decoding",
    family="heads",
    paper="Stern, Shazeer, Uszkoreit (2018), Blockwise Parallel Decoding; as compared in SLiM",
    summary="Extra heads on the target guess the tokens after the next one, all at once; their best guesses form one "
    "chain, kept as far as it is what the target would have written.",
    own_options=(),
    texts=_TEXTS | {"draft": "Every head gives its best token: one chain, read off the last hidden state."},
    build=_bpd,
    judge=_judge,
    warp=_target_warp,
    ruled_by=lambda options: (),
    law_of=lambda options: "greedy",
    greedy=True,
    drafts="heads",
)

MEDUSA = Method(
    name="medusa",
    title="Medusa",
    family="heads",
    paper="Cai et al. (2024), Medusa: Simple LLM Inference Acceleration Framework with Multiple Decoding Heads",
    summary="Extra heads on the target guess the tokens after the next one; their best few guesses fill a tree whose "
    "shape was chosen once, from how often each guess is right, and the target checks all of it in one call.",
    own_options=(
        Option("nodes", "integer", TREE_LIMIT, "Nodes of the static tree to submit, the first ones.", 1, TREE_LIMIT),
        Option(
            "acceptance",
            "choice",
            "greedy",
            "greedy keeps the target's argmax; typical keeps what the target finds likely enough, and samples.",
            choices=("greedy", "typical"),
        ),
    ),
    texts=_TEXTS | {"draft": "Each place of a fixed tree takes the token of a fixed rank from its head."},
    build=_medusa,
    judge=_judge,
    warp=_target_warp,
    ruled_by=lambda options: ("acceptance", *(WARPS if options["acceptance"] == "typical" else ())),
    law_of=lambda options: "greedy" if options["acceptance"] == "greedy" or options["temperature"] == 0 else "lossy",
    greedy=True,
    drafts="heads",
)

SLIM = Method(
    name="slim",
    title="SLiM",
    family="heads",
    paper="Lin et al. (2024), SLiM: Speculative Decoding with Hypothesis Reduction",
    summary="Thousands of combinations of the heads' guesses are ranked by a fast posterior that corrects them with "
    "bigram counts, and only the best few are submitted: fewer tokens to check, as many right.",
    own_options=(
        Option("candidates", "integer", 10, "Best tokens of each head that are combined.", 1, 30),
        Option("keep", "integer", 20, "Candidates kept, with their ancestors: 1 is SLiM-SS, 20 S, 40 L.", 1, 1000),
        Option("correlation", "flag", True, "Weigh neighbours by how much likelier they are together than apart."),
    ),
    texts=_TEXTS
    | {
        "draft": "Every text that the heads' best tokens can form is ranked by prod p(x_i) prod r(x_j, x_(j+1)); the "
        "best stay, with their ancestors.",
    },
    build=_slim,
    judge=_judge,
    warp=_target_warp,
    ruled_by=lambda options: (),
    law_of=lambda options: "greedy",
    greedy=True,
    drafts="heads",
)
