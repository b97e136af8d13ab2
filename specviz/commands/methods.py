"""The methods of the registry, for a terminal and as a page (docs/methods.md)."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specviz.decoding.registry.method import FAMILIES, Method
from specviz.decoding.registry.plugins import Plugin
from specviz.facts.words import WHATEVER, of_guarantee
from specviz.options import Option
from specviz.trace.record import shown

HEADINGS = ("option", "default", "allowed", "what it does")
OPENING = """# The methods

Every method is a drafter and a verifier under one name, with a guarantee: how its text is distributed. What keeps the
target's distribution, its greedy text, or beams drawn or searched as the target alone would, is proven, not assumed:
on small models the distribution of the whole decoder is computed by following every coin that it could flip, and the
tests compare it with the guarantee to 1e-9. The number beside a lossy method is the total variation from the target's
distribution of two tokens, computed in the same way on a small reference pair
([distance.py](../specviz/decoding/exact/distance.py)).

This page is made from the registry: `python -m specviz methods --out docs/methods.md`.
"""


def methods_list(known: dict[str, Method], plugins: Sequence[Plugin] = ()) -> Group:
    """Every method by family, with what it is, where it is from, its guarantee and its options; then the options that
    all share, and what each of ``plugins`` registered or why it could not."""
    shared = _shared(known)
    parts: list[RenderableType] = []
    for heading, of_family in _families(known):
        parts += [Text(heading.upper(), style="bold"), Text()]
        for method in of_family:
            parts += _method(method, _own(method, shared))
    packages = [Text(f"{plugin.package}: {plugin.error or ', '.join(plugin.registers)}") for plugin in plugins]
    heading = [Text("other packages", style="bold")] if packages else []
    return Group(*parts, Text("every method", style="bold"), _table(shared), *heading, *packages)


def methods_page(known: dict[str, Method]) -> str:
    """The same as a page in Markdown."""
    shared = _shared(known)
    parts = [OPENING]
    for heading, of_family in _families(known):
        parts.append(f"## {heading}\n")
        for method in of_family:
            parts.append(f"### {method.title} (`{method.name}`)\n\n{method.summary}\n")
            parts.append(f"- Guarantee: {_guarantee(method)}.\n- Paper: {method.paper}.\n")
            parts += _rows(_own(method, shared))
    return "\n".join([*parts, "## Options of every method\n", *_rows(shared)]).rstrip()


def _shared(known: dict[str, Method]) -> list[Option]:
    """The options that all methods have."""
    everywhere = [set(method.options.values()) for method in known.values()]
    return [option for option in next(iter(known.values())).options.values() if all(option in o for o in everywhere)]


def _own(method: Method, shared: Sequence[Option]) -> list[Option]:
    return [option for option in method.options.values() if option not in shared]


def _families(known: dict[str, Method]) -> list[tuple[str, list[Method]]]:
    """Headings with their methods, those without any left out."""
    grouped = [(heading, [m for m in known.values() if m.family == family]) for family, heading in FAMILIES.items()]
    return [(heading, of_family) for heading, of_family in grouped if of_family]


def _method(method: Method, own: Sequence[Option]) -> list[RenderableType]:
    about = Text(f"{method.title}\n{method.summary}\nguarantee: {_guarantee(method)}\npaper: {method.paper}")
    parts = [Text(method.name, style="bold"), Padding(about, (0, 0, 0, 2))]
    return [*parts, _table(own), Text()] if own else [*parts, Text()]


def _guarantee(method: Method) -> str:
    """The guarantee at the default options, in words."""
    meaning = of_guarantee(method.guarantee).meaning
    if method.always_greedy(method.resolve()):
        meaning += WHATEVER
    if method.distance is not None:
        meaning += f"; on a small reference model {method.distance:.3f} from the target's in total variation"
    return f"{method.guarantee} ({meaning})"


def _cells(option: Option) -> tuple[str, ...]:
    return option.name, str(shown(option.default)), option.allowed, option.help


def _table(options: Sequence[Option]) -> RenderableType:
    table = Table(*HEADINGS, box=SIMPLE_HEAD)
    for option in options:
        table.add_row(*map(Text, _cells(option)))
    return table


def _rows(options: Sequence[Option]) -> list[str]:
    """Options as a table in Markdown; nothing where there are none."""
    if not options:
        return []
    lines = [HEADINGS, ("---",) * len(HEADINGS), *((f"`{name}`", *more) for name, *more in map(_cells, options))]
    return ["\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"]
