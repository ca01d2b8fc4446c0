"""Reading the texts of stored replies anew, as the present reader of answers reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from falter.answers import is_read_from_text, read_reply
from falter.measures.outcomes import accept_golds, read_items
from falter.runs.reply import own_id

if TYPE_CHECKING:
    import polars as pl

__all__ = ["has_unread_texts", "reread"]

_KINDS = {"has_text": "text", "has_score": "score", "has_choice_scores": "choice_scores"}


def reread(replies: pl.DataFrame, items_path: Path, *, anew: bool) -> pl.DataFrame:
    """The columns ``status`` and ``answer`` of stored replies, as they are read now.

    ``anew`` reads all texts: another reader read them. Texts that no rule reads are read with the answers that their
    items accept, which no model and no run is told.
    """
    import polars as pl

    read = _read_anew(replies, items_path) if anew else replies
    if not has_unread_texts(read):
        return read.select("status", "answer")
    # A reply to one published id of an item is read as one to the item.
    table = read.with_columns(pl.col("item_id").str.split(own_id("", "")).list.first()).to_arrow()
    accepted = pl.from_arrow(accept_golds(read_items(items_path), table).select(["status", "answer"]))
    assert isinstance(accepted, pl.DataFrame)
    return accepted


def has_unread_texts(replies: pl.DataFrame) -> bool:
    """Whether there are texts that no rule reads: one may be an answer that its item accepts."""
    import polars as pl

    unread = (pl.col("status") == "unparsed") & pl.col("text").is_not_null()
    if "given" in replies.columns:
        unread &= ~pl.col("given").fill_null(value=False)
    return bool(replies.select(unread.any()).item())


def _read_anew(replies: pl.DataFrame, items_path: Path) -> pl.DataFrame:
    """Replies whose answers are read from their texts, row by row; those whose answers are not stay as they are.

    Equal texts with equal choices are read once.
    """
    import polars as pl

    # A reply to one published id of an item is read as one to the item.
    rows = replies.with_row_index("row").with_columns(pl.col("item_id").str.split(own_id("", "")).list.first())
    rows = rows.join(_questions(items_path), on="item_id", how="left", maintain_order="left")
    rows = rows.filter(_is_read(rows)).select("row", "text", "task", "choices", "question")
    distinct = rows.unique(["text", "question"], maintain_order=True)
    read = [
        read_reply(task, choices, text)
        for text, task, choices in zip(distinct["text"], distinct["task"], distinct["choices"].to_list(), strict=True)
    ]
    columns = pl.DataFrame(
        {"new_status": [one.status for one in read], "new_answer": [one.answer for one in read]},
        schema={"new_status": pl.String, "new_answer": pl.String},
    )
    found = rows.select("row", "text", "question").join(
        distinct.select("text", "question").hstack(columns), on=["text", "question"], how="left", nulls_equal=True
    )
    both = replies.select("status", "answer").with_row_index("row")
    both = both.join(found, on="row", how="left", maintain_order="left")
    is_new = pl.col("new_status").is_not_null()
    return replies.with_columns(
        both.select(
            status=pl.when(is_new).then("new_status").otherwise("status"),
            answer=pl.when(is_new).then("new_answer").otherwise("answer"),
        )
    )


def _is_read(rows: pl.DataFrame) -> pl.Series:
    """By row whether its answer is read from its text; the rule is asked once for every kind of reply."""
    import polars as pl

    given = pl.col("given").fill_null(value=False) if "given" in rows.columns else _given_before_it_was_marked()
    kinds = rows.select(
        "task", "status", given=given, **{name: pl.col(column).is_not_null() for name, column in _KINDS.items()}
    )
    distinct = kinds.unique()
    # An item that the suite does not have has no task.
    is_read = [row["task"] is not None and is_read_from_text(**row) for row in distinct.iter_rows(named=True)]
    distinct = distinct.with_columns(is_read=pl.Series(is_read, dtype=pl.Boolean))
    return kinds.join(distinct, on=kinds.columns, how="left", nulls_equal=True, maintain_order="left")["is_read"]


def _given_before_it_was_marked() -> pl.Expr:
    """Old runs do not say which replies the model gave itself: those without an answer, where others have scores."""
    import polars as pl

    is_scored = pl.col("choice_scores").is_not_null() | ((pl.col("task") == "match") & pl.col("score").is_not_null())
    return is_scored.any().over("task", pl.col("choices").is_null()).fill_null(value=False)


def _questions(items_path: Path) -> pl.DataFrame:
    """By item its task and choices, and a number for each distinct combination of them."""
    import polars as pl

    items = read_items(items_path)
    frame = pl.DataFrame({name: pl.Series(pl.from_arrow(items[name])) for name in ("item_id", "task", "choices")})
    frame = frame.with_columns(pl.col("item_id", "task").cast(pl.String), pl.col("choices").cast(pl.List(pl.String)))
    frame = frame.unique("item_id", keep="first")
    distinct = frame.select("task", "choices").unique().with_row_index("question")
    return frame.join(distinct, on=["task", "choices"], how="left", nulls_equal=True)
