"""A name has one meaning: no class and no type alias is defined in two modules."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import specviz

PACKAGE = Path(specviz.__file__).parent


def type_names(module: ast.Module) -> Iterator[str]:
    """The classes of a module, nested ones too, and its type aliases: what it assigns to a name in CapWords."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and target.id.lstrip("_")[:1].isupper() and not target.id.isupper():
                    yield target.id


def test_no_class_and_no_type_alias_is_defined_in_two_modules():
    modules = defaultdict(list)
    for file in sorted(PACKAGE.rglob("*.py")):
        for name in set(type_names(ast.parse(file.read_text(encoding="utf-8")))):
            modules[name.lstrip("_")].append(file.relative_to(PACKAGE).as_posix())
    assert {"Trace", "Method", "Role", "Node"} <= modules.keys()
    assert {name: files for name, files in modules.items() if len(files) > 1} == {}
