"""Free pairings: any drafter with any verifier that can judge its drafts."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from specviz.decoding.method import WARPS, Method, asked_warp
from specviz.decoding.methods.candidates import DYNAMIC_TREE, SPECINFER, SPECTR, sized
from specviz.decoding.methods.heads import SLIM, combined
from specviz.decoding.methods.lossy import BILD, TYPICAL
from specviz.decoding.methods.mtad import MTAD
from specviz.decoding.methods.speculative import SPECULATIVE
from specviz.decoding.options import GAMMA, Option, Options
from specviz.decoding.pairings import VERIFIERS, refuse
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.drafting.beam import BeamDrafter, BeamForestDrafter
from specviz.drafting.chain import ChainDrafter
from specviz.drafting.dynamic import DynamicTreeDrafter
from specviz.drafting.forest import Drafter, Drawing
from specviz.drafting.heads import PosteriorDrafter, TreeDrafter
from specviz.drafting.sequences import SequencesDrafter
from specviz.drafting.tree import SampledTreeDrafter, tree_size
from specviz.lm.heads import chain_tree
from specviz.lm.ngram import NgramLM
from specviz.lm.warp import Warp
from specviz.verifying.verdict import Verifier

WHO = "custom"


@dataclass(frozen=True)
class NamedDrafter:
    """A drafter by name: what its drafts look like, and how it is made. ``parts`` are the Decoder's further fields."""

    name: str
    about: str
    chain: bool
    drawing: Drawing
    build: Callable[[Workbench, Options], tuple[Drafter, dict]]


def _with_draft(rows: Callable[[Options], int], make: Callable) -> Callable[[Workbench, Options], tuple[Drafter, dict]]:
    """A drafter on the pair's draft model, whose session needs so many rows."""

    def build(bench: Workbench, options: Options) -> tuple[Drafter, dict]:
        draft = bench.need_draft(WHO)
        return make(bench.open_draft(draft, extra_rows=rows(options)), bench, options), {"draft": draft}

    return build


def _with_heads(make: Callable) -> Callable[[Workbench, Options], tuple[Drafter, dict]]:
    """A drafter on the target's prediction heads."""

    def build(bench: Workbench, options: Options) -> tuple[Drafter, dict]:
        heads = bench.need_heads(WHO)
        return make(heads, bench, options), {"heads": bench.pair.heads, "hidden": True}

    return build


def _prompt(bench: Workbench, options: Options) -> tuple[Drafter, dict]:
    draft = NgramLM("prompt", bench.pair.target.vocab_size)
    session = bench.open_draft(draft, extra_rows=options["gamma"])
    return ChainDrafter(session, bench.warp, options["gamma"], bench.end_tokens), {"draft": draft}


def _tree(replacement: bool) -> Callable:
    return lambda session, bench, options: SampledTreeDrafter(
        [session], bench.warp, options["k_config"], replacement=replacement, end_tokens=bench.end_tokens
    )


def _beam(kind: type[BeamDrafter]) -> Callable:
    return lambda session, bench, options: kind(
        session, bench.warp, options["gamma"], options["beams"], bench.end_tokens
    )


def _nodes(options: Options) -> int:
    return options["nodes"] * options["depth"]


DRAFTERS: dict[str, NamedDrafter] = {
    source.name: source
    for source in (
        NamedDrafter(
            "chain",
            "one chain from the draft model",
            True,
            "independent",
            _with_draft(
                lambda options: options["gamma"],
                lambda session, bench, options: ChainDrafter(session, bench.warp, options["gamma"], bench.end_tokens),
            ),
        ),
        NamedDrafter("prompt", "a continuation copied from the context", True, "independent", _prompt),
        NamedDrafter(
            "beam",
            "the most likely of several beams",
            True,
            "search",
            _with_draft(lambda options: options["gamma"] * options["beams"], _beam(BeamDrafter)),
        ),
        NamedDrafter(
            "beam-forest",
            "all beams of a search",
            False,
            "search",
            _with_draft(lambda options: options["gamma"] * options["beams"], _beam(BeamForestDrafter)),
        ),
        NamedDrafter(
            "tree",
            "a tree of independent candidates",
            False,
            "independent",
            _with_draft(lambda options: tree_size(sized(options["k_config"])), _tree(True)),
        ),
        NamedDrafter(
            "distinct-tree",
            "a tree of different candidates",
            False,
            "distinct",
            _with_draft(lambda options: tree_size(sized(options["k_config"])), _tree(False)),
        ),
        NamedDrafter(
            "sequences",
            "several independent chains",
            False,
            "independent",
            _with_draft(
                lambda options: options["drafts"] * options["gamma"],
                lambda session, bench, options: SequencesDrafter(
                    session, bench.warp, options["drafts"], options["gamma"], bench.end_tokens
                ),
            ),
        ),
        NamedDrafter(
            "dynamic-tree",
            "a tree of the most probable tokens",
            False,
            "certain",
            _with_draft(
                _nodes,
                lambda session, bench, options: DynamicTreeDrafter(
                    session, bench.warp, options["nodes"], options["depth"], bench.end_tokens
                ),
            ),
        ),
        NamedDrafter(
            "heads-chain",
            "the best token of every prediction head",
            True,
            "certain",
            _with_heads(
                lambda heads, bench, options: TreeDrafter(heads, chain_tree(heads.count), heads.count, bench.end_tokens)
            ),
        ),
        NamedDrafter(
            "heads-tree",
            "Medusa's static tree",
            False,
            "certain",
            _with_heads(lambda heads, bench, options: TreeDrafter(heads, heads.tree, 64, bench.end_tokens)),
        ),
        NamedDrafter(
            "posterior",
            "SLiM's pruned tree, without the correlation where a pair has none",
            False,
            "certain",
            _with_heads(
                lambda heads, bench, options: PosteriorDrafter(
                    heads,
                    combined(options["candidates"], heads.count, bench.pair.target.vocab_size),
                    options["keep"],
                    bench.pair.correlation,
                    bench.end_tokens,
                )
            ),
        ),
    )
}


def _drawing(options: Options) -> Drawing:
    """How the drafts are drawn; at temperature 0 a tree takes the draft's best tokens."""
    source = DRAFTERS[options["drafter"]]
    return "certain" if options["temperature"] == 0 and "tree" in source.name else source.drawing


def _refuse(options: Options) -> None:
    source = DRAFTERS[options["drafter"]]
    drawing = _drawing(options)
    refuse(options["verifier"], chain=source.chain, drawing=drawing, drafter=f"drafter {source.name!r}")


def _judge(setting: Setting, options: Options) -> Verifier:
    return VERIFIERS[options["verifier"]].build(options, setting.warp, setting.end_tokens)


def _target_warp(options: Options) -> Warp:
    return Warp(0.0) if options["verifier"] == "greedy" else asked_warp(options)


def _ruled_by(options: Options) -> tuple[str, ...]:
    own = tuple(option.name for option in CUSTOM.own_options if options["verifier"] in option.used_by)
    return own if options["verifier"] == "greedy" else (*own, *WARPS)


def _custom(bench: Workbench, options: Options) -> Decoder:
    _refuse(options)
    drafter, parts = DRAFTERS[options["drafter"]].build(bench, options)
    return Decoder(drafter, _judge(bench.setting, options), **parts)


def _law(options: Options) -> str:
    _refuse(options)
    judge = VERIFIERS[options["verifier"]]
    if judge.name == "greedy":
        return "greedy"
    lenient = judge.name == "token" and options["lenience"] < 1.0
    if options["temperature"] == 0:  # nothing but the greedy token has a chance, unless the rule looks past the warp
        return "lossy" if lenient or judge.name == "rollback" else "greedy"
    return "target" if _drawing(options) in judge.exact and not lenient else "lossy"


def _listed(things: dict) -> str:
    return "; ".join(f"{name}: {thing.about}" for name, thing in things.items())


def _of(method: Method, *names: str) -> list[Option]:
    """A method's options of these names."""
    return [method.options[name] for name in names]


CUSTOM = Method(
    name=WHO,
    title="Your own pairing",
    family="own",
    paper="any drafter with any verifier of these papers",
    summary="Choose who drafts and who judges. Whether the text follows the target's law depends on whether the judge "
    "knows how the drafts were drawn.",
    own_options=(
        Option("drafter", "choice", "tree", f"Who drafts. {_listed(DRAFTERS)}.", choices=tuple(DRAFTERS)),
        Option("verifier", "choice", "recursive", f"Who judges. {_listed(VERIFIERS)}.", choices=tuple(VERIFIERS)),
        *(
            replace(option, used_by=used_by)
            for options, used_by in (
                ((GAMMA,), ("chain", "prompt", "beam", "beam-forest", "sequences")),
                (_of(MTAD, "beams"), ("beam", "beam-forest")),
                (_of(MTAD, "tau"), ("joint",)),
                (_of(SPECINFER, "k_config"), ("tree", "distinct-tree")),
                (_of(SPECTR, "drafts"), ("sequences",)),
                (_of(DYNAMIC_TREE, "nodes", "depth"), ("dynamic-tree",)),
                (_of(SLIM, "candidates", "keep"), ("posterior",)),
                (_of(SPECULATIVE, "lenience"), ("token",)),
                (_of(TYPICAL, "epsilon", "delta"), ("typical",)),
                (_of(BILD, "rollback"), ("rollback",)),
            )
            for option in options
        ),
    ),
    texts={
        "rule": "The verifier's rule, applied to another method's drafts.",
        "draft": "The chosen drafter proposes.",
        "verify": "One target call reads everything that was drafted.",
        "accept": "The rule lets this token pass.",
        "reject": "The rule turns this token away.",
        "finish": "One more token comes from the target, or from what the rejections left of its law.",
    },
    build=_custom,
    judge=_judge,
    warp=_target_warp,
    ruled_by=_ruled_by,
    law_of=_law,
)
