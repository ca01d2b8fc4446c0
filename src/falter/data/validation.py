"""What annotators say of a suite: valid and unanimous probes, agreement, and who is screened out.

Agreement is Krippendorff's alpha over nominal categories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from falter.core.errors import UsageError
from falter.data.agreement import count_categories, krippendorff_alpha, wilson
from falter.data.blind_checks import is_pair
from falter.data.items import Probe
from falter.data.suite import Suite
from falter.data.votes import Vote


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


_LEAST_VALID = 2
_LEAST_SCREENED = 10
"""Annotators with fewer votes are not screened: their share says little."""


class PairVerdict(NamedTuple):
    """Whether most annotators, and at least two, confirm the label (the caption alone); and whether all do."""

    valid: bool
    unanimous: bool


class Screening(NamedTuple):
    """The votes that count, and by annotator who was screened out the share of captions chosen."""

    votes: list[Vote]
    out: dict[str, float]


class Suspicion(NamedTuple):
    """What predicts that the labels of a probe are wrong, from 0 to 1."""

    audit: float
    """Whether the audit disagrees."""
    blind: float
    """How far a text-only baseline expects otherwise."""


class ValidatedTest(msgspec.Struct, frozen=True, kw_only=True):
    """The votes on one test."""

    test: str
    pairs: int
    """Probes: captions with their foils, or originals with their variants."""
    judged: int
    """Of these, with at least two votes on everything that was asked of them."""
    votes: int
    annotators: int
    valid: int
    unanimous: int
    alpha: float | None
    """Krippendorff's alpha over the five categories and all pairs; None where nothing could disagree."""
    alpha_over: Literal["options", "texts", "answers"]
    """Whether its categories are the options as shown (first, second ...), or caption and foil, where the order of the
    texts is not known or was not the same for all who saw a pair; ``answers`` where no two texts were shown."""
    alpha_valid: float | None
    """The same over the valid pairs."""
    caption_first: float | None
    """The share of votes for which the caption was shown first, where that is known; it should be one half."""
    valid_low: float | None = None
    """The 95 % interval (Wilson) of the share of judged probes that are valid."""
    valid_high: float | None = None


def screen_annotators(votes: Sequence[Vote], least: float) -> Screening:
    """Leave out annotators who confirm less than this share of what they judge, as VALSE does at 70 % captions."""
    if not 0 <= least <= 1:
        raise UsageError(f"annotators are screened at a share from 0 to 1, not {least}")
    chosen: dict[str, Counter[bool]] = {}
    for vote in votes:
        chosen.setdefault(vote.annotator, Counter())[vote.is_for] += 1
    shares = {name: count[True] / count.total() for name, count in chosen.items() if count.total() >= _LEAST_SCREENED}
    out = {name: share for name, share in sorted(shares.items()) if share < least}
    return Screening([vote for vote in votes if vote.annotator not in out], out)


def verdicts(votes: Iterable[Vote]) -> dict[str, PairVerdict]:
    """By probe or item with at least two votes whether it is valid and unanimous."""
    found: dict[str, Counter[bool]] = {}
    for vote in votes:
        found.setdefault(vote.probe_id or vote.item_id or "", Counter())[vote.is_for] += 1
    return {
        unit: judge_votes(count[True], count.total()) for unit, count in found.items() if count.total() >= _LEAST_VALID
    }


def judge_votes(confirming: int, total: int) -> PairVerdict:
    """More than half of the votes confirm, and at least two; of three votes, two. And whether all do.

    >>> judge_votes(2, 3), judge_votes(2, 4)
    (PairVerdict(valid=True, unanimous=False), PairVerdict(valid=False, unanimous=False))
    """
    return PairVerdict(
        valid=confirming >= _LEAST_VALID and 2 * confirming > total,
        unanimous=confirming >= _LEAST_VALID and confirming == total,
    )


def probe_verdict(units: Sequence[str], voted: Collection[str], found: Mapping[str, PairVerdict]) -> PairVerdict | None:
    """A probe is valid where everything that was asked of it is; None where something has fewer than two votes."""
    asked = [unit for unit in units if unit in voted]
    if not asked or any(unit not in found for unit in asked):
        return None
    return PairVerdict(all(found[unit].valid for unit in asked), all(found[unit].unanimous for unit in asked))


def units_of_probe(probe: Probe) -> list[str]:
    """What votes may be about: the probe, or one of its items."""
    return [probe.probe_id, *dict.fromkeys(item.item_id for item in probe.items)]


def validate_pairs(suite: Suite, votes: Sequence[Vote]) -> list[ValidatedTest]:
    """By test what annotators confirmed, and how far they agree."""
    by_unit: dict[str, list[Vote]] = {}
    for vote in votes:
        by_unit.setdefault(vote.probe_id or vote.item_id or "", []).append(vote)
    # Where votes are about captions and foils, other tests of the suite were not asked about.
    pairs_only = all(vote.probe_id is not None for vote in votes)
    tests: dict[str, list[list[str]]] = {}
    for probe in suite.probes():
        if not pairs_only or is_pair(probe) or probe.probe_id in by_unit:
            tests.setdefault(probe.original.test, []).append(units_of_probe(probe))
    found = verdicts(votes)
    return [
        _validate(test, probes, by_unit, found)
        for test, probes in tests.items()
        if any(unit in by_unit for units in probes for unit in units)
    ]


def _validate(
    test: str, probes: Sequence[Sequence[str]], by_unit: Mapping[str, list[Vote]], found: Mapping[str, PairVerdict]
) -> ValidatedTest:
    voted = list(dict.fromkeys(unit for units in probes for unit in units if unit in by_unit))
    votes = [vote for unit in voted for vote in by_unit[unit]]
    judged = [one for units in probes if (one := probe_verdict(units, by_unit, found)) is not None]
    valid = {unit for unit in voted if unit in found and found[unit].valid}
    confirmed = sum(one.valid for one in judged)
    share = wilson(confirmed, len(judged)) if judged else None
    shown = are_shown_in_one_order(votes)
    orders = [vote.caption_first for vote in votes if vote.caption_first is not None]
    plain = any(vote.confirms is None for vote in votes)
    return ValidatedTest(
        test=test,
        pairs=len(probes),
        judged=len(judged),
        votes=len(votes),
        annotators=len({vote.annotator for vote in votes}),
        valid=confirmed,
        unanimous=sum(one.unanimous for one in judged),
        alpha=votes_alpha(votes, as_shown=shown),
        alpha_over="options" if shown else "texts" if orders or plain else "answers",
        alpha_valid=votes_alpha((vote for unit in valid for vote in by_unit[unit]), as_shown=shown),
        caption_first=sum(orders) / len(orders) if orders else None,
        valid_low=None if share is None else share.low,
        valid_high=None if share is None else share.high,
    )
