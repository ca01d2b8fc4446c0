"""How far annotators agree: Krippendorff's alpha over nominal categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from falter.errors import UsageError
from falter.probes import Vote

__all__ = ["are_shown_in_one_order", "krippendorff_alpha"]


def are_shown_in_one_order(votes: Sequence[Vote]) -> bool:
    """Whether it is known of every vote which text came first, and it is the same for all who saw a pair."""
    orders: dict[str | None, set[bool | None]] = {}
    for vote in votes:
        orders.setdefault(vote.probe_id, set()).add(vote.caption_first)
    return bool(orders) and all(len(found) == 1 and None not in found for found in orders.values())


def krippendorff_alpha(votes: Iterable[Vote], *, as_shown: bool = False) -> float | None:
    """Alpha over all annotators and pairs, by NLTK; None where no pair has two votes, or all votes are the same.

    With ``as_shown``, categories are the options that annotators saw: the first or the second text, not caption or
    foil. Nearly all votes on valid pairs are for the caption: chance agrees on these as well as people do.

    1 is perfect agreement, 0 what chance gives. Where everyone gives one answer throughout, nothing could disagree.
    """
    try:
        from nltk.metrics.agreement import AnnotationTask
    except ImportError as error:
        raise UsageError("agreement needs the package nltk: pip install 'falter[nlp]'") from error

    by_pair: dict[str, list[Vote]] = {}
    for vote in votes:
        by_pair.setdefault(vote.probe_id or "", []).append(vote)
    rows = [
        (vote.annotator, pair, _option(vote) if as_shown else vote.answer)
        for pair, found in sorted(by_pair.items())
        if len(found) > 1
        for vote in sorted(found, key=lambda one: one.annotator)
    ]
    if len({answer for _, _, answer in rows}) < 2:
        return None
    return float(AnnotationTask(rows).alpha())


def _option(vote: Vote) -> str:
    if vote.answer not in ("caption", "foil"):
        return vote.answer
    return "first" if (vote.answer == "caption") == vote.caption_first else "second"
