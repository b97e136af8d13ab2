"""Parquet and CSV of a sweep's rows."""

import csv
import json

import pyarrow.parquet as pq
import pytest

import specviz
from specviz.errors import SpecvizError
from specviz.lab.sweep import export
from specviz.lab.sweep.export import write_csv, write_parquet
from specviz.lab.sweep.row import COLUMNS

GRID = {"method": [{"name": "autoregressive"}, {"name": "specinfer", "k_config": "2x2"}], "max_new_tokens": 4}


@pytest.fixture(scope="module")
def rows():
    pair = specviz.ModelPair(*(specviz.TableLM.random(5, seed=i) for i in (1, 2)), cost_ratio=0.5)
    return list(specviz.sweep(pair, GRID, [[0], [1]], 3))


def test_parquet_has_every_row_and_column(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(export, "BATCH", 5)  # several batches, the last one not full
    write_parquet(iter(rows), tmp_path / "rows.parquet")
    found = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    texts = {"options", "models", "machine", "versions", "parts"}
    assert len(found) == 12
    for row, flat in zip(found, (row.flat() for row in rows), strict=True):
        assert list(row) == list(COLUMNS) and row.keys() == flat.keys()
        for name, value in flat.items():
            read = json.loads(row[name]) if name in texts else row[name]
            assert read == json.loads(json.dumps(value)), name
    types = {field.name: str(field.type) for field in pq.read_schema(tmp_path / "rows.parquet")}
    assert (types["seed"], types["tokens_per_second"], types["recorded"]) == ("int64", "double", "bool")
    assert (types["token_ids"], types["disturbed"]) == ("list<element: int32>", "string")


def test_csv_has_every_row_and_column(tmp_path, rows):
    write_csv(iter(rows), tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert len(found) == 12 and list(found[0]) == list(COLUMNS)
    for read, row in zip(found, rows, strict=True):
        assert read["token_ids"].split() == [str(token) for token in row.token_ids] and read["text"] == row.text
        assert float(read["wall_seconds"]) == row.wall_seconds and json.loads(read["models"]) == row.models
        assert read["disturbed"] == (row.disturbed or "")


def test_a_table_appears_whole_or_not_at_all(tmp_path, rows):
    def broken():
        yield rows[0]
        raise SpecvizError("damaged")

    for write in (write_parquet, write_csv):
        (tmp_path / "table").write_text("older")
        with pytest.raises(SpecvizError, match="damaged"):
            write(broken(), tmp_path / "table")
        assert [file.name for file in tmp_path.iterdir()] == ["table"] and (tmp_path / "table").read_text() == "older"
        with pytest.raises(SpecvizError, match=r"none/table cannot be written \("):
            write(iter(rows), tmp_path / "none/table")
