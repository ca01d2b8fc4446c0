"""What annotators say of captions and foils: valid and unanimous pairs, agreement, and who is screened out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from falter.errors import UsageError
from falter.inspection.agreement import are_shown_in_one_order, votes_alpha
from falter.inspection.blind_sample import is_pair
from falter.probes import Suite, Vote

__all__ = ["PairVerdict", "Screening", "ValidatedTest", "screen_annotators", "validate_pairs", "verdicts"]

_LEAST_VALID = 2
_LEAST_SCREENED = 10
"""Annotators with fewer votes are not screened: their share says little."""


class PairVerdict(NamedTuple):
    """Whether most annotators, and at least two, chose the caption alone; and whether all of them did."""

    valid: bool
    unanimous: bool


class Screening(NamedTuple):
    """The votes that count, and by annotator who was screened out the share of captions chosen."""

    votes: list[Vote]
    out: dict[str, float]


class ValidatedTest(msgspec.Struct, frozen=True, kw_only=True):
    """The votes on one test of captions and foils."""

    test: str
    pairs: int
    """Captions with their foils."""
    judged: int
    """Of these, with at least two votes."""
    votes: int
    annotators: int
    valid: int
    unanimous: int
    alpha: float | None
    """Krippendorff's alpha over the five categories and all pairs; None where nothing could disagree."""
    alpha_over: Literal["options", "texts"]
    """Whether its categories are the options as shown (first, second ...), or caption and foil, where the order of the
    texts is not known or was not the same for all who saw a pair."""
    alpha_valid: float | None
    """The same over the valid pairs."""
    caption_first: float | None
    """The share of votes for which the caption was shown first, where that is known; it should be one half."""


def screen_annotators(votes: Sequence[Vote], least: float) -> Screening:
    """Leave out annotators who choose the caption in less than this share of their votes, as the paper does at 70 %."""
    if not 0 <= least <= 1:
        raise UsageError(f"annotators are screened at a share from 0 to 1, not {least}")
    chosen: dict[str, Counter[bool]] = {}
    for vote in votes:
        chosen.setdefault(vote.annotator, Counter())[vote.answer == "caption"] += 1
    shares = {name: count[True] / count.total() for name, count in chosen.items() if count.total() >= _LEAST_SCREENED}
    out = {name: share for name, share in sorted(shares.items()) if share < least}
    return Screening([vote for vote in votes if vote.annotator not in out], out)


def verdicts(votes: Iterable[Vote]) -> dict[str, PairVerdict]:
    """By pair with at least two votes whether it is valid and unanimous."""
    found: dict[str, Counter[str]] = {}
    for vote in votes:
        if vote.probe_id is not None:
            found.setdefault(vote.probe_id, Counter())[vote.answer] += 1
    return {
        pair: PairVerdict(
            valid=count["caption"] >= _LEAST_VALID and 2 * count["caption"] > count.total(),
            unanimous=count["caption"] == count.total(),
        )
        for pair, count in found.items()
        if count.total() >= _LEAST_VALID
    }


def validate_pairs(suite: Suite, votes: Sequence[Vote]) -> list[ValidatedTest]:
    """By test of captions and foils what annotators confirmed, and how far they agree."""
    pairs: dict[str, list[str]] = {}
    for probe in suite.probes():
        if is_pair(probe):
            pairs.setdefault(probe.original.test, []).append(probe.probe_id)
    by_pair: dict[str, list[Vote]] = {}
    for vote in votes:
        if vote.probe_id is not None:
            by_pair.setdefault(vote.probe_id, []).append(vote)
    found = verdicts(votes)
    return [_validate(test, ids, by_pair, found) for test, ids in pairs.items() if any(one in by_pair for one in ids)]


def _validate(
    test: str, ids: Sequence[str], by_pair: Mapping[str, list[Vote]], found: Mapping[str, PairVerdict]
) -> ValidatedTest:
    votes = [vote for one in ids for vote in by_pair.get(one, ())]
    judged = [one for one in ids if one in found]
    valid = {one for one in judged if found[one].valid}
    shown = are_shown_in_one_order(votes)
    orders = [vote.caption_first for vote in votes if vote.caption_first is not None]
    return ValidatedTest(
        test=test,
        pairs=len(ids),
        judged=len(judged),
        votes=len(votes),
        annotators=len({vote.annotator for vote in votes}),
        valid=len(valid),
        unanimous=sum(found[one].unanimous for one in judged),
        alpha=votes_alpha(votes, as_shown=shown),
        alpha_over="options" if shown else "texts",
        alpha_valid=votes_alpha((vote for vote in votes if vote.probe_id in valid), as_shown=shown),
        caption_first=sum(orders) / len(orders) if orders else None,
    )
