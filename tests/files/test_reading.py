"""Files that somebody else wrote: what is wrong is one line that names the file and what to do."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from falter.core.errors import InputError
from falter.core.files import open_parquet, read_json, read_rows, read_versioned, read_yaml


class Record(msgspec.Struct):
    name: str
    format: int = 1


@pytest.mark.parametrize(
    "contents", [b"", b"{", b"[1]", b'{"name": 3}', b"\xff\xfe", b'{"name": "\xff"}', b"[" * 200_000]
)
def test_what_is_no_json_of_its_type_is_named(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(contents)
    for read in (read_json, lambda *args, **more: read_versioned(*args, format_=1, **more)):
        with pytest.raises(InputError, match=r"record\.json: is not a record: .* \(write it again\)") as raised:
            read(path, Record, what="a record", hint="write it again")
        assert "\n" not in str(raised.value)


def test_a_newer_format_is_refused_before_its_contents_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text('{"format": 3, "falter": "9.9", "named": "otherwise"}')
    with pytest.raises(InputError, match=r"was made by a newer version \(9\.9, format 3; .*\) \(upgrade falter\)"):
        read_versioned(path, Record, format_=2, what="a record")
    path.write_text('{"format": 2, "name": "one"}')
    assert read_versioned(path, Record, format_=2, what="a record") == Record("one", 2)


@pytest.mark.parametrize(
    "contents", [b"name: [", b"name: 3\nname", b"- 1", b"name: {a: 1}", b"\xff\xfe\x00", b"a: \x00"]
)
def test_what_is_no_yaml_of_its_type_is_named(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "record.yaml"
    path.write_bytes(contents)
    with pytest.raises(InputError, match=r"record\.yaml: is not a record: .* \(fix it\)") as raised:
        read_yaml(path, Record, what="a record", hint="fix it")
    assert "\n" not in str(raised.value)


def test_yaml_is_read_as_its_type_or_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "record.yaml"
    path.write_text("name: one\nformat: 4\n")
    assert read_yaml(path, Record) == Record("one", 4)
    assert read_yaml(path) == {"name": "one", "format": 4}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for read in (read_json, read_yaml):
        with pytest.raises(InputError, match=r"none: cannot be read: No such file or directory \(look elsewhere\)"):
            read(tmp_path / "none", Record, hint="look elsewhere")
    with pytest.raises(InputError, match=r"none: cannot be read: No such file or directory \(look elsewhere\)"):
        open_parquet(tmp_path / "none", hint="look elsewhere")


def test_a_parquet_file_has_the_columns_that_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1 and nothing else PAR1")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        open_parquet(path)
    pq.write_table(pa.table({"a": [1], "b": [2]}), path)
    assert open_parquet(path, ["a"]).num_rows == 1
    with pytest.raises(InputError, match="lacks the columns c, d"):
        open_parquet(path, ["a", "c", "d"])


def test_a_table_of_one_line_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("image,question\n1,Is it?\n")
    with path.open("ab") as stream:
        stream.truncate(1 << 40)  # takes no room on the disk
    with pytest.raises(InputError, match=r"own\.csv.* a line is longer than 16,777,216 characters"):
        list(read_rows(path, "mend it"))
