"""What a measure is: a few polars expressions that say what one row adds, and what the sums come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import polars as pl

from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.statistics import Sample

Grain = Literal["item", "pair", "set"]


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums by name: ``sums["n"]`` has any shape (...); with strata it is (..., strata), and ``strata`` names them."""

    names: tuple[str, ...]
    values: Floats
    strata: tuple[tuple[object, ...], ...] = ()

    def __getitem__(self, name: str) -> Floats:
        return np.asarray(self.values[..., self.names.index(name)])


Finalizer = Callable[[Sums], Floats]


@runtime_checkable
class RowsFinalizer(Protocol):
    """A value that needs the rows themselves, such as AUROC."""

    def value(self, columns: Floats) -> float | None:
        """The value over some rows; None where there is nothing to measure."""
        ...

    def resample(self, samples: list[Sample], weights: Iterable[Floats]) -> Floats:
        """The values of samples in every resample, one row per sample; blocks of weights are resamples by clusters."""
        ...

    def count(self, rows: int) -> int:
        """The n of a score over so many rows."""
        ...


def ratio(sums: Sums) -> Floats:
    """The first sum over ``n``, NaN where that is 0."""
    part, n = sums.values[..., 0], sums["n"]
    return np.asarray(np.divide(part, n, out=np.full(np.shape(part), np.nan), where=n > 0))


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A function from outcomes to a score, Falter's own or from outside (entry point group ``falter.measures``).

    Three fields make one: a name, a description and sums. The expressions see the columns of ``Outcomes``: by item with
    their names, by pair as ``original_NAME`` and ``variant_NAME`` beside ``equal`` (the answers are), ``said_equal``
    (the normalized replies are) and ``preference``; the expressions of a set aggregate the pairs of a probe. Facets are
    ``facet:NAME``. They are evaluated once, over the distinct combinations that occur.
    """

    name: str
    """Its id in JSON, requirements and random streams."""
    description: str
    """One paragraph on what a value tells."""
    sums: Mapping[str, pl.Expr]
    """What one row adds; the sum named ``n`` is the count. Rows with an excluded reply add nothing."""
    grain: Grain = "pair"
    title: str = ""
    """How tables head it. Default: the name, with spaces for underscores."""
    where: pl.Expr | None = None
    """The rows it is about; for pairs, rows that have a variant unless it says otherwise."""
    by: tuple[str, ...] = ()
    """Columns that are kept apart for ``finalize``, as sorted strata."""
    finalize: Finalizer | RowsFinalizer = ratio
    share: Callable[[Sums], tuple[Floats, Floats]] | None = None
    """The value as one ratio of two sums, where ``finalize`` is not ``ratio`` but comes to the same: over few images it
    then has an exact interval."""
    n: Callable[[Sums], Floats] | None = None
    """The count, where no single sum is it."""
    scale: Literal["share", "difference", "number", "count"] = "share"
    """A count is over all rows, excluded ones included, and has no interval."""
    higher_is_better: bool | None = None
    """Decides the verdict of a comparison and the best model of the report; None where neither end is better."""
    headline: bool = False
    """Compared by default, and part of the report's first tables."""
    items: tuple[Literal["original", "variant"], ...] = ()
    """McNemar's test counts the distinct items of these sides, not rows."""
    counts_correct: bool = False
    """A row that counts is correct as a whole: such rows overlap between runs, or hold under every prompt."""
    shown: Literal["always", "when it counts"] | pl.Expr = "always"
    """Whether there is a score without a value where no row counts; an expression must hold for a row of the group."""
    on_request: bool = False
    """Scored only where it is asked for by name, or a bundle has it among its own."""
    checked_as: str = ""
    """The measure that a requirement on this one is checked by, where it is another."""
    requires: str = ""
    """Why there is no value, where replies rank without being correct or incorrect."""
    signature_parts: tuple[str, ...] = ()
    draw_key: str = ""
    """Names the random stream, where it is not ``name``: a renamed measure keeps its intervals."""
    columns: frozenset[str] = field(init=False, repr=False, compare=False)
    """The columns that the expressions use."""

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name.replace("_", " "))
        expressions = [*self.sums.values(), self.where, None if isinstance(self.shown, str) else self.shown]
        used = {name for one in expressions if one is not None for name in one.meta.root_names()}
        object.__setattr__(self, "columns", frozenset((*used, *self.by)))
        if self.n is None and "n" not in self.sums and not isinstance(self.finalize, RowsFinalizer):
            raise ValueError(f"the measure {self.name!r} has no sum named 'n' and no function for its count")

    @property
    def stream(self) -> str:
        """What names its random stream."""
        return self.draw_key or self.name

    def count(self, sums: Sums) -> Floats:
        """The n of a score with these sums."""
        if self.n is not None:
            return np.asarray(self.n(sums))
        own = sums["n"]
        return np.asarray(own.sum(axis=-1)) if self.by else own
