"""Command-line arguments, generated from the catalog of methods.

A method is written ``name`` or ``name:option=value,option=value``; lists of numbers are ``4x2x2`` or ``4,2,2``. Every
option is also a flag (``--gamma 6``), unless its name is taken: ``draft`` and ``tokens`` stand in the method only,
since ``--draft`` names a model and ``--tokens`` is the length of a benchmark's runs.
"""

import argparse
import re
from collections.abc import Iterable

from specviz.decoding.registry.registry import find_method as find
from specviz.decoding.registry.registry import methods
from specviz.errors import OptionError
from specviz.lm.getting.catalog import MODELS
from specviz.lm.loading.pairs import BITS
from specviz.options import Option, Value
from specviz.trace.record import shown

LaneArguments = tuple[str, dict[str, Value]]
"""A method and the options given for it."""

TAKEN = (
    "target",
    "draft",
    "device",
    "dtype",
    "threads",
    "bits",
    "chat",
    "prompt",
    "seed",
    "json",
    "save",
    "method",
    "methods",
    "rounds",
    "tokens",
)
SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def add_models(parser: argparse.ArgumentParser) -> None:
    """``--target`` or ``--pair``, ``--draft`` and where and how to load them."""
    group = parser.add_argument_group("models")
    target = group.add_mutually_exclusive_group()
    target.add_argument("--target", help="directory, GGUF file or hub id of the target (default: the embedded one)")
    target.add_argument(
        "--pair",
        dest="target",
        choices=tuple(MODELS),
        help="a known model, which is got first if it is not here (specviz models)",
    )
    drafts = ", ".join(draft for known in MODELS.values() for draft in known.drafts)
    group.add_argument(
        "--draft", help=f"directory or hub id of the draft model, or one that a known pair brings: {drafts}"
    )
    group.add_argument("--device", help="cpu, cuda, cuda:N or auto (default: cuda when there is one)")
    group.add_argument(
        "--dtype",
        choices=("float32", "bfloat16", "float16", "auto"),
        help="auto: float32 or bfloat16, whichever is faster here. Default: float32 on cpu, else bfloat16, in which a "
        "greedy text may leave that of plain decoding where two tokens tie to one unit in the last place",
    )
    group.add_argument(
        "--threads", type=int, metavar="N", help="that compute on cpu (default: 1 for small models, else all cores)"
    )
    group.add_argument(
        "--bits",
        type=int,
        choices=BITS,
        help="on cpu, in bfloat16: weights are rounded to four bits, which makes another model, except of a GGUF file "
        "of Q4_1; "
        "where bfloat16 is quick, calls of one row gain most, so speculation gains less (default: as they are)",
    )
    group.add_argument(
        "--no-graphs",
        dest="graphs",
        action="store_const",
        const=False,
        help="launch a GPU's kernels one by one, not as CUDA graphs: to compare",
    )
    group.add_argument(
        "--chat", action=argparse.BooleanOptionalAction, default=None, help="use the tokenizer's chat template"
    )
    group.add_argument(
        "--control-tokens",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="one typed in a prompt, such as <|im_end|>, is that token, not its characters (default: without the chat "
        "template alone)",
    )
    group.add_argument(
        "--ignore-generation-config",
        action="store_const",
        const=True,
        help="decode without the target's generation settings that would change its distribution (repetition_penalty "
        "and the like), which are refused otherwise",
    )


def add_run(parser: argparse.ArgumentParser) -> None:
    """The prompt, how many tokens, and the seed."""
    parser.add_argument("--prompt", required=True, metavar="TEXT", help="text to go on from; - reads it from the input")
    parser.add_argument("--max-new-tokens", type=whole, default=64, metavar="N", help="default 64")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="default 0")


def add_options(parser: argparse.ArgumentParser) -> None:
    """A flag for every option of every method."""
    group = parser.add_argument_group("options of the methods")
    for name, owners in _owners().items():
        if name in TAKEN:
            continue
        about = "; ".join(f"{_names(owned)}{option.help} {_range(option)}" for option, owned in _grouped(owners))
        group.add_argument(_flag(name), dest=f"option_{name}", metavar="VALUE", help=about.replace("%", "%%"))


def given_options(arguments: argparse.Namespace) -> dict[str, str]:
    """The option flags that were given, as text."""
    flags = {key.removeprefix("option_"): value for key, value in vars(arguments).items() if key.startswith("option_")}
    return {name: text for name, text in flags.items() if text is not None}


def lane(spec: str, flags: dict[str, str], *, skip_foreign: bool) -> LaneArguments:
    """A method and its options from ``name:option=value,...`` and the flags; what stands in the method wins.

    ``skip_foreign`` leaves out flags that the method does not have (a flag meant for another lane). Raises OptionError
    for an unknown method or option, or a value that cannot be read or is out of range.
    """
    name, _, inner = spec.partition(":")
    method = find(name)
    texts = {key: text for key, text in flags.items() if not skip_foreign or key in method.options}
    for part in re.split(",(?=[^,=]*=)", inner) if inner else ():  # a comma within a list of numbers parts nothing
        key, equals, text = part.partition("=")
        if not equals:
            raise OptionError(f"method {spec!r}: write name:option=value,option=value", argument="method")
        texts[key.strip().replace("-", "_")] = text
    foreign = [key for key in texts if key not in method.options]
    if foreign:
        raise OptionError(
            f"method {name!r} has no option {foreign[0]!r}; its options are {', '.join(method.options)}",
            argument=foreign[0],
            code="unknown_option",
        )
    return name, {key: read(method.options[key], text) for key, text in texts.items()}


def lanes(specs: Iterable[str], flags: dict[str, str]) -> list[LaneArguments]:
    """Several methods; each takes the flags it knows. Raises OptionError for a flag that none of them knows."""
    entered = [lane(spec, flags, skip_foreign=True) for spec in specs]
    known = {option for name, _ in entered for option in find(name).options}
    for flag in flags:
        if flag not in known:
            raise OptionError(
                f"no method here has an option {flag!r}; known are {', '.join(sorted(known))}",
                argument=flag,
                code="unknown_option",
            )
    return entered


def read(option: Option, text: str) -> Value:
    """The value that ``text`` stands for. Raises OptionError naming the option, the text and what is allowed."""
    word = text.strip().lower()
    if option.optional and word == "none":
        return None
    if option.kind == "flag":
        return option.check(SWITCH.get(word, text))
    if word in option.choices or option.kind in ("choice", "integers"):
        return option.check(word)
    try:
        return option.check(int(word) if option.kind == "integer" else float(word))
    except ValueError as error:
        if isinstance(error, OptionError):
            raise
        return option.check(text)


def whole(text: str) -> int:
    """A whole number, for argparse."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _owners() -> dict[str, dict[str, Option]]:
    """Option name -> {method name: its option}."""
    owners: dict[str, dict[str, Option]] = {}
    for method in methods().values():
        for option in method.options.values():
            owners.setdefault(option.name, {})[method.name] = option
    return owners


def _grouped(owners: dict[str, Option]) -> list[tuple[Option, list[str]]]:
    """Methods whose option of this name is the same, together."""
    groups: dict[Option, list[str]] = {}
    for name, option in owners.items():
        groups.setdefault(option, []).append(name)
    return list(groups.items())


def _names(owned: list[str]) -> str:
    return "" if len(owned) == len(methods()) else f"{', '.join(owned)}: "


def _range(option: Option) -> str:
    return f"({option.allowed}; default {shown(option.default)})"


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
