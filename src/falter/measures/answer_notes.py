"""Notes on odd answers: a run that is mostly unparsed or off the list, or that always says the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from falter.answers.open_answers import Oddity, find_oddity
from falter.measures.outcomes import EXCLUDED, Outcomes, find_open_questions
from falter.measures.outcomes.coding import Bools
from falter.measures.outcomes.open_questions import said_texts
from falter.tables import format_count

__all__ = ["answer_notes", "note_odd_replies"]

_FEWEST = 20
"""Fewer replies than this say nothing about a habit."""

_MOST = 0.5
_ALIKE = 0.95
_ODD: dict[Oddity, str] = {
    "empty": "are empty",
    "no answer": "say that there is no answer (none, N/A)",
    "log text": "have text of a log in them, and are not read",
}
_SENSIBLE = 0.8
"""Answers that are all alike and correct more often than this are no habit: the questions are alike."""


def answer_notes(found: Outcomes) -> list[str]:
    """What is odd about the answers of a run, a sentence each; empty where nothing is.

    Failed, missing and unsupported replies are not counted. Answers that are all alike are noted where they are often
    wrong.
    """
    return [*_unclear_notes(found), *_alike_notes(found)]


def note_odd_replies(items: pa.Table, replies: pa.Table) -> Iterator[str]:
    """Odd replies to single open questions: empty, without an answer, or with text of a log in them."""
    asked = find_open_questions(items)
    if not asked.any():
        return
    ids = pc.cast(items["item_id"].filter(pa.array(asked)), pa.string()).combine_chunks()
    rows = np.flatnonzero(pc.is_in(pc.cast(replies["item_id"], pa.string()), value_set=ids).to_numpy())
    odd = Counter(find_oddity(text) for text in said_texts(replies, rows.tolist()) if text is not None)
    for oddity, what in _ODD.items():
        if odd[oddity]:
            yield f"{odd[oddity]:,} of {format_count(len(rows), 'replies')} to open questions {what}"


def _unclear_notes(found: Outcomes) -> Iterator[str]:
    """Mostly unparsed, or mostly off the list."""
    states = found.states.with_columns(rows=np.bincount(found.codes("state"), minlength=len(found.states)))
    states = states.filter(~pl.col("outcome").is_in(EXCLUDED))
    cut = int(states.filter(pl.col("outcome") == "truncated")["rows"].sum())
    if cut:
        yield (
            f"{cut:,} of {format_count(int(states['rows'].sum()), 'replies')} were cut off before an answer: allow "
            "more tokens"
        )
    unread = pl.col("outcome").is_in(("unparsed", "truncated"))
    yield from _note_share(states, unread, "replies hold no answer that could be read", above=_MOST)
    listed = states.filter(pl.col("choices") > 0)
    yield from _note_share(listed, pl.col("outcome") == "off_list", "answers are not among the choices", above=_MOST)


def _note_share(states: pl.DataFrame, part: pl.Expr, what: str, *, above: float) -> Iterator[str]:
    n, having = int(states["rows"].sum()), int(states.filter(part)["rows"].sum())
    if n >= _FEWEST and having > above * n:
        yield f"{having:,} of {n:,} {what}"


def _alike_notes(found: Outcomes) -> Iterator[str]:
    """All alike, by kind of question."""
    states = found.states
    clear = ~states["outcome"].is_in((*EXCLUDED, "unparsed", "truncated", "rank_only")).to_numpy()
    matching = (found.frame["task"] == "match").to_numpy()
    choices, yes_no = states["choices"].to_numpy() > 0, states["yes_no"].to_numpy()
    for kind, columns in (
        (
            clear & yes_no,
            {"says_yes": "yes/no questions are answered yes", "says_no": "yes/no questions are answered no"},
        ),
        (clear & choices & ~yes_no, {"first": "answers name the first choice"}),
    ):
        rows = kind[found.codes("state")] & ~matching
        for column, what in columns.items():
            yield from _note_alike(found, rows, states[column].to_numpy()[found.codes("state")], what)
    rows = (clear & ~choices)[found.codes("state")] & ~matching
    if rows.any():
        answers = found.codes("answer")
        commonest = np.bincount(answers[rows]).argmax()
        yield from _note_alike(found, rows, answers == commonest, "answers to open questions are the same")
    if "rank" in found.frame.columns:
        ranks = found.frame["rank"].drop_nulls()
        if len(ranks) >= _FEWEST and ranks.n_unique() == 1:
            yield f"all {len(ranks):,} scores of texts and images are the same"


def _note_alike(found: Outcomes, rows: Bools, having: Bools, what: str) -> Iterator[str]:
    n, alike = int(rows.sum()), int((rows & having).sum())
    if n < _FEWEST or alike < _ALIKE * n:
        return
    correct = (found.states["outcome"] == "correct").to_numpy()[found.codes("state")]
    if (rows & correct).sum() <= _SENSIBLE * n:
        yield f"{alike:,} of {n:,} {what}"
