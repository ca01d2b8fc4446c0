"""Whether a difference between two runs depends on how often each kind of pair occurs in the suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from falter.evaluation.measures.outcomes.coding import NONE, Floats, Integers
from falter.evaluation.measures.paired import AddedSums, PairedGroup, PairedRuns
from falter.evaluation.measures.results import Group

_Z = 1.959963984540054
_VALUES = range(2, 21)
"""A facet of one value changes nothing; means over dozens of rare values are noise."""


class StandardisedDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A difference between two runs, as the suite has it and with every value of a facet counting the same.

    Both are the second minus the first over the pairs that have the facet, with 95 % intervals from standard errors
    clustered by image. ``facet`` is ``test`` where the values are the tests of a suite.
    """

    measure: str
    group: Group
    facet: str
    values: int
    difference: float
    low: float
    high: float
    standardised: float
    standardised_low: float
    standardised_high: float
    n: int
    of: int
    """How many cases there are, those without the facet included."""

    @property
    def turns(self) -> bool:
        """Whether the sign changes, and the standardised difference is clearly not 0."""
        clear = self.standardised_low > 0 or self.standardised_high < 0
        return clear and self.difference * self.standardised < 0

    def in_words(self, names: Sequence[str], title: str) -> str:
        """The warning: who leads, and who leads once every value counts the same."""
        first, second = names
        leader, other = (second, first) if self.difference > 0 else (first, second)
        kind = self.facet.replace("_", " ")
        return (
            f"{title} in {self.group.suite}:{self.group.test}: {leader} leads by {100 * abs(self.difference):.1f} "
            f"points{self.over()}, but {other} by {100 * abs(self.standardised):.1f} where each {kind} counts the same"
        )

    def over(self) -> str:
        """Over how many cases the difference is, where some have no value of the facet."""
        kind = self.facet.replace("_", " ")
        return "" if self.n == self.of else f" over the {self.n:,} of {self.of:,} cases with a {kind}"


def standardised_differences(runs: PairedRuns, facets: Sequence[str]) -> list[StandardisedDifference]:
    """The differences of the second run to the first, standardised by each facet and over the tests of a summary."""
    return [
        found
        for group in runs.groups()
        if group.group.facet is None and not group.is_mean
        for measure in runs.measures
        if (group.summary is None or group.summary.has(measure.name)) and (added := group.added(measure)) is not None
        for name, codes in _strata(group, added, facets)
        if (found := _standardise(measure.name, group.group, name, codes, added)) is not None
    ]


def turned_signs(runs: PairedRuns, facets: Sequence[str]) -> list[StandardisedDifference]:
    """Those of them whose sign turns."""
    return [one for one in standardised_differences(runs, facets) if one.turns]


def _strata(group: PairedGroup, added: AddedSums, facets: Sequence[str]) -> Iterator[tuple[str, Integers]]:
    rows = added.rows
    if group.summary is not None:
        yield "test", np.asarray(rows.test[rows.cell[added.members]], dtype=np.int64)
    for facet in facets:
        if facet in rows.source.facets:
            yield facet, np.asarray(rows.facet_codes(facet)[added.members], dtype=np.int64)


def _standardise(
    measure: str, group: Group, facet: str, codes: Integers, added: AddedSums
) -> StandardisedDifference | None:
    known = codes != NONE
    values, code = np.unique(codes[known], return_inverse=True)
    if len(values) not in _VALUES:
        return None
    cluster = np.unique(added.cluster[known], return_inverse=True)[1].ravel()
    sums = [one[known] for one in added.sums]
    counts = np.array([np.bincount(code, weights=one[:, 1]) for one in sums])
    if len(np.unique(cluster)) < 2 or (counts == 0).any():
        return None
    whole = _difference(sums, np.zeros(len(code), dtype=np.int64), cluster)
    even = _difference(sums, code.ravel(), cluster)
    return StandardisedDifference(
        measure=measure,
        group=group,
        facet=facet,
        values=len(values),
        difference=whole[0],
        low=whole[0] - _Z * whole[1],
        high=whole[0] + _Z * whole[1],
        standardised=even[0],
        standardised_low=even[0] - _Z * even[1],
        standardised_high=even[0] + _Z * even[1],
        n=int(counts[0].sum()),
        of=int(added.sums[0][:, 1].sum()),
    )


def _difference(sums: Sequence[Floats], code: Integers, cluster: Integers) -> tuple[float, float]:
    """The mean over strata of the difference between two ratios, and its standard error over clusters."""
    strata, clusters = int(code.max()) + 1, int(cluster.max()) + 1
    difference, influence = 0.0, np.zeros(clusters)
    for sign, own in zip((-1, 1), sums, strict=True):
        n = np.bincount(code, weights=own[:, 1], minlength=strata)
        share = np.bincount(code, weights=own[:, 0], minlength=strata) / n
        difference += sign * float(share.mean())
        residual = (own[:, 0] - share[code] * own[:, 1]) / n[code] / strata
        influence += sign * np.bincount(cluster, weights=residual, minlength=clusters)
    return difference, float(np.sqrt(clusters / (clusters - 1) * float(influence @ influence)))
