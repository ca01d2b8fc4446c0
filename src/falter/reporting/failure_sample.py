"""Which failed pairs a report shows: of every test and model the same share of a common budget."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from falter.measures.outcomes import Outcomes
from falter.measures.outcomes.coding import Bools, Codes, Integers
from falter.reporting.report_data import FailureCounts, SuiteTest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FailedPairs", "SampledPair", "budget_rank"]

_NEVER = np.iinfo(np.int32).max
"""The rank of a pair that no model failed."""


class SampledPair(NamedTuple):
    """A failed pair to show; pairs of a low ``rank`` are among the first of a test that some model failed."""

    probe_id: str
    variant: int
    rank: int
    draw: int


class FailedPairs:
    """The pairs of one suite that models failed, taken from run after run without keeping the runs.

    Pairs are ordered by a hash of their ids, the same for every model, so that models are seen on the same pairs. The
    rank of a pair is its position among those of its test that a model failed, the best one over the models: all pairs
    up to a rank hold as many of every test and model.
    """

    def __init__(self) -> None:
        import polars as pl

        self.keys = pl.DataFrame(schema={"probe_id": pl.String, "variant": pl.UInt16})
        self.counts: list[FailureCounts] = []
        self._draw = np.zeros(0, dtype=np.uint64)
        self._rank = np.zeros(0, dtype=np.int32)
        self._test: list[SuiteTest] = []
        self._test_of_pair: Codes = np.zeros(0, dtype=np.int32)

    def add(self, model: int, found: Outcomes) -> None:
        """Count and rank what a model failed."""
        pairs = found.pairs
        place = self._places(found)
        failed = failed_pairs(found)
        own = pairs.test[pairs.cell]
        for number, (suite, test) in enumerate(pairs.tests):
            rows = np.flatnonzero(failed & (own == number))
            self.counts.append(FailureCounts(suite=suite, test=test, model=model, failed=len(rows)))
            at = place[rows]
            order = np.argsort(self._draw[at], kind="stable")
            at = at[order]
            self._rank[at] = np.minimum(self._rank[at], np.arange(len(at), dtype=np.int32))

    def _places(self, found: Outcomes) -> Integers:
        """By pair of a run its position among all pairs; pairs that were not met before are added."""
        import polars as pl

        pairs = found.pairs
        assert found.ids is not None
        at = pl.Series(pairs.variant)
        keys = pl.DataFrame(
            {"probe_id": found.ids["probe_id"].gather(at), "variant": found.frame["variant"].gather(at)}
        )
        if keys.equals(self.keys):
            return np.arange(len(keys))
        known = self.keys.lazy().with_row_index("place")
        joined = keys.lazy().join(known, on=["probe_id", "variant"], how="left", maintain_order="left")
        # The keys of a million pairs are not copied.
        found_at = joined.select("place").collect()["place"]
        new = found_at.is_null().to_numpy()
        if new.any():
            self._append(keys.filter(pl.Series(new)), found, np.flatnonzero(new))
        place = found_at.cast(pl.Int64).fill_null(0).to_numpy().copy()
        place[new] = np.arange(len(self.keys) - int(new.sum()), len(self.keys))
        return place

    def _append(self, keys: pl.DataFrame, found: Outcomes, rows: Integers) -> None:
        import polars as pl

        pairs = found.pairs
        self.keys = pl.concat([self.keys, keys])
        draws = [_draw(probe_id, variant) for probe_id, variant in keys.iter_rows()]
        self._draw = np.append(self._draw, np.array(draws, dtype=np.uint64))
        self._rank = np.append(self._rank, np.full(len(keys), _NEVER, dtype=np.int32))
        numbers = []
        for suite, test in pairs.tests:
            name = SuiteTest(suite, test)
            if name not in self._test:
                self._test.append(name)
            numbers.append(self._test.index(name))
        own = np.array(numbers, dtype=np.int32)[pairs.test[pairs.cell[rows]]]
        self._test_of_pair = np.append(self._test_of_pair, own)

    @property
    def ranks(self) -> Codes:
        """The ranks of all pairs that some model failed."""
        return self._rank[self._rank < _NEVER]

    def failed_by_any(self) -> dict[SuiteTest, int]:
        """By test how many distinct pairs at least one model failed."""
        counted = np.bincount(self._test_of_pair[self._rank < _NEVER], minlength=len(self._test))
        return {test: int(counted[number]) for number, test in enumerate(self._test)}

    def sample(self, below: int) -> list[SampledPair]:
        """The pairs whose rank is below a bound."""
        rows = np.flatnonzero(self._rank < below)
        chosen = self.keys[rows]
        ranks, draws = self._rank[rows].tolist(), self._draw[rows].tolist()
        rows_of = zip(chosen.iter_rows(), ranks, draws, strict=True)
        return [SampledPair(probe_id, variant, rank, draw) for (probe_id, variant), rank, draw in rows_of]


def failed_pairs(found: Outcomes) -> Bools:
    """By pair whether it went wrong: an answer, or a foil that scored as high as its caption."""
    import polars as pl

    from falter.measures.outcomes.expressions import INCLUDED, PAIRED, correct, judged, o, v

    wrong = (judged(o) & ~correct(o)) | (PAIRED & judged(v) & ~correct(v))
    lost = pl.col("preference").is_in(["lost", "tied"])
    failed = INCLUDED & pl.when(pl.col("expects") == "prefer").then(lost).otherwise(wrong)
    pairs = found.pairs
    if not len(pairs):
        return np.zeros(0, dtype=bool)
    return np.asarray(pairs.cells.select(failed=failed)["failed"].fill_null(value=False).to_numpy()[pairs.cell])


def _draw(probe_id: str, variant: int) -> int:
    digest = hashlib.sha256(f"{probe_id}\n{variant}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big")


def budget_rank(ranks: Sequence[Codes], most: int, pairs: int) -> int:
    """The largest bound up to ``most`` below which there are at most so many pairs; 1 at least, unless ``most`` is 0.

    >>> budget_rank([np.array([0, 0, 1, 1, 2, 3], dtype=np.int32)], 200, 5)
    3
    """
    if most <= 0:
        return 0
    every = np.concatenate([*ranks, np.zeros(0, dtype=np.int32)])
    below = np.cumsum(np.bincount(every[every < most], minlength=1)) if len(every) else np.zeros(1)
    if below[-1] <= pairs:
        return most
    return max(int(np.searchsorted(below, pairs, side="right")), 1)
