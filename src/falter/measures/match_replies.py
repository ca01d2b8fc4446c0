"""Replies to matching items: where each ranks, and what it says where a threshold can be laid on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from falter.measures.cells import ORDERS
from falter.measures.interning import NONE, Codes

__all__ = ["THRESHOLD", "MatchReplies", "order_of", "read_match_replies"]

THRESHOLD = 0.5
"""A probability above this says that text and picture match."""

LETTERS = ("A", "B")

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class MatchReplies(NamedTuple):
    """One entry a row of replies."""

    rank: Floats
    """Higher matches better: the score, else 1 for yes and 0 for no; NaN where neither was given."""
    probable: Bools
    """The score is a probability, so that a threshold can be laid on it."""
    lean: Floats
    """By how much likelier the match is when it is called A than when it is called B; NaN where neither was asked."""


def read_match_replies(replies: pa.Table, answers: Codes, yes: int, no: int) -> MatchReplies:
    """What the replies say about matching; ``answers`` are their answers, normalised and numbered."""
    size = len(answers)
    names = set(replies.column_names)
    score = _floats(replies["score"]) if "score" in names else np.full(size, np.nan)
    probable = np.zeros(size, dtype=bool)
    if "score_kind" in names:
        # A dictionary column is compared by its words.
        kind = pc.cast(replies["score_kind"], pa.string())
        probable = pc.fill_null(pc.equal(kind, "probability"), False).to_numpy().astype(bool)
    said = np.where(answers == yes, 1.0, np.where(answers == no, 0.0, np.nan))
    rank = np.where(np.isnan(score), said, score)
    return MatchReplies(rank, probable & ~np.isnan(score), _leans(replies, size))


def _floats(column: pa.ChunkedArray) -> Floats:
    return np.asarray(pc.fill_null(pc.cast(column, pa.float64()), float("nan")).to_numpy(), dtype=np.float64)


def _leans(replies: pa.Table, size: int) -> Floats:
    lean = np.full(size, np.nan)
    if "choice_scores" not in replies.column_names or replies["choice_scores"].null_count == size:
        return lean
    lengths = pc.fill_null(pc.list_value_length(replies["choice_scores"]), 0).to_numpy().astype(np.int64)
    flat = pc.list_flatten(replies["choice_scores"])
    row = np.repeat(np.arange(size), lengths)
    choice = pc.cast(pc.struct_field(flat, "choice"), pa.string())
    score = _floats(pc.struct_field(flat, "score"))
    sides = []
    for letter in LETTERS:
        side = np.full(size, np.nan)
        own = pc.fill_null(pc.equal(choice, letter), False).to_numpy(zero_copy_only=False).astype(bool)
        side[row[own]] = score[own]
        sides.append(side)
    return np.where(lengths == len(LETTERS), sides[0] - sides[1], np.nan)


def order_of(original: Floats, variant: Floats) -> Codes:
    """How the ranks of originals and variants stand, as numbers in :data:`falter.measures.cells.ORDERS`."""
    order = np.full(len(original), ORDERS.index("lost"), dtype=np.int32)
    order[original == variant] = ORDERS.index("tied")
    order[original > variant] = ORDERS.index("won")
    return order


def thresholded(match: MatchReplies, answers: Codes, yes: int, no: int) -> Codes:
    """Answers with those of probabilities read off at the threshold."""
    read = np.where(match.rank > THRESHOLD, yes, no)
    return np.where(match.probable, read, answers).astype(np.int32)


def only_scored(match: MatchReplies, answers: Codes) -> Bools:
    """Replies that rank, but say neither yes nor no."""
    return np.asarray(~np.isnan(match.rank) & (answers == NONE))
