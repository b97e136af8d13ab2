"""Methods of other packages. One that is installed names a module in the entry point group ``specviz``; it is imported
with specviz, and registers its drafters, verifiers, rules and methods."""

import logging
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from specviz.decoding.registry.registry import all_or_nothing, entries
from specviz.errors import SpecvizError

GROUP = "specviz"
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plugin:
    """A package with methods: its ``package`` with the version, the names that its module registered, and why it could
    not be used (``error``; empty where it can)."""

    package: str
    registers: tuple[str, ...] = ()
    error: str = ""


PLUGINS: list[Plugin] = []


def load_plugins() -> None:
    """Import what packages name, in the order of their names. A module that raises, or whose method is not one, leaves
    nothing behind and is said in the log; all else works without it."""
    PLUGINS[:] = map(_loaded, sorted(entry_points(group=GROUP), key=lambda entry: entry.name))


def _loaded(entry: EntryPoint) -> Plugin:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.name
    before = entries()
    try:
        if entry.attr:
            raise SpecvizError(f"its entry point {entry.name!r} must name a module, got {entry.value!r}")
        with all_or_nothing():
            entry.load()
    except (Exception, SystemExit) as error:  # a stranger's code may raise anything
        plugin = Plugin(package, error=f"{type(error).__name__}: {error}")
        log.warning("specviz: the package %s cannot be used: %s", package, plugin.error)
        return plugin
    new = (entry.name for entry in entries() if not any(entry is known for known in before))
    return Plugin(package, tuple(dict.fromkeys(new)))
