"""The first sheet of an Excel file (``.xlsx``) as rows, which is what VLMEvalKit writes by default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falter.errors import InputError
from falter.files.opening import open_regular

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element
    from zipfile import ZipFile

__all__ = ["spreadsheet_rows"]

_MOST_BYTES = 1 << 30
"""Larger parts are refused: a small archive may unpack to anything."""
_SHEET = re.compile(r"xl/worksheets/sheet\d*\.xml")
_STRINGS = "xl/sharedStrings.xml"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def spreadsheet_rows(path: Path, hint: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows below the first, each with its number in the sheet and its cells by the names in the first row."""
    from xml.etree.ElementTree import ParseError
    from zipfile import BadZipFile, ZipFile

    try:
        with open_regular(path, hint=hint) as data, ZipFile(data) as archive:
            sheet = min(filter(_SHEET.fullmatch, archive.namelist()), key=lambda name: (len(name), name), default=None)
            if sheet is None:
                raise InputError(path, "has no sheet", hint=hint)
            header: dict[int, str] = {}
            for number, cells in _rows(archive, sheet, _shared_strings(archive)):
                if header:
                    yield number, {name: cells.get(column) for column, name in header.items()}
                else:
                    header = {column: str(value) for column, value in cells.items() if value is not None}
    except (BadZipFile, ParseError, KeyError, ValueError, OSError, EOFError, NotImplementedError) as error:
        raise InputError(path, f"cannot be read as an Excel file: {error}", hint=hint) from error


def _parts(archive: ZipFile, name: str, wanted: str) -> Iterator[Element]:
    """The elements of one kind, one in memory at a time."""
    from xml.etree.ElementTree import iterparse

    if archive.getinfo(name).file_size > _MOST_BYTES:
        raise ValueError(f"{name} has more than the {_MOST_BYTES:,} bytes that are read")
    with archive.open(name) as stream:
        for _, element in iterparse(stream):
            if element.tag.rpartition("}")[2] == wanted:
                yield element
                element.clear()


def _shared_strings(archive: ZipFile) -> list[str]:
    return [_text(one) for one in _parts(archive, _STRINGS, "si")] if _STRINGS in archive.namelist() else []


def _rows(archive: ZipFile, sheet: str, strings: list[str]) -> Iterator[tuple[int, dict[int, Any]]]:
    for count, row in enumerate(_parts(archive, sheet, "row"), start=1):
        cells: dict[int, Any] = {}
        for position, cell in enumerate(one for one in row if one.tag.endswith("}c")):
            name = cell.get("r")
            cells[position if name is None else _column(name)] = _value(cell, strings)
        yield int(row.get("r", count)), cells


def _column(name: str) -> int:
    """The number of a column by its letters, as in ``AB12``."""
    number = 0
    for letter in name.rstrip("0123456789"):
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _value(cell: Element, strings: list[str]) -> Any:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _text(cell) or None
    found = next((one.text for one in cell if one.tag.endswith("}v")), None)
    if found is None or found == "":
        return None
    if kind == "s":
        return strings[int(found)] or None
    if kind == "n":
        number = float(found)
        return int(number) if number.is_integer() and "e" not in found.lower() else number
    return _unescape(found)


def _text(element: Element) -> str:
    """The text of a cell, in all its runs; readings of Japanese are none of it."""
    parts = (one for one in element.iter() if one.tag.endswith("}t"))
    spoken = {id(one) for ph in element.iter() if ph.tag.endswith("}rPh") for one in ph.iter()}
    return _unescape("".join(one.text or "" for one in parts if id(one) not in spoken))


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
