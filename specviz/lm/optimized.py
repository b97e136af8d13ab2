"""``python -OO`` has no docstrings. transformers writes its models' own from others' while it is imported, and would
fail there; it is asked to leave them alone. Otherwise this does nothing."""

import sys
from typing import Any


def _as_it_is(decorated: Any = None, **_: Any) -> Any:
    """In place of transformers' decorator, with and without arguments."""
    return _as_it_is if decorated is None else decorated


if sys.flags.optimize > 1:
    import transformers.utils

    transformers.utils.auto_docstring = _as_it_is  # pyright: ignore[reportPrivateImportUsage]
