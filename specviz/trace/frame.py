"""Tables for pandas, the only place that imports it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from specviz.errors import SpecvizError

if TYPE_CHECKING:
    from pandas import DataFrame


def data_frame(rows: Iterable[dict[str, Any]], columns: tuple[str, ...], whole: tuple[str, ...]) -> DataFrame:
    """The rows as a table, whose ``whole`` columns hold whole numbers, or none. Raises SpecvizError, naming the extra,
    where pandas is not installed."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise SpecvizError("data frames need the package pandas: pip install 'specviz[frames]'") from None
    return DataFrame(list(rows), columns=list(columns)).astype(dict.fromkeys(whole, "Int64"))
