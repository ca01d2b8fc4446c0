"""What one model gets right of what another gets right (CARETS, Tables 13 to 17)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from falter.errors import UsageError
from falter.measures.grading import grade
from falter.measures.loading import in_probes, intern
from falter.measures.pairs import pairs_of
from falter.measures.score import Group
from falter.measures.shared_items import items_of_runs
from falter.measures.signature import signature
from falter.measures.subsets import Subset, mark
from falter.measures.vqa_accuracy import Rule
from falter.runs import Run

__all__ = ["Coverage", "Over", "cover_runs", "cover_tables"]

Over = Literal["instances", "pairs"]

Bools = npt.NDArray[np.bool_]


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """C(i, j): the share of what run ``covered`` (j) gets right that run ``covering`` (i) gets right as well.

    The runs are numbered as they were given. ``over`` says what is counted: the two questions of every pair one by one,
    as ACC counts them, or pairs with both answers right, as C-ACC does; of captions and foils, pairs whose caption
    scores strictly above its foil, as acc_r does, and nothing one by one. Only pairs that both runs have kept count.
    ``n`` is how much the covered run gets right; where that is nothing, ``value`` is None.
    """

    group: Group
    over: Over
    covering: int
    covered: int
    value: float | None
    n: int
    signature: str


class _Right(NamedTuple):
    """What one run made of every pair."""

    kept: Bools
    original: Bools
    variant: Bools
    pair: Bools


def cover_runs(runs: Sequence[Run], *, rule: Rule = "vqa-v2", subset: str | None = None) -> list[Coverage]:
    """The coverage of every run by every other, for each test of the suite they share.

    ``subset`` as in :func:`~falter.measures.score_run`.
    """
    if len(runs) < 2:
        raise UsageError("coverage is between runs: give two or more")
    shared = items_of_runs(runs, subset=subset)
    return cover_tables(shared.items, shared.replies, rule=rule, where=shared.where, subset=shared.subset)


def cover_tables(
    items: pa.Table,
    replies: Sequence[pa.Table],
    *,
    rule: Rule = "vqa-v2",
    where: str = "items.parquet",
    subset: Subset | None = None,
) -> list[Coverage]:
    """:func:`cover_runs` from tables in memory; of ``items`` those of the subset alone."""
    items = in_probes(items, where)
    rights: list[_Right] = []
    tests: list[tuple[str, str]] = []
    test_of_pair = np.zeros(0, dtype=np.int32)
    overs: dict[int, tuple[Over, ...]] = {}
    for table in replies:
        pairs = pairs_of(grade(intern(items, table, where), rule))
        cells = pairs.cells
        answers = cells.task == "answer"
        ranked = (cells.task == "match") & (cells.expects == "prefer")
        # Where texts are ranked, no reply is right by itself, only one text above the other.
        overs = {int(test): ("pairs",) for test in np.unique(pairs.test[ranked])}
        overs |= {int(test): ("instances", "pairs") for test in np.unique(pairs.test[answers])}
        flags = (
            cells.kept & (answers | ranked),
            answers & cells.original.right,
            answers & cells.variant.right,
            np.where(ranked, cells.won, cells.both_right),
        )
        rights.append(_Right(*(flag[pairs.cell] for flag in flags)))
        # The same items give the same pairs in the same order, whatever was replied.
        tests, test_of_pair = pairs.tests, pairs.test[pairs.cell]
    found: list[Coverage] = []
    for number, name in enumerate(tests):
        if number not in overs:
            continue
        member = np.flatnonzero(test_of_pair == number)
        of_test = [_Right(*(flag[member] for flag in right)) for right in rights]
        found += _of_test(Group(*name), of_test, overs[number], rule, mark(subset))
    return found


def _of_test(
    group: Group, rights: Sequence[_Right], overs: Sequence[Over], rule: Rule, marks: tuple[str, ...]
) -> Iterator[Coverage]:
    for over in overs:
        for i, covering in enumerate(rights):
            for j, covered in enumerate(rights):
                if i == j:
                    continue
                both, alone = _counts(covering, covered, over)
                yield Coverage(
                    group=group,
                    over=over,
                    covering=i,
                    covered=j,
                    value=both / alone if alone else None,
                    n=alone,
                    signature=signature(
                        group, n=alone, seed=None, rule=rule, extra=(*marks, f"over:{over}", "pairs:kept-by-both")
                    ),
                )


def _counts(covering: _Right, covered: _Right, over: Over) -> tuple[int, int]:
    """How much both get right, and how much the covered one does."""
    kept = covering.kept & covered.kept
    if over == "pairs":
        wanted = kept & covered.pair
        return int((wanted & covering.pair).sum()), int(wanted.sum())
    sides = ((covering.original, covered.original), (covering.variant, covered.variant))
    return (
        sum(int((kept & one & other).sum()) for one, other in sides),
        sum(int((kept & other).sum()) for _, other in sides),
    )
