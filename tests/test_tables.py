"""Result tables: rows that print, filter, and become data frames."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from rich.text import Text

from falter.core.errors import UsageError
from falter.core.tables import Block, Column, Grid, ResultTable


class Where(msgspec.Struct, frozen=True):
    suite: str
    test: str
    facet: str | None = None
    value: str | None = None


class Figure(msgspec.Struct, frozen=True):
    value: float | None
    low: float | None = None


class Row(msgspec.Struct, frozen=True):
    group: Where
    name: str
    best: Figure
    by_prompt: dict[str, float]


class Rows(ResultTable[Row]):
    noun = "figures"


HOSTILE = "<script>alert(1)</script>"
ROWS = Rows(
    [
        Row(Where("s", "a", "color", "red"), "one", Figure(0.25, 0.125), {"plain": 1.0}),
        Row(Where("s", "b"), HOSTILE, Figure(None), {}),
    ]
)


def test_rows_are_flat_in_data_frames() -> None:
    frame = ROWS.to_polars()
    assert frame.columns == ["suite", "test", "facet", "facet_value", "name", "best", "best_low", "by_prompt:plain"]
    assert frame.row(0) == ("s", "a", "color", "red", "one", 0.25, 0.125, 1.0)
    assert frame.row(1) == ("s", "b", None, None, HOSTILE, None, None, None)


def test_pandas_has_the_same_columns() -> None:
    pytest.importorskip("pandas")
    frame = ROWS.to_pandas()
    assert list(frame.columns) == ROWS.to_polars().columns
    assert frame["best"].iloc[0] == 0.25


def test_filter_keeps_rows_and_type() -> None:
    kept = ROWS.filter(test="a", facet_value="red")
    assert isinstance(kept, Rows)
    assert [row.name for row in kept] == ["one"]
    assert len(ROWS.filter(test="a", name="two")) == 0
    with pytest.raises(UsageError, match="no column 'tset'; the columns are suite, test"):
        ROWS.filter(tset="a")


def test_a_table_is_a_sequence() -> None:
    assert len(ROWS) == 2
    assert ROWS[1].name == HOSTILE
    assert isinstance(ROWS[:1], Rows)
    assert next(reversed(ROWS)) is ROWS[1]
    assert repr(ROWS) == "<Rows: 2 figures>"
    assert ROWS == Rows(ROWS.rows) != ROWS[:1]


def test_text_and_html_hold_every_cell_and_no_markup() -> None:
    text = str(ROWS)
    assert "color" in text
    assert "0.125" in text
    page = ROWS._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<tr>") == 3
    assert str(Rows([])) == "no figures"


def test_text_is_the_same_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = str(ROWS)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert expected
    assert str(ROWS) == expected


def test_json_is_that_of_the_rows() -> None:
    assert json.loads(ROWS.to_json())[0]["group"]["test"] == "a"


@pytest.mark.parametrize(("width", "pieces"), [(200, 1), (30, 2), (1, 4)])
def test_a_wide_table_is_split_and_repeats_its_keys(width: int, pieces: int) -> None:
    from rich.text import Text

    columns = [Column(f"column {number}", [Text("x" * 8)]) for number in range(4)]
    found = list(Grid([Column("key", [Text("k")])], columns).fit(width))
    assert len(found) == pieces
    assert all(piece[0].heading == "key" for piece in found)
    assert [column for piece in found for column in piece[1:]] == columns


def test_long_names_are_broken_for_a_terminal_only() -> None:
    from io import StringIO

    from rich.text import Text

    from falter.core.tables import Column, Grid, ResultTable, print_blocks

    name = "a_long_name/with-parts of several words, andonethatislongerthanaline"
    column = Column("model", [Text(name), Text("short")], wrap=14)

    class Table(ResultTable):  # type: ignore[type-arg]
        def blocks(self) -> list[Grid]:
            return [Grid([column], [Column("ACC", [Text("1"), Text("2")], right=True)])]

    printed = StringIO()
    print_blocks(Table([]).blocks(), file=printed)
    lines = [line.rsplit("  ", 1)[0].strip() for line in printed.getvalue().splitlines()]
    assert column.width == 14
    assert max(map(len, printed.getvalue().splitlines())) <= 14 + 3 + 3
    assert "a_long_name/" in lines and "with-parts of" in lines
    assert "".join(lines).replace(" ", "").count("andonethatislongerthanaline") == 1
    assert name in Table([]).to_markdown()


MARKUP = (
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](http://h/i.png)",
    "a|b",
    "`x`\nnext",
    "a\x1b[31m",
)


class Named(msgspec.Struct, frozen=True):
    name: str
    value: float


class NamedTable(ResultTable[Named]):
    noun = "things"

    def replace_rows(self, rows: Sequence[Named]) -> NamedTable:
        return NamedTable(rows)

    def blocks(self) -> Iterator[Block]:
        yield Grid([Column("name", [Text(row.name) for row in self.rows])], [])
        yield from (row.name for row in self.rows)


def test_markdown_holds_no_live_markup() -> None:
    text = NamedTable([Named(one, 1.0) for one in MARKUP]).to_markdown()
    assert "<" not in text and "\x1b" not in text
    assert not re.search(r"(?<!\\)[\[\]`]", text)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == len(MARKUP) + 1
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 2 for line in rows)


@pytest.mark.parametrize(
    ("given", "written"),
    [
        *((text, f"'{text}") for text in ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\tx", "  =1", "\uff1d1")),
        ("a\x1b[31mb", "a␛[31mb"),
        *((text, text) for text in ("yes", "-5", "+3.5", "-1e-3", "a=b", "3-4")),
    ],
)
def test_csv_holds_no_formula_and_no_escape(given: str, written: str, tmp_path: Path) -> None:
    NamedTable([Named(given, -0.5)]).to_csv(tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as stream:
        assert list(csv.reader(stream)) == [["name", "value"], [written, "-0.5"]]
