"""Every drafter, registered once: its name, options, how it draws and how it is built."""

from collections.abc import Callable
from dataclasses import replace

from specviz.decoding.context import DecodeContext
from specviz.decoding.registry.parts import register_drafter
from specviz.decoding.registry.specs import DrafterSpec
from specviz.drafting.beam import BeamDrafter, BeamForestDrafter
from specviz.drafting.chain import ChainDrafter, NoDraft
from specviz.drafting.confident import ConfidentDrafter
from specviz.drafting.drafter import Drafter
from specviz.drafting.dynamic import DynamicTreeDrafter
from specviz.drafting.fork import ForkDrafter
from specviz.drafting.heads import PosteriorDrafter, TreeDrafter
from specviz.drafting.layers import LayerDrafter, LayersDrafter, SearchDrafter
from specviz.drafting.sequences import SequencesDrafter
from specviz.drafting.stopping import BestGamma
from specviz.drafting.tree import ONE_DRAWN, LeadingTreeDrafter, SampledTreeDrafter, tree_size
from specviz.errors import ModelError, OptionError
from specviz.lm.language_model import LanguageModel
from specviz.lm.ngram import KINDS as NGRAM_KINDS
from specviz.lm.ngram import NgramLM
from specviz.lm.parts.correlation import Correlation
from specviz.lm.parts.deciding import KINDS as DECISION_KINDS
from specviz.lm.parts.heads import TREE_LIMIT, chain_tree
from specviz.options import GAMMA, Option, Options
from specviz.trace.forest import Drawing
from specviz.trace.record import shown

AUTO = "auto"  # a value that a method finds by itself
MOST_NODES = 256  # of one tree
MOST_CANDIDATES = 1_000_000  # prefixes that heads' tokens may form

K_CONFIG = Option("k_config", "integers", (4, 2, 2, 1), "Candidates below each node, layer by layer of the tree.", 1, 8)
BEAMS = Option("beams", "integer", 8, "Sequences that the draft model keeps while searching.", 1, 64)
DRAFT = Option(
    "draft",
    "choice",
    "model",
    "What drafts: the draft model, a further one by its number, counts (of the pair's bigram table, else of the "
    "context), or copying.",
    choices=("model", "2", "3", "4", *NGRAM_KINDS),
)
HEADS = Option(
    "heads", "integer", None, "How many prediction heads guess, the nearest first; none: all.", 1, 16, optional=True
)
LAYERS = replace(GAMMA, default=3, help="Layers drafted, per iteration.")


def _model(context: DecodeContext, options: Options, more: int = 0) -> LanguageModel:
    """What is asked to draft; of the pair's models the one that comes ``more`` after it. Raises ModelError where there
    is none."""
    draft = options["draft"]
    if draft in NGRAM_KINDS:
        counted = context.pair.correlation
        table = counted if isinstance(counted, Correlation) else None
        return NgramLM(draft, context.pair.target.vocab_size, table)
    first = 0 if draft == "model" else int(draft) - 1
    return context.need_draft(
        first + more, "draft='model' is the first" if first else "use draft='bigram', say", "draft"
    )


def _chain(context: DecodeContext, options: Options) -> Drafter:
    gamma, draft = options["gamma"], _model(context, options)
    if gamma == AUTO:
        gamma = BestGamma(context.measure_cost(draft))
    session = context.open_draft(gamma.most if isinstance(gamma, BestGamma) else gamma, draft)
    return ChainDrafter(session, context.warp, gamma, context.end_tokens)


def _prompt(context: DecodeContext, options: Options) -> Drafter:
    return _chain(context, options | {"draft": "prompt"})


def _confident(context: DecodeContext, options: Options) -> Drafter:
    gamma = options["gamma"]
    session = context.open_draft(gamma, _model(context, options))
    return ConfidentDrafter(session, context.warp, gamma, options["fallback"], context.end_tokens)


def _beam(kind: type[BeamDrafter]) -> Callable[[DecodeContext, Options], Drafter]:
    def build(context: DecodeContext, options: Options) -> Drafter:
        gamma, beams = options["gamma"], options["beams"]
        session = context.open_draft(gamma * beams, _model(context, options))
        return kind(session, context.warp, gamma, beams, context.end_tokens)

    return build


def _tree_shape(options: Options) -> tuple[int, ...]:
    """The tree that ``k_config`` asks for. Raises OptionError for one that is too large."""
    k_config = options["k_config"]
    if tree_size(k_config) > MOST_NODES:
        raise OptionError(
            f"k_config must make a tree of at most {MOST_NODES} nodes, got {shown(k_config)!r}, "
            f"which makes {tree_size(k_config)}",
            argument="k_config",
        )
    return k_config


def _tree(context: DecodeContext, options: Options) -> Drafter:
    k_config, replacement = _tree_shape(options), options["replacement"]
    if options["drafts"] > 1:
        if options["draft"] != "model":
            raise OptionError(
                f"drafts={options['drafts']} takes the pair's first draft models, so draft must be 'model', "
                f"got {options['draft']!r}",
                argument="draft",
            )
        context.need_draft(options["drafts"] - 1, otherwise="lower drafts")
    models = [_model(context, options, number) for number in range(options["drafts"])]
    sessions = [context.open_draft(tree_size(k_config), model) for model in models]
    return SampledTreeDrafter(sessions, context.warp, k_config, replacement=replacement, end_tokens=context.end_tokens)


def _distinct_tree(context: DecodeContext, options: Options) -> Drafter:
    return _tree(context, options | {"drafts": 1})


def _tree_drawing(options: Options) -> Drawing:
    """At temperature 0 a tree takes the draft's best tokens."""
    if options["temperature"] == 0:
        return "deterministic"
    return "independent" if options["replacement"] else "without_replacement"


def _leading_tree(context: DecodeContext, options: Options) -> Drafter:
    k_config = _tree_shape(options)
    session = context.open_draft(tree_size(k_config), _model(context, options))
    return LeadingTreeDrafter(session, context.warp, k_config, context.end_tokens)


def _leading_drawing(options: Options) -> Drawing:
    return "deterministic" if options["temperature"] == 0 else ONE_DRAWN


def _sequences(context: DecodeContext, options: Options) -> Drafter:
    drafts, gamma = options["drafts"], options["gamma"]
    session = context.open_draft(drafts * gamma, _model(context, options))
    return SequencesDrafter(session, context.warp, drafts, gamma, context.end_tokens)


def _dynamic_tree(context: DecodeContext, options: Options) -> Drafter:
    nodes, depth = options["nodes"], options["depth"]
    session = context.open_draft(nodes * depth, _model(context, options))
    return DynamicTreeDrafter(session, context.warp, nodes, depth, context.end_tokens)


def _fork(context: DecodeContext, options: Options) -> Drafter:
    width, depth, decider = options["width"], options["depth"], None
    model = _model(context, options)
    if options["decision"] is not None:
        if model is not context.pair.draft:
            raise OptionError(
                f"decision={options['decision']!r} estimates for the pair's first draft model: use decision=None with "
                f"draft={options['draft']!r}",
                argument="decision",
            )
        decider = context.pair.deciders.get(options["decision"])
        if decider is None:
            raise ModelError(
                f"{context.who} with decision={options['decision']!r} needs a pair with that decision model; "
                f"this one has {', '.join(context.pair.deciders) or 'none'}: use decision=None",
                argument="decision",
                code="missing_part",
            )
    session = context.open_draft(width * depth, model, hidden=decider is not None and decider.kind == "hidden")
    beta = options["beta"]
    if beta == AUTO:
        beta = 0.0 if decider is None else decider.usual
    return ForkDrafter(session, context.warp, width, depth, context.end_tokens, decider, beta)


def _layers(kind: type[LayersDrafter]) -> Callable[[DecodeContext, Options], Drafter]:
    def build(context: DecodeContext, options: Options) -> Drafter:
        gamma, width = options["gamma"], options["draft_beams"]
        session = context.open_draft(gamma * width + 2, _model(context, options))
        return kind(session, context.warp, gamma, width, context.end_tokens)

    return build


def _heads_chain(context: DecodeContext, options: Options) -> Drafter:
    heads = context.need_heads(options["heads"])
    return TreeDrafter(heads, chain_tree(heads.count), heads.count, context.end_tokens)


def _heads_tree(context: DecodeContext, options: Options) -> Drafter:
    heads = context.need_heads(options["heads"])
    return TreeDrafter(heads, heads.tree, options["nodes"], context.end_tokens)


def _posterior(context: DecodeContext, options: Options) -> Drafter:
    heads, correlation, share = context.need_heads(options["heads"]), None, options["corpus"]
    if options["correlation"]:
        correlation = context.pair.correlation
        if correlation is None:
            raise ModelError(
                f"{context.who} needs a pair with the correlation of adjacent tokens; "
                "correlation=False ranks without it",
                argument="correlation",
                code="missing_part",
            )
        if share < 1.0:
            if not isinstance(correlation, Correlation):
                raise ModelError(f"corpus={share:g} needs counts of neighbours: this pair has none", argument="corpus")
            correlation = correlation.thinned(share)
    top = min(options["candidates"], context.pair.target.vocab_size)
    if sum(top**depth for depth in range(1, heads.count + 1)) > MOST_CANDIDATES:
        raise OptionError(
            f"candidates must make at most {MOST_CANDIDATES} prefixes, got {top} for each of {heads.count} heads",
            argument="candidates",
        )
    return PosteriorDrafter(heads, top, options["keep"], correlation, context.end_tokens)


def _always(drawing: Drawing) -> Callable[[Options], Drawing]:
    return lambda options: drawing


BUILT_IN = (
    DrafterSpec("none", "nothing", lambda context, options: NoDraft(), shape="nothing", uses="nothing", free=False),
    DrafterSpec(
        "chain",
        "one chain from the draft model",
        _chain,
        (
            GAMMA,
            DRAFT,
        ),
        free=("gamma", "draft"),
    ),
    DrafterSpec("prompt", "a continuation copied from the context", _prompt, (GAMMA,)),
    DrafterSpec(
        "beam",
        "the most likely of several beams",
        _beam(BeamDrafter),
        (GAMMA, BEAMS, DRAFT),
        drawing=_always("search"),
    ),
    DrafterSpec(
        "beam-forest",
        "all beams of a search",
        _beam(BeamForestDrafter),
        (GAMMA, BEAMS, DRAFT),
        shape="tree",
        drawing=_always("search"),
    ),
    DrafterSpec(
        "tree",
        "a tree of independent candidates",
        _tree,
        (
            K_CONFIG,
            Option("drafts", "integer", 1, "Draft models that take turns; more than 1 needs a pair with more.", 1, 8),
            Option("replacement", "flag", True, "Draw candidates independently, so that some may be equal."),
            DRAFT,
        ),
        shape="tree",
        drawing=_tree_drawing,
        free=("k_config", "draft"),
    ),
    DrafterSpec(
        "distinct-tree",
        "a tree of different candidates",
        _distinct_tree,
        (
            K_CONFIG,
            Option("replacement", "flag", False, "Draw candidates independently, so that some may be equal."),
            DRAFT,
        ),
        shape="tree",
        drawing=_tree_drawing,
        free=("k_config", "draft"),
    ),
    DrafterSpec(
        "leading-tree",
        "the likeliest tokens and one drawn from the others",
        _leading_tree,
        (K_CONFIG, DRAFT),
        shape="tree",
        drawing=_leading_drawing,
        free=("k_config", "draft"),
    ),
    DrafterSpec(
        "sequences",
        "several independent chains",
        _sequences,
        (Option("drafts", "integer", 4, "Sequences drafted, independently of each other.", 1, 16), GAMMA, DRAFT),
        shape="tree",
    ),
    DrafterSpec(
        "dynamic-tree",
        "a tree of the most probable tokens",
        _dynamic_tree,
        (
            Option("nodes", "integer", 32, "Nodes of the tree that the target reads.", 1, 64),
            Option("depth", "integer", 5, "Layers of the tree at most.", 1, 16),
            DRAFT,
        ),
        shape="tree",
        drawing=_always("deterministic"),
    ),
    DrafterSpec(
        "heads-chain",
        "the best token of every prediction head",
        _heads_chain,
        (HEADS,),
        drawing=_always("deterministic"),
        uses="heads",
    ),
    DrafterSpec(
        "heads-tree",
        "Medusa's static tree",
        _heads_tree,
        (
            Option("nodes", "integer", TREE_LIMIT, "Nodes of the static tree to submit, the first.", 1, TREE_LIMIT),
            HEADS,
        ),
        shape="tree",
        drawing=_always("deterministic"),
        uses="heads",
        free=(),
    ),
    DrafterSpec(
        "posterior",
        "SLiM's pruned tree",
        _posterior,
        (
            Option("candidates", "integer", 10, "Best tokens of each head that are combined.", 1, 30),
            Option("keep", "integer", 20, "Candidates kept, with their ancestors: 1 is SLiM-SS, 20 S, 40 L.", 1, 1000),
            Option("correlation", "flag", True, "Weigh neighbours by how much likelier they are together than apart."),
            Option(
                "corpus",
                "number",
                1.0,
                "Share of the text that neighbours are counted on; 1: all that the pair's table has.",
                0.0,
                1.0,
                above_low=True,
            ),
            HEADS,
        ),
        shape="tree",
        drawing=_always("deterministic"),
        uses="heads",
    ),
    DrafterSpec(
        "confident",
        "a chain that ends where the draft model is no longer sure",
        _confident,
        (
            Option("gamma", "integer", 10, "Tokens that the small model may write before the target looks.", 1, 16),
            Option(
                "fallback",
                "number",
                0.9,
                "The small model writes while its best token is at least this likely.",
                0.0,
                1.0,
            ),
            DRAFT,
        ),
        free=False,
    ),
    DrafterSpec(
        "fork",
        "first tokens from the target, a chain below each",
        _fork,
        (
            Option(
                "width", "integer", 16, "First tokens, each with a chain of its own; 1 is speculative decoding.", 1, 64
            ),
            Option("depth", "integer", 5, "Tokens drafted below each first token, at most.", 1, 16),
            Option(
                "beta",
                "number",
                AUTO,
                "Drafting stops early once every chain's estimate is below this; auto: below the median of the "
                "decision model's estimates on its training text.",
                0.0,
                1.0,
                choices=(AUTO,),
                used_by=DECISION_KINDS,
            ),
            Option(
                "decision",
                "choice",
                None,
                "Decision model that estimates acceptance while drafting: from the draft's hidden states, or from its "
                "highest probabilities and entropy. None: always draft to the full depth.",
                choices=DECISION_KINDS,
                optional=True,
            ),
            DRAFT,
        ),
        shape="fork",
        carries=True,
        free=False,
    ),
    DrafterSpec(
        "layers",
        "layers of beams, drawn from the draft's joint distribution",
        _layers(LayerDrafter),
        (LAYERS, Option("draft_beams", "integer", 5, "Beams drafted in each layer.", 1, 64), DRAFT),
        shape="layers",
        drawing=_always("search"),
        free=False,
    ),
    DrafterSpec(
        "search-layers",
        "layers of the draft's most likely beams",
        _layers(SearchDrafter),
        (
            LAYERS,
            Option("draft_beams", "integer", 4, "Beams that the draft model keeps (u, at least w).", 1, 64),
            DRAFT,
        ),
        shape="layers",
        drawing=_always("search"),
        free=False,
    ),
)

for _spec in BUILT_IN:
    register_drafter(_spec)
