"""A table of one's own: three columns, in every format, and rows that cannot be used are counted."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from falter.core.errors import InputError, UsageError
from falter.data.sources import open_source
from falter.generation.sources.own_tables import TableSource

ROWS = [
    {"image": "a.jpg", "question": "What color is the dog?", "answer": "brown"},
    {"image": "b", "question": "How many cats are there?", "answer": "2"},
]


@pytest.mark.parametrize("name", ["own.csv", "own.tsv", "own.jsonl", "own.json", "own.parquet"])
def test_every_format_gives_the_same_questions(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    frame = pl.DataFrame(ROWS)
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".jsonl":
            path.write_text("\n".join(json.dumps({**row, "answer": _number(row["answer"])}) for row in ROWS))
        case ".json":
            path.write_text(json.dumps(ROWS))
        case _:
            frame.write_parquet(path)
    source = open_source(f"table:{path}")
    found = [(one.id, one.image_id, one.text, one.answer) for one in source.questions()]
    assert found == [
        ("1", "a.jpg", "What color is the dog?", "brown"),
        ("2", "b", "How many cats are there?", "2"),
    ]
    assert source.image_ids() == ["a.jpg", "b"]


def _number(answer: str) -> object:
    return int(answer) if answer.isdigit() else answer


def test_images_are_below_the_folder_with_or_without_ending(tmp_path: Path) -> None:
    (tmp_path / "pictures" / "deep").mkdir(parents=True)
    for name in ("pictures/a.jpg", "pictures/deep/b.png", "outside.jpg"):
        (tmp_path / name).touch()
    (tmp_path / "own.csv").write_text("image,question,answer\na.jpg,Is it?,yes\n")
    source = open_source(f"table:file={tmp_path}/own.csv,images={tmp_path}/pictures")
    assert source.image_path("a.jpg") == source.image_path("a") == tmp_path / "pictures" / "a.jpg"
    assert source.image_path("deep/b") == tmp_path / "pictures" / "deep" / "b.png"
    assert source.image_path("../outside.jpg") is None
    assert source.image_path(str(tmp_path / "outside.jpg")) is None


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("file,q,label,n\na.jpg,Is it?,yes,x1\n")
    spec = f"table:file={tmp_path}/own.csv,image=file,question=q,answer=label,id=n"
    (only,) = open_source(spec).questions()
    assert (only.id, only.image_id, only.text, only.answer) == ("x1", "a.jpg", "Is it?", "yes")
    with pytest.raises(InputError, match="lacks the columns image, question, answer"):
        open_source(f"table:{tmp_path}/own.csv")


def test_rows_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    lines = [
        "id,image,question,answer",
        "1,a.jpg,What color is it?,red",
        "1,a.jpg,What color is it?,red",
        "2,,What color is it?,red",
        "3,a.jpg,,red",
        "4,a.jpg,What color is it?,",
        "5,a.jpg,What color is it?,red,blue",
    ]
    (tmp_path / "own.csv").write_text("\n".join(lines))
    source = open_source(f"table:{tmp_path}/own.csv")
    assert isinstance(source, TableSource)
    assert [one.id for one in source.questions()] == ["1"]
    assert source.problems == {
        "the id appears twice": 1,
        "the row has no image": 1,
        "the row has no question": 1,
        "the row has no answer": 1,
        "the row has another number of fields than the header": 1,
    }


def test_what_is_no_table_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        open_source(f"table:{tmp_path}/absent.csv")
    (tmp_path / "own.txt").write_text("x")
    with pytest.raises(InputError, match="has none of the endings"):
        open_source(f"table:{tmp_path}/own.txt")
    (tmp_path / "own.parquet").write_text("x")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        open_source(f"table:{tmp_path}/own.parquet")
    with pytest.raises(UsageError, match="has no setting 'colour'"):
        open_source(f"table:file={tmp_path}/own.txt,colour=x")
