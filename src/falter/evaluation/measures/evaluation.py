"""Measures over cells: their expressions are evaluated once, and rows are only counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from falter.evaluation.measures.measure import Finalizer, Measure, Sums
from falter.evaluation.measures.outcomes.coding import Bools, Codes, Floats, Integers, code_rows
from falter.evaluation.measures.outcomes.expressions import PAIRED
from falter.evaluation.measures.outcomes.frame import FACET, OutcomeRows
from falter.evaluation.measures.statistics import Sample


class Tally(NamedTuple):
    """How a measure is computed over some cells.

    ``adds`` has a row per cell: what one of its rows adds to the sums. ``value`` takes sums of any shape (..., d) to
    values of shape (...), NaN where there is nothing to measure; ``size`` takes them to the n of the score. As a value
    follows from sums, it can be recomputed for every resample without going back to rows.
    """

    cells: Integers
    adds: Floats
    value: Callable[[Floats], Floats]
    size: Callable[[Floats], Floats]

    @classmethod
    def plain(cls, measure: Measure, cells: Integers, adds: Floats) -> Tally:
        """A measure without strata."""
        finalize, names = cast("Finalizer", measure.finalize), tuple(measure.sums)
        return cls(cells, adds, lambda sums: finalize(Sums(names, sums)), lambda sums: measure.count(Sums(names, sums)))


class EvaluatedCells(NamedTuple):
    """A measure whose sums follow from cells."""

    measure: Measure
    rows: OutcomeRows
    about: Bools
    """By cell whether the measure is about its rows."""
    sums: Floats
    """By cell what one row adds; nothing where the measure is not about it or it is excluded."""
    shown: Bools
    """By cell whether it makes the measure worth showing."""
    stratum: Codes
    strata: tuple[tuple[object, ...], ...]

    def tally(self, present: Integers) -> Tally | None:
        """The measure over the cells that occur (sorted), None where it has nothing to say about them."""
        cells = present[self.about[present]]
        if not len(cells) or not self.shown[cells].any():
            return None
        measure, names = self.measure, tuple(self.measure.sums)
        finalize = cast("Finalizer", measure.finalize)
        adds = self.sums[cells]
        if not measure.by:
            return Tally.plain(measure, cells, adds)
        numbers = np.unique(self.stratum[cells])
        strata = tuple(self.strata[number] for number in numbers)
        apart = [np.where((self.stratum[cells] == number)[:, None], adds, 0.0) for number in numbers]

        def by_stratum(sums: Floats) -> Sums:
            return Sums(names, sums.reshape(*sums.shape[:-1], len(strata), len(names)), strata)

        return Tally(
            cells,
            np.concatenate(apart, axis=1),
            lambda sums: finalize(by_stratum(sums)),
            lambda sums: measure.count(by_stratum(sums)),
        )

    def flags(self, cells: npt.NDArray[np.integer]) -> tuple[Bools, Bools] | None:
        """Of rows in these cells which count, and which have what is counted; None where it is no share of rows."""
        names = list(self.measure.sums)
        if self.measure.by or len(names) != 2 or names[-1] != "n":
            return None
        if not np.isin(self.sums[np.unique(cells)], (0.0, 1.0)).all():
            return None
        return self.sums[cells, 1] > 0, self.sums[cells, 0] > 0


class EvaluatedRows(NamedTuple):
    """A measure that uses numbers of which every row has its own, such as ranks."""

    measure: Measure
    rows: OutcomeRows
    about: Bools
    """By cell."""
    columns: Floats
    """By row the values of the expressions."""

    def sample(self, members: Integers) -> Sample:
        """The values of some rows that count, their clusters numbered from 0 upwards."""
        cluster = np.unique(self.rows.cluster[members], return_inverse=True)[1].ravel()
        return Sample(self.columns[members], cluster)

    def parts(self, members: Integers, *, by_test: bool) -> list[Integers]:
        """The members that count, all together or by test; a test without any is left out."""
        counting = members[(self.about & self.rows.included)[self.rows.cell[members]]]
        if not by_test:
            return [counting]
        test = self.rows.test[self.rows.cell[counting]]
        return [counting[test == number] for number in np.unique(test)]


def evaluate(rows: OutcomeRows, measures: Iterable[Measure]) -> Iterator[EvaluatedCells | EvaluatedRows]:
    """Every measure of this grain whose columns there are."""
    known, own = set(rows.cells.columns), rows.row_columns
    facets = {FACET + name for name in rows.source.facets}
    plain = [measure for measure in measures if measure.columns <= known]
    found: dict[str, EvaluatedCells | EvaluatedRows] = {}
    for cells_of in _evaluate_cells(rows, plain):
        found[cells_of.measure.name] = cells_of
    for measure in measures:
        if measure.name in found or not measure.columns <= known | own | facets:
            continue
        if measure.columns & own:
            found[measure.name] = _evaluate_rows(rows, measure)
        else:
            names = sorted(name.removeprefix(FACET) for name in measure.columns & facets)
            found[measure.name] = next(_evaluate_cells(rows.split_by(names), [measure]))
    yield from (found[measure.name] for measure in measures if measure.name in found)


def _evaluate_cells(rows: OutcomeRows, measures: Sequence[Measure]) -> Iterator[EvaluatedCells]:
    expressions = [one for number, measure in enumerate(measures) for one in _expressions(measure, number)]
    table = rows.cells.with_columns(expressions)
    for number, measure in enumerate(measures):
        yield _from_table(rows, table, measure, number)


def _where(measure: Measure) -> pl.Expr:
    if measure.where is not None:
        return measure.where
    return PAIRED if measure.grain == "pair" else pl.lit(True)


def _expressions(measure: Measure, number: int) -> list[pl.Expr]:
    """What is evaluated for a measure, under names of its own."""
    found = [one.cast(pl.Float64).fill_null(0.0).alias(f"{number} sum {name}") for name, one in measure.sums.items()]
    found.append(_where(measure).fill_null(False).alias(f"{number} where"))
    if not isinstance(measure.shown, str):
        found.append(measure.shown.fill_null(False).alias(f"{number} shown"))
    return found


def _from_table(rows: OutcomeRows, table: pl.DataFrame, measure: Measure, number: int) -> EvaluatedCells:
    about = table[f"{number} where"].to_numpy()
    sums = np.stack([table[f"{number} sum {name}"].to_numpy() for name in measure.sums], axis=1)
    counts = about if measure.scale == "count" else about & rows.included
    sums[~counts] = 0.0
    stratum: Codes = np.zeros(len(table), dtype=np.int32)
    strata: tuple[tuple[object, ...], ...] = ()
    if measure.by:
        stratum, strata = _strata(table.select(measure.by), about)
    if not isinstance(measure.shown, str):
        shown = table[f"{number} shown"].to_numpy()
    elif measure.shown == "when it counts":
        apart = sums[:, None, :] if measure.by else sums
        shown = measure.count(Sums(tuple(measure.sums), apart)) > 0
    else:
        shown = np.ones(len(table), dtype=bool)
    return EvaluatedCells(measure, rows, about, sums, shown, stratum, strata)


def _strata(table: pl.DataFrame, about: Bools) -> tuple[Codes, tuple[tuple[object, ...], ...]]:
    """By cell the number of its stratum, and the strata in order: names alphabetically, numbers by size."""
    table = table.with_columns(pl.col(pl.Enum).cast(pl.String))
    strata = table.filter(pl.Series(about)).unique().sort(table.columns, nulls_last=True).rows()
    number = {row: place for place, row in enumerate(strata)}
    return np.array([number.get(row, 0) for row in table.rows()], dtype=np.int32), tuple(strata)


def _evaluate_rows(rows: OutcomeRows, measure: Measure) -> EvaluatedRows:
    where = _where(measure)
    about = rows.cells.with_columns(where.alias("about"))["about"].fill_null(value=False).to_numpy()
    values = rows.values(sorted(measure.columns)).with_columns(
        [one.alias(f"sum {name}") for name, one in measure.sums.items()]
    )
    columns = values.select(pl.col([f"sum {name}" for name in measure.sums]).cast(pl.Float64)).to_numpy()
    return EvaluatedRows(measure, rows, about, columns)


def sets_matter(pairs: OutcomeRows) -> bool:
    """Whether a probe has several variants or expects each answer to be correct; else a set is a pair."""
    if not len(pairs):
        return False
    return bool((pairs.cells["expects"] == "each").any()) or int(pairs.source.codes("variant").max()) > 1


def evaluate_sets(pairs: OutcomeRows, measures: Iterable[Measure]) -> tuple[OutcomeRows, list[EvaluatedCells]]:
    """The probes that have variants, as rows, and the measures over them; their expressions aggregate pairs."""
    known = pairs.row_columns | set(pairs.cells.columns)
    chosen = [one for one in measures if one.grain == "set" and one.columns <= known]
    expressions = [one for number, measure in enumerate(chosen) for one in _expressions(measure, number)]
    columns = {"variant_outcome", *(name for measure in chosen for name in measure.columns)}
    frame = pairs.values(sorted(columns)).with_columns(
        pl.Series("item", pairs.original),
        pl.Series("test number", pairs.test[pairs.cell]),
        pl.Series("included", pairs.included[pairs.cell]),
    )
    literal = [one for one in expressions if not one.meta.root_names()]
    found = (
        frame.filter(PAIRED)
        .group_by("item", maintain_order=True)
        .agg(
            pl.col("included").all(),
            pl.col("test number").first(),
            *(one for one in expressions if one.meta.root_names()),
        )
        .with_columns(literal)
    )
    item = found["item"].to_numpy()
    found = found.drop("item")
    codes = [np.unique(column.to_numpy(), return_inverse=True)[1].ravel() for column in found]
    cell, _ = code_rows(codes)
    cells = int(cell.max()) + 1 if len(cell) else 0
    example = np.zeros(cells, dtype=np.int64)
    example[cell] = np.arange(len(cell))
    table = found.select(pl.all().gather(pl.Series(example)))
    rows = OutcomeRows(
        pairs.source,
        cell.astype(np.int64),
        np.arange(cells),
        np.bincount(cell, minlength=cells),
        table,
        table["test number"].to_numpy().astype(np.int32),
        pairs.tests,
        item,
        item,
    )
    return rows, [_from_table(rows, table, measure, number) for number, measure in enumerate(chosen)]


def tally_mean(evaluated: EvaluatedCells, present: Integers) -> Tally | None:
    """The unweighted mean of a measure's values in several tests."""
    test = evaluated.rows.test
    tallies = [
        tally
        for one in np.unique(test[present])
        if (tally := evaluated.tally(present[test[present] == one])) is not None
    ]
    if not tallies:
        return None
    cells = np.sort(np.concatenate([tally.cells for tally in tallies]))
    ends = np.cumsum([tally.adds.shape[1] for tally in tallies]).tolist()
    parts = [slice(end - tally.adds.shape[1], end) for tally, end in zip(tallies, ends, strict=True)]
    adds = np.zeros((len(cells), ends[-1]))
    for tally, part in zip(tallies, parts, strict=True):
        adds[np.searchsorted(cells, tally.cells), part] = tally.adds

    def value(sums: Floats) -> Floats:
        values = [tally.value(sums[..., part]) for tally, part in zip(tallies, parts, strict=True)]
        return mean_of_known(np.stack(values, axis=-1))

    def size(sums: Floats) -> Floats:
        return np.asarray(
            np.sum([tally.size(sums[..., part]) for tally, part in zip(tallies, parts, strict=True)], axis=0)
        )

    return Tally(cells, adds, value, size)


def mean_of_known(values: Floats) -> Floats:
    """The mean over the last axis of what is not NaN; NaN where nothing is."""
    known = ~np.isnan(values)
    number = known.sum(axis=-1)
    total = np.where(known, values, 0.0).sum(axis=-1)
    return np.asarray(np.divide(total, number, out=np.full(np.shape(total), np.nan), where=number > 0))
