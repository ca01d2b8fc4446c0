"""Which prediction belongs to which item, where a file goes by published ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from falter.models.capabilities import PublishedItem
from falter.models.predictions.layouts import Prediction

__all__ = ["JoinedIds", "join_published_ids"]

_COVERED = 0.9
"""A file of predictions is about a published file if it has this share of its ids."""


class JoinedIds(NamedTuple):
    """How published ids were joined with items."""

    first: dict[str, str]
    """Of an item the published id whose prediction is the reply to it."""
    own: Mapping[tuple[str, str], str | None]
    """By item and published id of rows whose reply is not that of their item the id that it is under; None for none."""
    joined: frozenset[str]
    """The published ids that have an item."""
    ambiguous: frozenset[str]
    """Published ids of different questions: which of them the prediction is for cannot be told."""


def join_published_ids(
    rows: Callable[[], Iterator[PublishedItem]], predictions: Mapping[str, Prediction], disputed: Collection[str]
) -> JoinedIds:
    """Give each row the prediction of its published id, if that id stands for one question alone.

    A row without one has that of an equal item of its test: a test of which a file holds nothing must not look as if it
    had been answered. An id of different questions in different published files belongs to the one file that the
    predictions are about, if there is one. ``disputed`` are ids with different predictions.
    """
    meant = _questions_meant(rows, predictions, disputed)
    first: dict[str, str] = {}
    by_test: dict[tuple[str, str], str] = {}
    lacking: set[tuple[str, str]] = set()
    joined: set[str] = set()
    for item_id, source_id, _, test in rows():
        if source_id is None:
            continue
        if source_id not in predictions or meant.get(source_id, item_id) != item_id:
            lacking.add((item_id, source_id))
            continue
        joined.add(source_id)
        first.setdefault(item_id, source_id)
        by_test.setdefault((item_id, test), source_id)
    own: dict[tuple[str, str], str | None] = {}
    for item_id, source_id, _, test in rows():
        if source_id is None or item_id not in first:
            continue
        replied = by_test.get((item_id, test)) if (item_id, source_id) in lacking else source_id
        if replied is None or predictions[replied] != predictions[first[item_id]]:
            own[item_id, source_id] = replied
    ambiguous = frozenset(source_id for source_id, item_id in meant.items() if item_id is None)
    return JoinedIds(first, own, frozenset(joined), ambiguous)


def _questions_meant(
    rows: Callable[[], Iterator[PublishedItem]], predictions: Mapping[str, Prediction], disputed: Collection[str]
) -> dict[str, str | None]:
    """Of ids of different questions the item that is meant, None where that cannot be told."""
    one: dict[str, str] = {}
    several: set[str] = set()
    published: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    for item_id, source_id, file, _ in rows():
        if source_id is None:
            continue
        published[file] += 1
        if source_id in predictions:
            predicted[file] += 1
            if one.setdefault(source_id, item_id) != item_id:
                several.add(source_id)
    if not several:
        return {}
    covered = {file for file, count in predicted.items() if count >= _COVERED * published[file]}
    candidates: dict[str, set[str]] = {source_id: set() for source_id in several}
    for item_id, source_id, file, _ in rows():
        if source_id in candidates and file in covered:
            candidates[source_id].add(item_id)
    return {
        source_id: next(iter(items)) if len(items) == 1 and source_id not in disputed else None
        for source_id, items in candidates.items()
    }
