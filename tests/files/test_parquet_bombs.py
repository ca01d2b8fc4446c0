"""Small Parquet files that would fill the memory are refused before they do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from falter.core.errors import InputError
from falter.core.files import open_parquet, read_rows
from falter.core.files import parquet_reading as parquet_sizes
from tests.cli.in_process import falter_here
from tests.engine.small_suite import make_suite

MEBI = 1 << 20
KIBI = 1 << 10
ROWS = 1_000


def by_number(value: pa.Scalar, rows: int = ROWS) -> pa.DictionaryArray:
    """One value, many times, stored once."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([value]))


def plain_dictionary(path: Path) -> None:
    pq.write_table(pa.table({"question": by_number("x" * (64 * KIBI))}), path, compression="zstd")


def starts_with_null(path: Path) -> None:
    codes = pa.array([None] * 300 + [0] * ROWS, pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * (64 * KIBI)]))
    pq.write_table(pa.table({"question": column}), path, compression="zstd")


def in_row_groups(path: Path) -> None:
    pq.write_table(pa.table({"question": by_number("x" * (64 * KIBI))}), path, compression="zstd", row_group_size=100)


def continued(path: Path) -> None:
    """Each text shares all but its last letters with the one before."""
    table = pa.table({"question": pa.array(["x" * (64 * KIBI)] * 400)})
    pq.write_table(table, path, use_dictionary=False, column_encoding={"question": "DELTA_BYTE_ARRAY"})


def in_lists(path: Path) -> None:
    lists = pa.ListArray.from_arrays(pa.array(range(ROWS + 1), pa.int32()), by_number("x" * (64 * KIBI)))
    pq.write_table(pa.table({"question": lists}), path, compression="zstd")


def in_records(path: Path) -> None:
    records = pa.StructArray.from_arrays([by_number("x" * (64 * KIBI))], ["text"])
    pq.write_table(pa.table({"question": records}), path, compression="zstd")


def long_text(path: Path) -> None:
    pq.write_table(pa.table({"question": ["x" * (12 * MEBI)]}), path, compression="zstd")


def numbers(path: Path) -> None:
    column = pa.array([7] * 200_000, pa.int64())
    pq.write_table(pa.table({f"n{number}": column for number in range(9)}), path, compression="zstd")


@pytest.fixture(autouse=True)
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_sizes, "_MOST_FREE", 8 * MEBI)


BOMBS = [plain_dictionary, starts_with_null, in_row_groups, continued, in_lists, in_records, long_text, numbers]


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_and_takes_little_memory(bomb: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "q.parquet"
    bomb(path)
    assert path.stat().st_size < 40 * KIBI
    pool = pa.system_memory_pool()
    default = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    try:
        with pytest.raises(InputError, match="of memory, and the file has"):
            open_parquet(path).read()
        with pytest.raises(InputError, match="of memory, and the file has"):
            next(iter(read_rows(path, "")))
        assert (pool.max_memory() or 0) < 40 * MEBI
    finally:
        pa.set_memory_pool(default)


def test_equal_texts_of_an_ordinary_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "q.parquet"
    texts = [f"Is thing {number % 500} there?" for number in range(20_000)]
    pq.write_table(pa.table({"question": texts, "same": ["carets"] * len(texts)}), path, compression="zstd")
    assert open_parquet(path).read()["question"].to_pylist() == texts


def test_commands_refuse_a_bomb_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "q.parquet"
    plain_dictionary(path)
    refused = falter_here("import", "table", path, "--out", tmp_path / "out")
    assert refused.code == 2 and "MiB of memory" in refused.stderr
    assert refused.stderr.count("\n") == 1
    suite = make_suite(tmp_path / "suite", probes=2)
    table = pq.read_table(suite.items_path)
    field = table.schema.get_field_index("text")
    bomb = pa.concat_tables([table] * 300).set_column(field, "text", by_number("x" * (64 * KIBI), 300 * len(table)))
    pq.write_table(bomb, suite.items_path, compression="zstd")
    manifest = suite.folder / "suite.json"
    from falter.core.files import sha256_of_file
    from falter.data.suite import read_manifest

    changed = read_manifest(suite.folder)
    changed.items_sha256 = sha256_of_file(suite.items_path)
    manifest.write_bytes(changed.to_json())
    for command in (("inspect", suite.folder), ("run", suite.folder, "--model", "builtin:always-yes", "--dry-run")):
        refused = falter_here(*command)
        assert refused.code == 2 and "MiB of memory" in refused.stderr, (command, refused)
