"""Reading the texts of stored replies anew, as the present reader of answers reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from falter.answers import parse_answer, read_text
from falter.measures.outcomes import read_items
from falter.runs.reply import own_id

if TYPE_CHECKING:
    import polars as pl

__all__ = ["YES_NO", "read_anew"]

YES_NO = ("yes", "no")
"""What a text that is matched with an image is answered with."""


def read_anew(replies: pl.DataFrame, items_path: Path) -> pl.DataFrame:
    """The columns ``status`` and ``answer`` of replies, from their texts, row by row.

    A reply stays as it is where its answer is not read from a text: where the model gave it itself, where it scores the
    choices of such questions or matches such texts by a score, and where there is no reply. A text that is matched with
    an image is read anew only where that finds a yes or a no. Equal texts with equal choices are read once.
    """
    import polars as pl

    given = pl.col("given").fill_null(value=False) if "given" in replies.columns else pl.lit(value=False)
    is_scored = pl.col("choice_scores").is_not_null() | ((pl.col("task") == "match") & pl.col("score").is_not_null())
    readable = (
        pl.col("text").is_not_null()
        & pl.col("status").is_in(["ok", "unparsed"])
        & ~given
        & ~is_scored.any().over("task", pl.col("choices").is_null())
    )
    # A reply to one published id of an item is read as one to the item.
    rows = replies.with_row_index("row").with_columns(pl.col("item_id").str.split(own_id("", "")).list.first())
    rows = rows.join(_questions(items_path), on="item_id", how="left", maintain_order="left")
    rows = rows.filter(readable.fill_null(value=False)).select("row", "text", "task", "choices", "question")
    distinct = rows.unique(["text", "question"])
    read = [
        _read(text, task, choices)
        for text, task, choices in zip(distinct["text"], distinct["task"], distinct["choices"].to_list(), strict=True)
    ]
    columns = pl.DataFrame(
        {"new_status": [one[0] for one in read], "new_answer": [one[1] for one in read]},
        schema={"new_status": pl.String, "new_answer": pl.String},
    )
    found = rows.select("row", "text", "question").join(
        distinct.select("text", "question").hstack(columns), on=["text", "question"], how="left", nulls_equal=True
    )
    both = replies.select("status", "answer").with_row_index("row")
    both = both.join(found.filter(pl.col("new_status").is_not_null()), on="row", how="left", maintain_order="left")
    is_new = pl.col("new_status").is_not_null()
    return both.select(
        status=pl.when(is_new).then(pl.col("new_status")).otherwise(pl.col("status")),
        answer=pl.when(is_new).then(pl.col("new_answer")).otherwise(pl.col("answer")),
    )


def _questions(items_path: Path) -> pl.DataFrame:
    """By item its task and choices, and a number for each distinct combination of them."""
    import polars as pl

    items = read_items(items_path)
    frame = pl.DataFrame({name: pl.Series(pl.from_arrow(items[name])) for name in ("item_id", "task", "choices")})
    frame = frame.with_columns(pl.col("item_id", "task").cast(pl.String), pl.col("choices").cast(pl.List(pl.String)))
    frame = frame.unique("item_id", keep="first")
    distinct = frame.select("task", "choices").unique().with_row_index("question")
    return frame.join(distinct, on=["task", "choices"], how="left", nulls_equal=True)


def _read(text: str, task: str, choices: list[str] | None) -> tuple[str | None, str | None]:
    """Status and answer; neither where the reply stays as it is."""
    if task == "match":
        parsed = parse_answer(text, choices or YES_NO)
        return ("ok", parsed.answer) if parsed.kind == "choice" else (None, None)
    read = read_text(text, choices)
    return read.status, read.answer
