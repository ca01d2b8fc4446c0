"""How far annotators agree: Krippendorff's alpha over nominal categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from falter.measures.statistics.agreement import count_categories, krippendorff_alpha
from falter.probes import Vote

__all__ = ["are_shown_in_one_order", "votes_alpha"]


def are_shown_in_one_order(votes: Sequence[Vote]) -> bool:
    """Whether it is known of every vote which text came first, and it is the same for all who saw a pair."""
    orders: dict[str | None, set[bool | None]] = {}
    for vote in votes:
        orders.setdefault(vote.probe_id or vote.item_id, set()).add(vote.caption_first)
    return bool(orders) and all(len(found) == 1 and None not in found for found in orders.values())


def votes_alpha(votes: Iterable[Vote], *, as_shown: bool = False) -> float | None:
    """Krippendorff's alpha over all annotators and pairs; None where no pair has two votes, or all votes are the same.

    With ``as_shown``, categories are the options that annotators saw: the first or the second text, not caption or
    foil. Nearly all votes on valid pairs are for the caption: chance agrees on these as well as people do.
    """
    counted = count_categories(
        (vote.probe_id or vote.item_id or "", _option(vote) if as_shown else vote.answer) for vote in votes
    )
    found = krippendorff_alpha(counted.counts)
    return None if found is None else found.value


def _option(vote: Vote) -> str:
    if vote.answer not in ("caption", "foil"):
        return vote.answer
    return "first" if (vote.answer == "caption") == vote.caption_first else "second"
