"""Tables of a sweep's rows for other programs, written a batch of rows at a time.

``options``, ``models``, ``machine``, ``versions`` and ``parts`` are JSON in a column of text. A table
appears whole or not at all: an older one stays until then.
"""

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from specviz.errors import SpecvizError
from specviz.lab.sweep.row import COLUMNS, Row

BATCH = 2000  # rows


def write_parquet(rows: Iterable[Row], path: Path) -> None:
    """Raises SpecvizError where the file cannot be written."""
    import pyarrow as pa  # what is here is imported by every command
    import pyarrow.parquet as pq

    types = {int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    types |= {tuple[int, ...]: pa.list_(pa.int32()), tuple[float, ...]: pa.list_(pa.float64())}
    schema = pa.schema([(name, types.get(kind, pa.string())) for name, kind in COLUMNS.items()])

    def write(scratch: Path) -> None:
        with pq.ParquetWriter(scratch, schema) as writer:
            for batch in _batches(rows):
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))

    _whole(path, write)


def write_csv(rows: Iterable[Row], path: Path) -> None:
    """As CSV with a line of names; several numbers with spaces between them, None as nothing. Raises SpecvizError where
    the file cannot be written."""

    def write(scratch: Path) -> None:
        with scratch.open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.DictWriter(file, list(COLUMNS))
            writer.writeheader()
            for batch in _batches(rows):
                writer.writerows({name: _cell(value) for name, value in row.items()} for row in batch)

    _whole(path, write)


def _cell(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _batches(rows: Iterable[Row]) -> Iterator[list[dict[str, Any]]]:
    remaining = iter(rows)
    while batch := [_columns(row) for row in islice(remaining, BATCH)]:
        yield batch


def _columns(row: Row) -> dict[str, Any]:
    flat = row.flat()
    return {name: json.dumps(flat[name]) if kind is Mapping else flat[name] for name, kind in COLUMNS.items()}


def _whole(path: Path, write: Callable[[Path], None]) -> None:
    scratch = path.with_name(f".{path.name}.part")
    try:
        write(scratch)
        os.replace(scratch, path)
    except OSError as error:
        raise SpecvizError(f"{path} cannot be written ({error.strerror or error})") from None
    finally:
        scratch.unlink(missing_ok=True)
