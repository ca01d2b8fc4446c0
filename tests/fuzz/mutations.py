"""Small valid files made wrong: by structure where the format has one, by bytes, and as things that are no files."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from PIL import Image

__all__ = ["mutate"]

DEEP = 3000
TOKENS = (
    *("[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, "[" * DEEP, '{"a":' * DEEP),
    *("9" * 5000, "9" * 40, "-" + "9" * 25, "1e999", "-1e400", "1e-999", "0.1e400000", "NaN", "Infinity", "-0", "-0.0"),
    *('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u202e\\u009b"', '"' + "x" * 100_000 + '"', '"\\ud83d\\ude00"'),
    *("2021-02-30", "2021-02-28T25:61:61", "0000-00-00", "1:99", "0x_", "0b", ".inf", "!!python/name:os.system x"),
    *("null", "true", "false", "[]", "{}", '""', "0", "-1", "1.5", '"no"', "[null]", '[[1], "a"]', '{"a": null}', "~"),
    *("18446744073709551616", "-9223372036854775809", "9223372036854775807", "2147483648", "1e308"),
    *("*missing", "&a [*a]", "<<", '{"<<": 3}', "? x", "- - -", "%YAML 9.9", '"\\x1b[31m"', "'", '"', "{{", "}}"),
)
"""Values as they stand in JSON or YAML, whole or broken."""

NASTY_TEXTS = (
    *("", " ", "\0", "\x1b[2J", "\u202e", "x" * 5000, "yes", "no", "-1", "1e999", "../../etc/passwd", "/dev/zero"),
    *("9" * 5000, "nan", "inf", "{text}", "{0.__class__}", "[[", '{"a":' * 500, "é", "日本", "👩‍👧", "\ufeff", "a\nb"),
)


def mutate(path: Path, random: Random) -> str:
    """Make a file wrong in place; gives the name of what was done."""
    kind = path.suffix.lower().lstrip(".")
    by_kind = _BY_KIND.get(kind, ())
    rare = random.random() < 0.003
    mutation = (
        random.choice(_RARE)
        if rare
        else random.choice((*by_kind, *by_kind, *by_kind, *_BYTES, *_NO_FILES))
        if by_kind
        else random.choice(_BYTES)
    )
    mutation(path, random)
    return mutation.__name__.strip("_")


# Values of JSON and YAML, whose places are drawn evenly over the tree.


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            found.append((one, key))
            waiting.append(one[key])
    return found


def _change_tree(value: Any, random: Random, tokens: dict[str, str]) -> Any:
    places = _places(value)
    if not places:
        return _token(random, tokens)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        holder, key = random.choice(places)
        try:
            old = holder[key]
        except (KeyError, IndexError):
            continue
        match random.randrange(9):
            case 0 | 1 | 2:
                holder[key] = _token(random, tokens)
            case 3:
                del holder[key]
            case 4:
                holder[key] = [old]
            case 5:
                holder[key] = {"value": old}
            case 6 if isinstance(holder, dict):
                holder[random.choice((*NASTY_TEXTS, "format", "id"))] = old
            case 6 | 7:
                holder[key] = random.choice(NASTY_TEXTS)
            case 8:
                other, its_key = random.choice(places)
                if isinstance(other, list | dict) and (
                    its_key in other if isinstance(other, dict) else its_key < len(other)
                ):
                    holder[key] = json.loads(json.dumps(other[its_key], default=str))
    return value


def _token(random: Random, tokens: dict[str, str]) -> str:
    name = f"@@{len(tokens)}@@"
    tokens[name] = random.choice(TOKENS)
    return name


def _written(value: Any, tokens: dict[str, str], random: Random) -> str:
    text = json.dumps(value, ensure_ascii=random.random() < 0.5, default=str)
    for name, token in tokens.items():
        text = text.replace(f'"{name}"', token)
    if random.random() < 0.08:
        # The same key again.
        text = text.replace("{", text[text.find("{") : text.find(",") + 1] or "{", 1)
    return text


def _tree_of_json(path: Path, random: Random) -> None:
    tokens: dict[str, str] = {}
    value = _change_tree(json.loads(path.read_text()), random, tokens)
    path.write_bytes(_written(value, tokens, random).encode("utf-8", "surrogatepass"))


def _tree_of_lines(path: Path, random: Random) -> None:
    lines = path.read_text().splitlines()
    number = random.randrange(len(lines))
    tokens: dict[str, str] = {}
    value = _change_tree(json.loads(lines[number]), random, tokens)
    lines[number] = _written(value, tokens, random)
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))


def _lines_again(path: Path, random: Random) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(random.choices(lines, k=len(lines) + random.randrange(-1, 3))))


def _tree_of_yaml(path: Path, random: Random) -> None:
    tokens: dict[str, str] = {}
    value = _change_tree(yaml.safe_load(path.read_text()), random, tokens)
    path.write_bytes(_written(value, tokens, random).encode("utf-8", "surrogatepass"))


def _line_of_yaml(path: Path, random: Random) -> None:
    lines = path.read_text().splitlines()
    number = random.randrange(len(lines))
    begin, _, _ = lines[number].partition(":")
    lines[number] = f"{begin}: {random.choice(TOKENS)}" if random.random() < 0.7 else random.choice(TOKENS)
    path.write_text("\n".join(lines))


# Cells of CSV and TSV.


def _cell(path: Path, random: Random) -> None:
    separator = "\t" if path.suffix == ".tsv" else ","
    rows = [line.split(separator) for line in path.read_text().splitlines()]
    row = random.choice(rows)
    place = random.randrange(len(row))
    match random.randrange(4):
        case 0:
            del row[place]
        case 1:
            row.insert(place, row[place])
        case _:
            row[place] = random.choice((*NASTY_TEXTS, '"', '"a', "1,2", "a\rb", "=1+1", "x" * 200_000))
    path.write_bytes("\n".join(separator.join(row) for row in rows).encode("utf-8", "surrogatepass"))


# Columns of Parquet.


def _columns(path: Path, random: Random) -> None:
    table = pq.read_table(path)
    table = _change_table(table, random)
    if random.random() < 0.3:
        # Where the first change wrote bytes that are no text, it is enough.
        with suppress(UnicodeDecodeError, pa.ArrowException):
            table = _change_table(table, random)
    pq.write_table(table, path, compression=random.choice(("zstd", "snappy", "none")))


def _change_table(table: pa.Table, random: Random) -> pa.Table:
    names, place = table.column_names, random.randrange(max(1, table.num_columns))
    if not names:
        return table
    match random.randrange(10):
        case 0:
            return table.remove_column(place)
        case 1:
            return table.append_column(names[place], table.column(place))
        case 2:
            return table.rename_columns([*names[:place], names[place] + " ", *names[place + 1 :]])
        case 3:
            return table.slice(0, random.choice((0, 1, len(table) // 2)))
        case 4:
            return pa.concat_tables([table, table.slice(0, 1 + len(table) // 2)])
        case 5:
            return table.take(pa.array(random.sample(range(len(table)), len(table)), pa.int64()))
        case 6:
            rows = table.column(place).to_pylist()
            if rows:
                rows[random.randrange(len(rows))] = None
            return table.set_column(place, names[place], pa.array(rows, table.schema.field(place).type))
        case 7 if pa.types.is_string(table.schema.field(place).type):
            rows = [
                random.choice(NASTY_TEXTS) if random.random() < 0.4 else one for one in table.column(place).to_pylist()
            ]
            return table.set_column(place, names[place], pa.array(rows, pa.string()))
        case 8:
            # Bytes that are no UTF-8 under the name of a text.
            binary = pa.array([b"\xff\xfe" if random.random() < 0.5 else b"ok" for _ in range(len(table))], pa.binary())
            return table.set_column(
                place, names[place], pa.Array.from_buffers(pa.string(), len(binary), binary.buffers())
            )
        case _:
            return table.set_column(place, names[place], _other_type(len(table), random))


def _other_type(rows: int, random: Random) -> pa.Array:
    import datetime
    import decimal

    values: tuple[tuple[Any, pa.DataType], ...] = (
        *((1, pa.int64()), (2**63, pa.uint64()), (1.5, pa.float32()), (float("nan"), pa.float64()), (True, pa.bool_())),
        *((b"x", pa.binary()), ("x", pa.large_string()), ("x", pa.dictionary(pa.int32(), pa.string()))),
        *(
            (["x"], pa.list_(pa.string())),
            ([[1.0]], pa.list_(pa.list_(pa.float64()))),
            ({"a": 1}, pa.struct([("a", pa.int8())])),
        ),
        *((None, pa.null()), (datetime.date(2020, 1, 1), pa.date32()), (decimal.Decimal("1.5"), pa.decimal128(5, 2))),
        *((datetime.datetime(2020, 1, 1), pa.timestamp("ns")), ([("a", 1)], pa.map_(pa.string(), pa.int64()))),
        *(([{"name": "a", "value": "b"}], pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))),),
        *(([{"name": "a", "value": 1}], pa.list_(pa.struct([("name", pa.string()), ("value", pa.int64())]))),),
        *(
            (["a", None], pa.list_(pa.string())),
            ([None], pa.list_(pa.float64())),
            ([1.0, float("inf")], pa.list_(pa.float64())),
        ),
    )
    value, kind = random.choice(values)
    return pa.array([value if random.random() < 0.9 else None for _ in range(rows)], kind)


# Arrays of NumPy.


def _arrays(path: Path, random: Random) -> None:
    held = np.load(path)
    arrays = dict(held) if path.suffix == ".npz" else {"": held}
    name = random.choice(list(arrays))
    array = arrays[name]
    match random.randrange(8):
        case 0:
            arrays[name] = array.astype(random.choice(("f2", "i4", "c8", "U3", "S2", "bool", ">f8")))
        case 1:
            arrays[name] = array.reshape(-1)
        case 2:
            arrays[name] = array[..., None]
        case 3:
            arrays[name] = array[:0]
        case 4:
            arrays[name] = np.full(array.shape, random.choice((np.nan, np.inf, -1e38, 5.0)))
        case 5:
            arrays[name] = np.array([{}, None], dtype=object)
        case 6 if path.suffix == ".npz":
            del arrays[name]
        case _:
            arrays[name] = np.concatenate([array, array])
    if path.suffix == ".npz":
        np.savez(path, **arrays)
    else:
        np.save(path, arrays[""], allow_pickle=True)


def _header_of_array(path: Path, random: Random) -> None:
    data = path.read_bytes()
    shapes = (b"(99999999999, 9),", b"(-1, 4),        ", b"(2**60,),       ", b"()              ", b"os.system('x')  ")
    begin = data.find(b"'shape': ")
    if begin >= 0:
        path.write_bytes(data[: begin + 9] + random.choice(shapes) + data[begin + 9 + 16 :])


# Images.


def _image(path: Path, random: Random) -> None:
    size = random.choice(((1, 1), (1, 3000), (64, 48)))
    mode = random.choice(("RGB", "L", "RGBA", "P", "1", "CMYK", "I;16", "F", "LA"))
    kind = random.choice(("JPEG", "PNG", "GIF", "TIFF", "BMP", "WEBP", "PPM", "ICO", "TGA", "PDF", "EPS"))
    stream = io.BytesIO()
    try:
        Image.new(mode, size).save(stream, kind)
    except (OSError, ValueError, KeyError):
        stream.write(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n")
    path.write_bytes(stream.getvalue())


def _image_size(path: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    begin = data.find(b"IHDR") + 4 if b"IHDR" in data else data.find(b"\xff\xc0") + 5
    data[begin : begin + 4] = random.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\xff\xff", b"\x7f\xff\xff\xff"))
    path.write_bytes(data)


# Bytes of anything.


def _cut(path: Path, random: Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: random.randrange(len(data) + 1)])


def _flip(path: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(random.choice((1, 1, 3, 20))):
        data[random.randrange(len(data))] = random.randrange(256)
    path.write_bytes(data)


def _insert(path: Path, random: Random) -> None:
    data = path.read_bytes()
    piece = random.choice(
        (b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\x1b[2J", b"[" * DEEP, b'"', b"9" * 6000, b"\t")
    )
    place = random.choice((0, random.randrange(len(data) + 1), len(data)))
    path.write_bytes(data[:place] + piece + data[place:])


def _replace(path: Path, random: Random) -> None:
    data = path.read_bytes()
    text = data.decode("utf-8", "replace")
    whole = (
        *(b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf" + data, text.encode("utf-16"), random.randbytes(200), b"\0" * 100),
        *(token.encode() for token in TOKENS),
        *(data + data, data[::-1], b"\n\n\n", b"---\n---\n", b"PAR1PAR1", b"PK\x05\x06" + b"\0" * 18),
    )
    path.write_bytes(random.choice(whole))


# What is no file.


def _pipe(path: Path, random: Random) -> None:
    path.unlink()
    os.mkfifo(path)


def _device(path: Path, random: Random) -> None:
    path.unlink()
    path.symlink_to(random.choice(("/dev/zero", "/dev/null", "/dev/tty", "/dev/random", "/proc/self/mem")))


def _folder(path: Path, random: Random) -> None:
    path.unlink()
    path.mkdir()


def _missing(path: Path, random: Random) -> None:
    path.unlink()
    if random.random() < 0.5:
        path.symlink_to(path.name)


def _sparse(path: Path, random: Random) -> None:
    if random.random() < 0.5:
        path.unlink()
    with path.open("ab") as stream:
        stream.truncate(1 << 40)


def _swapped(path: Path, random: Random) -> None:
    """Another file of the same folder under this name."""
    others = sorted(other for other in path.parent.rglob("*") if other.is_file() and not other.is_symlink())
    shutil.copyfile(random.choice(others), path) if others else None


Mutation = Callable[[Path, Random], None]
_BYTES: tuple[Mutation, ...] = (_cut, _flip, _insert, _replace)
_NO_FILES: tuple[Mutation, ...] = (_pipe, _device, _folder, _missing)
_RARE: tuple[Mutation, ...] = (_sparse,)
_BY_KIND: dict[str, tuple[Mutation, ...]] = {
    "json": (_tree_of_json, _tree_of_json),
    "jsonl": (_tree_of_lines, _lines_again),
    "yaml": (_tree_of_yaml, _line_of_yaml),
    "csv": (_cell, _cell),
    "tsv": (_cell, _cell),
    "parquet": (_columns, _columns),
    "npz": (_arrays, _header_of_array),
    "npy": (_arrays, _header_of_array),
    "png": (_image, _image_size),
    "jpg": (_image, _image_size),
    "txt": (_cut, _insert),
}
