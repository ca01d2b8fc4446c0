"""Files made to do harm: endless, nested, repeated, of other types or no files at all are refused with one line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from falter.core.errors import InputError
from falter.core.files import (
    ArrayArchive,
    JsonDecoder,
    is_regular,
    map_json,
    open_parquet,
    open_regular,
    read_array,
    read_bytes,
    read_frame,
    read_json,
    read_json_lines,
    read_text,
    read_yaml,
    sha256_of_file,
)


def _lines(path: Path) -> list[Any]:
    return list(read_json_lines(path, dict[str, Any]))


READERS: dict[str, Callable[[Path], Any]] = {
    "bytes": read_bytes,
    "text": read_text,
    "hash": sha256_of_file,
    "open": open_regular,
    "json": lambda path: read_json(path, dict[str, Any]),
    "mapped json": lambda path: map_json(path, dict[str, msgspec.Raw]),
    "json lines": _lines,
    "yaml": read_yaml,
    "parquet": open_parquet,
    "frame": read_frame,
    "array": read_array,
    "archive": ArrayArchive,
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_pipes_devices_and_folders_are_refused_at_once(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    kinds = {tmp_path / "pipe": "a named pipe", tmp_path / "link": "a named pipe", Path("/dev/zero"): "a device"}
    for path, kind in {**kinds, tmp_path: "a folder"}.items():
        assert not is_regular(path)
        with pytest.raises(InputError, match=f"is {kind}, not a regular file"):
            read(path)
    for name in ("a\0b", "a\ud800b"):
        with pytest.raises(InputError, match="is not the name of a file"):
            read(tmp_path / name)


@pytest.mark.parametrize(
    ("contents", "problem"),
    [
        (b'{"a": ' * 200 + b"1" + b"}" * 200, "nests deeper than 100 levels"),
        (b'{"a": ' * 100_000, "nests too deep"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"\xed\xa0\x80": 1}', "not UTF-8"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b'{"a": "\\udc00\\ud800"}', "surrogate"),
        (b'{"a": ' + b"9" * 5000 + b"}", "out of range"),
        (b'{"a": 1e999}', "out of range"),
        (b'{"a": NaN}', "invalid character"),
        (b'{"a": "\x00"}', "invalid character"),
    ],
    ids=str,
)
def test_json_that_python_cannot_hold_is_refused(tmp_path: Path, contents: bytes, problem: str) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(contents)
    for read in (READERS["json"], READERS["json lines"]):
        with pytest.raises(InputError, match=problem) as raised:
            read(path)
        assert len(str(raised.value)) < 400


def test_json_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\n\n{"a": 2}\n')
    assert _lines(path) == [(1, {"a": 1}), (3, {"a": 2})]
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert READERS["json"](path) == {"a": 1}
    assert bytes(READERS["mapped json"](path)["a"]) == b"1"
    path.write_bytes(b"\xef\xbb\xbf")
    assert _lines(path) == []


def test_a_record_in_a_file_is_named(tmp_path: Path) -> None:
    decoder = JsonDecoder(list[int], "a list")
    assert decoder.decode(msgspec.Raw(b"[1]"), tmp_path) == [1]
    with pytest.raises(InputError, match=r"here, graph 7: is not a list: Expected `int`.*\(mend\)"):
        decoder.decode(b'["x"]', "here", record="graph 7", hint="mend")


BILLION = b"a0: &a0 [x, x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (number, number, b", ".join([b"*a%d" % (number - 1)] * 10)) for number in range(1, 10)
)


@pytest.mark.parametrize(
    ("contents", "problem"),
    [
        (b"[" * 100_000, "nests deeper than 60"),
        (b"{a: " * 100_000, "nests deeper than 60"),
        (b"- " * 100_000 + b"x", "nests deeper than 60"),
        (b"? " * 100_000, "nests deeper than 60"),
        (BILLION, "more than 5,000,000 values"),
        (b"a: &a [*a]", "no anchor 'a' before it"),
        (b"a: 2021-02-30", "'2021-02-30' is not a timestamp"),
        (b"a: 2021-02-01t00:00:00+99:00", "is not a timestamp"),
        (b"a: " + b"9" * 5000, "a number has 5,000 characters"),
        (b"a: 1" + b":1" * 100_000, "a number has 200,001 characters"),
        (b"a: 0x_", "is not a int"),
        (b'a: "\\ud800"', "invalid Unicode character escape"),
        (b"a: \xff", "invalid leading UTF-8"),
        (b"a: 1\na: 2", "line 2: the key 'a' occurs twice"),
        (b"? [a]\n: 1", "a key is a list"),
        (b"a: 1\n---\na: 2", "a second document"),
        (b"a: !!python/object:os.system x", "tag .* is not allowed"),
        (b"!!set {a, b}", "tag .* is not allowed"),
        (b"{<<: 3}", "<< adds a mapping"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else "",
)
def test_yaml_that_would_end_the_process_is_refused(tmp_path: Path, contents: bytes, problem: str) -> None:
    path = tmp_path / "file.yaml"
    path.write_bytes(contents)
    with pytest.raises(InputError, match=problem) as raised:
        read_yaml(path)
    assert len(str(raised.value)) < 400


YAML = b"""
texts: [a, 'b', "c\\n", ~, null, !!str 12, '12', "", <<, =]
numbers: [1, -2, 0x1F, 0o7, 017, 1_000, 1.5, -.5, .inf, 1e3, 1.0e+3, 190:20:30]
truths: [yes, no, on, off, true, False, y]
dates: [2001-12-14, 2001-12-14t21:59:43.10-05:00, '2001-12-14']
base: &base {a: 1, b: [x]}
more: {<<: *base, b: 2}
most: {c: 3, <<: [*base, {d: 4, a: 5}]}
same: *base
1: int key
2.5: float key
? long key
: |
  kept
  lines
folded: >-
  one
  line
"""


def test_yaml_is_read_as_the_safe_loader_reads_it(tmp_path: Path) -> None:
    import yaml

    path = tmp_path / "file.yaml"
    path.write_bytes(YAML)
    expected = yaml.safe_load(YAML.replace(b", <<, =]", b', "<<", "="]'))
    assert read_yaml(path) == expected
    assert [list(value) for value in read_yaml(path).values() if isinstance(value, dict)] == [
        list(value) for value in expected.values() if isinstance(value, dict)
    ]
    assert read_yaml(path, plain_words=True)["truths"] == ["yes", "no", "on", "off", "true", "False", "y"]
    for contents in (b"", b"# nothing", b"\xef\xbb\xbf"):
        path.write_bytes(contents)
        assert read_yaml(path) is None


SCHEMA = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("count", pa.int32()),
        pa.field("share", pa.float64()),
        pa.field("facets", pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))),
    ]
)
GOOD: dict[str, Any] = {
    "name": pa.array(["a", "b"]),
    "count": pa.array([1, 2], pa.int32()),
    "share": pa.array([0.5, None]),
    "facets": pa.array([[{"name": "n", "value": "v"}], None], SCHEMA.field("facets").type),
}
OTHER_TYPES: dict[str, Any] = {
    "name": [pa.array([1, 2]), pa.array([b"a", b"b"]), pa.array([["a"], ["b"]]), pa.array([True, False])],
    "count": [pa.array(["1", "2"]), pa.array([1.5, 2.5]), pa.array([{"a": 1}, None]), pa.array([True, False])],
    "share": [pa.array(["0.5", "0.5"]), pa.array([[0.5], [0.5]])],
    "facets": [pa.array([["n"], ["n"]]), pa.array(["n", "n"]), pa.array([[{"name": "n"}], None])],
}


def test_parquet_columns_are_checked_by_name_and_type(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    stored = {
        "name": pa.array(["a", "b"]).dictionary_encode(),
        "count": pa.array([1, 2], pa.int64()),
        "share": pa.array([1, 2]),
        "facets": pa.array([None, None]),
        "more": pa.array([1, 2]),
    }
    for table in (
        pa.table(GOOD),
        pa.table(stored),
        pa.table({**GOOD, "name": pa.array(["a", "b"], pa.large_string())}),
    ):
        pq.write_table(table, path)
        assert open_parquet(path, SCHEMA).read(["name"])["name"].to_pylist() == ["a", "b"]
        assert read_frame(path, SCHEMA)["name"].to_list() == ["a", "b"]
    for name, others in OTHER_TYPES.items():
        for other in others:
            pq.write_table(pa.table({**GOOD, name: other}), path)
            with pytest.raises(InputError, match=f"has values of type .* in the column {name}, not") as raised:
                open_parquet(path, SCHEMA, hint="write it again")
            assert "\n" not in str(raised.value)
    pq.write_table(pa.table({**GOOD, "name": pa.array(["a", None])}), path)
    for read in (lambda reader: reader.read(), lambda reader: list(reader.iter_rows())):
        with pytest.raises(InputError, match="has a row without a value in the column name"):
            read(open_parquet(path, SCHEMA))
    columns = [*GOOD.values(), GOOD["name"]]
    pq.write_table(pa.Table.from_arrays(columns, names=[*GOOD, "name"]), path)
    with pytest.raises(InputError, match="has the column name more than once"):
        open_parquet(path, SCHEMA)


def test_damaged_parquet_is_named_wherever_it_is_damaged(tmp_path: Path) -> None:
    """A text that is not UTF-8 and broken pages show only when they are read."""
    path = tmp_path / "table.parquet"
    binary = pa.array([b"fine", b"\xff\xfe"]).cast(pa.binary())
    bad = pa.Array.from_buffers(pa.string(), 2, binary.buffers())
    pq.write_table(pa.table({"name": bad}), path)
    reads = (
        lambda reader: reader.read(),
        lambda reader: list(reader.iter_rows()),
        lambda reader: reader.read(["name"]),
    )
    for read in reads:
        with pytest.raises(InputError, match=r"cannot be read as Parquet: .*UTF"):
            read(open_parquet(path, ["name"]))
    pq.write_table(pa.table({"name": [f"text {number}" for number in range(5000)]}), path, compression="zstd")
    whole = bytearray(path.read_bytes())
    whole[40:400] = b"\x00" * 360
    path.write_bytes(whole)
    for read in reads:
        with pytest.raises(InputError, match="cannot be read as Parquet"):
            read(open_parquet(path, ["name"]))


def test_arrays_hold_what_their_header_says(tmp_path: Path) -> None:
    path = tmp_path / "array.npy"
    for array in (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.empty((0, 4))):
        np.save(path, array)
        assert np.array_equal(read_array(path), array)
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="holds Python objects"):
        read_array(path)
    np.save(path, np.arange(10))
    path.write_bytes(path.read_bytes().replace(b"(10,)", b"(9999999999999,)"))
    with pytest.raises(InputError, match="is not a NumPy array"):
        read_array(path)
    archive = tmp_path / "arrays.npz"
    np.savez(archive, one=np.arange(3), two=np.eye(2))
    opened = ArrayArchive(archive)
    assert ("one" in opened, "three" in opened) == (True, False)
    assert opened["two"].tolist() == [[1, 0], [0, 1]]
    with pytest.raises(InputError, match="three"):
        opened["three"]
    for contents in (b"", b"PK\x03\x04 and nothing", archive.read_bytes()[:200]):
        path.write_bytes(contents)
        with pytest.raises(InputError, match="is not a NumPy archive"):
            ArrayArchive(path)
