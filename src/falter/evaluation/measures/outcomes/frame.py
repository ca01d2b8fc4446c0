"""One polars frame of outcomes, a row per item; pairs and sets are derived from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from falter.core.errors import InputError
from falter.data.items import Expects, Task
from falter.evaluation.measures.outcomes.coding import NONE, Bools, Codes, Floats, Integers, Vocabulary, code_rows
from falter.evaluation.measures.outcomes.expressions import (
    CONSISTENT_REPLIES,
    FOILS,
    INCLUDED,
    PAIRED,
    expects,
    judged,
    o,
    v,
)
from falter.evaluation.measures.outcomes.grading import EXCLUDED, Outcome, answer_vocabulary, grade
from falter.evaluation.measures.outcomes.reading import (
    Facet,
    accept_golds,
    find_open_questions,
    read_facets,
    sort_by_probe,
)
from falter.evaluation.score_options import VqaRule

TASKS: tuple[Task, ...] = get_args(Task)
EXPECTS: tuple[Expects, ...] = get_args(Expects)
PREFERENCES = ("none", "lost", "tied", "preferred")
"""How the ranks of a matching pair compare: the original's is below, equal to or above the variant's. A reply without a
rank loses; pairs of questions have none."""

FACET = "facet:"
"""The prefix of a facet's column."""

CLUSTER = "cluster"
"""The facet by which intervals are resampled instead of by image, where a measure names it."""

_MOST_KEYS = 1 << 20
_FEW = 1000


def outcomes(
    items: pa.Table,
    replies: pa.Table,
    *,
    vqa_rule: VqaRule = "vqa-v2",
    facets: Sequence[str] | None = (),
    optional_facets: Iterable[str] = (),
    ids: bool = False,
    where: str = "items.parquet",
    words: Vocabulary | None = None,
) -> Outcomes:
    """The outcome of every item, in the order of the suite.

    ``facets`` are read into columns (all of them where None; an unknown one is an error), ``optional_facets`` only if
    the suite has them. ``ids`` keeps the strings that tell probes, items and images apart, and answers as they were
    given. Runs that are given the same ``words`` (:func:`answer_vocabulary`) number their answers alike. Where a facet
    ``cluster`` is read, it tells the clusters instead of the image.
    """
    items = sort_by_probe(items, where)
    replies = accept_golds(items, replies)
    variant = items["variant"].to_numpy()
    names, columns = _describe_tests(items, where)
    matching = columns["task"] == TASKS.index("match")
    has_matching = bool(matching.any())
    words = answer_vocabulary() if words is None else words
    graded = grade(items, replies, matching if has_matching else None, vqa_rule, where, words)
    if "text" in items.column_names and find_open_questions(items).any():
        from falter.evaluation.measures.outcomes.open_questions import add_open_credits

        graded = add_open_credits(items, replies, graded)
    is_original = variant == 0
    probe = np.cumsum(is_original, dtype=np.uint32)
    probe -= np.uint32(1)
    found: dict[str, Facet] = {}
    if "facets" in items.column_names and (facets is None or facets or optional_facets):
        found = read_facets(items["facets"], facets)
        found |= read_facets(items["facets"], [name for name in optional_facets if name not in found], optional=True)
    if CLUSTER in found:
        cluster, clusters = _number_clusters(found[CLUSTER].codes[is_original], len(found[CLUSTER].values))
    else:
        images = Vocabulary()
        cluster, clusters = _number_clusters(images.encode(items["image_id"])[is_original], len(images.words))
    series: dict[str, pl.Series] = {
        "probe": pl.Series(probe),
        "variant": pl.Series(variant.astype(np.uint16)),
        **{name: _as_enum(columns[name], names[name]) for name in ("suite", "test", "task", "expects")},
        "cluster": pl.Series(cluster.astype(np.uint32)[probe]),
        "reply": pl.Series((graded.reply + 1).astype(np.uint32)),
        "answer": (answer := pl.Series((graded.answer + 1).astype(np.uint32))),
        "said": answer if graded.said is graded.answer else pl.Series((graded.said + 1).astype(np.uint32)),
    }
    if graded.match is not None:
        # An item without a reply has the row -1, which is the last.
        for name, values in zip(("rank", "lean"), graded.match, strict=True):
            by_item = np.where(matching, np.append(values, np.nan)[graded.reply], np.nan)
            if name == "rank" or not np.isnan(by_item).all():
                series[name] = pl.Series(by_item).fill_nan(None)
    series["state"] = pl.Series(graded.state)
    if found:
        series |= {FACET + name: _facet_column(facet) for name, facet in found.items()}
    strings = None
    if ids:
        written = pl.Series(pl.from_arrow(replies["answer"])).cast(pl.String)
        at = pl.Series(np.where(graded.reply == NONE, 0, graded.reply))
        clear = (series["answer"] > 0).fill_null(value=False)
        answer = written.gather(at) if len(written) else pl.Series([None] * len(at), dtype=pl.String)
        strings = pl.DataFrame(
            {
                **{
                    name: pl.Series(pl.from_arrow(items[name])).cast(pl.String)
                    for name in ("probe_id", "item_id", "image_id")
                },
                "answer": pl.select(pl.when(clear).then(answer).otherwise(None)).to_series(),
            }
        )
    return Outcomes(pl.DataFrame(series), graded.states, clusters, strings)


def _describe_tests(items: pa.Table, where: str) -> tuple[dict[str, Sequence[str]], dict[str, Codes]]:
    """The names of suites and tests, sorted, and by item the codes of suite, test, task and expectation."""
    names: dict[str, Sequence[str]] = {"task": TASKS, "expects": EXPECTS}
    columns = {}
    for name in ("suite", "test", "task", "expects"):
        words = Vocabulary()
        codes = words.encode(items[name])
        known = names.setdefault(name, sorted(words.words))
        unknown = [word for word in words.words if word not in known]
        if unknown:
            raise InputError(where, f"has {name} {unknown[0]!r}", hint=f"it must be one of {', '.join(known)}")
        dtype = np.min_scalar_type(len(known))
        columns[name] = np.array([*(known.index(word) for word in words.words), 0], dtype=dtype)[codes]
    return names, columns


def _as_enum(codes: npt.NDArray[np.integer], names: Sequence[str]) -> pl.Series:
    if len(codes) < _FEW:
        return pl.Series([names[code] for code in codes.tolist()], dtype=pl.Enum(names))
    return pl.Series(names, dtype=pl.Enum(names)).gather(pl.Series(codes))


def _names(frame: pl.DataFrame, column: str) -> list[str]:
    """What an enumeration enumerates."""
    dtype = frame.schema[column]
    assert isinstance(dtype, pl.Enum)
    return dtype.categories.to_list()


def _number_clusters(image: Codes, known: int) -> tuple[Codes, int]:
    """By probe the number of its original's image, in the order met; a probe without one is a cluster of its own."""
    alone = np.flatnonzero(image == NONE)
    if not len(alone):
        return image, known
    image[alone] = known + np.arange(len(alone), dtype=np.int32)
    return image, known + len(alone)


def _facet_column(facet: Facet) -> pl.Series:
    """The values as an enumeration of those that occur, sorted."""
    used = np.flatnonzero(np.bincount(facet.codes + 1, minlength=len(facet.values) + 1)[1:])
    order = sorted(used.tolist(), key=lambda code: facet.values[code])
    names = [facet.values[code] for code in order]
    if not names:
        return pl.Series([None] * len(facet.codes), dtype=pl.Enum([]))
    table = np.zeros(len(facet.values) + 1, dtype=np.min_scalar_type(len(names)))
    table[order] = np.arange(len(order))
    codes = _as_enum(table[facet.codes], names)
    return pl.select(pl.when(pl.Series(facet.codes != NONE)).then(codes).otherwise(None)).to_series()


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of one run.

    ``frame`` has one row per item, in the order of the suite (the rows of a probe together, the original first):
    ``probe`` and ``variant``, ``suite``, ``test``, ``task``, ``expects``, ``cluster`` (the original's image, which
    intervals resample), ``reply`` (the reply's row + 1, 0 for none: equal items share it), ``answer`` (number of the
    normalized answer, 0 where none is clear), ``said`` (number of the normalized reply, whatever it is: the answer,
    else the text; 0 for none), ``rank`` and ``lean`` where texts are matched, the facets asked for, and ``state``.
    ``states`` has one row per distinct combination of what depends on gold, choices and reply alone:
    ``outcome``, ``credit``, ``choices``, ``yes_no``, ``gold_yes``, ``says_yes``, ``says_no``, ``first``,
    ``has_human_answers``; where there are single open questions, also ``open``, and by rule the credits ``official``
    and ``careful``.
    """

    frame: pl.DataFrame
    states: pl.DataFrame
    clusters: int
    """How many clusters there may be."""
    ids: pl.DataFrame | None = None

    def __len__(self) -> int:
        return len(self.frame)

    def codes(self, name: str) -> Codes:
        """A column as numbers."""
        return self.frame[name].to_physical().to_numpy()

    @cached_property
    def facets(self) -> tuple[str, ...]:
        """The facets that have a column."""
        return tuple(name.removeprefix(FACET) for name in self.frame.columns if name.startswith(FACET))

    def facet_codes(self, name: str) -> Codes:
        """By item the code of a facet's value; -1 where it has none."""
        return self.frame[FACET + name].to_physical().cast(pl.Int32).fill_null(NONE).to_numpy()

    def facet_values(self, name: str) -> list[str]:
        """The values of a facet by code, which are sorted."""
        return _names(self.frame, FACET + name)

    def items(self) -> pl.DataFrame:
        """Every column with a row per item; strings where they were kept."""
        strings = [] if self.ids is None else [self.ids.rename({"answer": "answer_text"})]
        states = self.states.select(pl.all().gather(self.frame["state"]))
        return pl.concat([*strings, self.frame.drop("state"), states], how="horizontal")

    @cached_property
    def pairs(self) -> OutcomeRows:
        """Every variant with its original; a probe without variants is a row without a variant."""
        return _pairs(self)

    @cached_property
    def rows(self) -> OutcomeRows:
        """Every item."""
        key = _kinds(self).number * max(len(self.states), 1) + self.codes("state")
        return _rows_of(self, key, np.arange(len(self)), np.arange(len(self)), orders=0, singles=False)

    def table_of_pairs(self) -> pl.DataFrame:
        """A row per pair, to read: both sides, ``included``, ``consistent`` and, of captions and foils, ``preferred``.

        ``consistent`` is as CONS counts, null where the pair is excluded or nothing is expected; ``preferred`` is null
        where the pair is excluded or is not a caption with a foil.
        """
        pairs, frame = self.pairs, self.frame
        related = INCLUDED & PAIRED & expects("same", "different")
        by_cell = pairs.cells.with_columns(
            included=INCLUDED,
            consistent=pl.when(related).then(CONSISTENT_REPLIES),
            preferred=pl.when(INCLUDED & FOILS).then(pl.col("preference") == "preferred"),
        )
        strings = self.ids if self.ids is not None else pl.DataFrame()
        sides = {"original": pl.Series(pairs.original), "variant": pl.Series(pairs.variant)}
        own = frame.select("variant", pl.col(rf"^({FACET}.*|rank)$")).hstack(strings)
        rows = by_cell.select(pl.all().gather(pl.Series(pairs.cell))).hstack(
            [column.gather(at).alias(f"{side}:{column.name}") for side, at in sides.items() for column in own]
        )
        chosen: list[pl.Expr] = []
        if self.ids is not None:
            chosen += [pl.col("variant:probe_id").alias("probe_id"), pl.col("original:image_id").alias("image_id")]
        chosen += [pl.col("variant:variant").alias("variant")]
        chosen += [pl.col(name).cast(pl.String) for name in ("suite", "test", "task", "expects")]
        for name in self.facets:
            value = pl.coalesce(f"variant:{FACET}{name}", f"original:{FACET}{name}")
            chosen.append(value.cast(pl.String).alias(FACET + name))
        for side in sides:
            present, outcome = pl.col(f"{side}_outcome").is_not_null(), pl.col(f"{side}_outcome")
            is_judged = judged(o if side == "original" else v)
            for name, column in {"item_id": "item_id", "answer": "answer", "score": "rank"}.items():
                if column in own.columns:
                    chosen.append(pl.when(present).then(pl.col(f"{side}:{column}")).alias(f"{side}_{name}"))
            chosen += [
                outcome.cast(pl.String),
                pl.when(is_judged).then(outcome == "correct").alias(f"{side}_correct"),
                pl.when(is_judged).then(pl.col(f"{side}_credit")).alias(f"{side}_credit"),
            ]
        chosen += [pl.col("included"), pl.col("consistent"), *([pl.col("preferred")] if "rank" in own.columns else [])]
        return rows.select(chosen)


@dataclass(frozen=True)
class OutcomeRows:
    """The rows of one grain, each in one of a few hundred cells: combinations of everything that is counted.

    Scores need the number of rows in each cell, by cluster; which rows these are is computed when it is asked for.
    """

    source: Outcomes
    key: Integers
    found: Integers
    """The keys that occur, sorted, one per cell."""
    number: Integers
    """How many rows are in each cell."""
    cells: pl.DataFrame
    test: Codes
    """By cell the number of its test."""
    tests: list[tuple[str, str]]
    """Suite and test by number, sorted."""
    _original: Integers | slice
    _variant: Integers | slice
    prefixes: tuple[str, ...] = ("original_", "variant_")

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def cell(self) -> Codes:
        """The cell of each row."""
        if not len(self.found):
            return np.zeros(0, dtype=np.int32)
        top = int(self.found[-1]) + 1
        if top <= max(_MOST_KEYS, len(self.key)):
            table = np.zeros(top, dtype=np.int32)
            table[self.found] = np.arange(len(self.found), dtype=np.int32)
            return table[self.key]
        return np.searchsorted(self.found, self.key).astype(np.int32)

    @cached_property
    def original(self) -> Integers:
        """By row the item that is its original."""
        return _as_rows(self._original, len(self.source))

    @cached_property
    def variant(self) -> Integers:
        """By row the item that is its variant (the original again, where there is none)."""
        return _as_rows(self._variant, len(self.source))

    @property
    def cluster(self) -> Codes:
        """The cluster of each row."""
        return self.source.codes("cluster")[self._variant]

    @property
    def clusters(self) -> int:
        """How many clusters there may be."""
        return self.source.clusters

    @cached_property
    def included(self) -> Bools:
        """By cell whether every reply was received."""
        if "included" in self.cells.columns:
            return self.cells["included"].to_numpy()
        return ~self._has_outcome(EXCLUDED)

    @cached_property
    def rank_only(self) -> Bools:
        """By cell whether a reply ranks without being correct or incorrect by itself."""
        return self._has_outcome(("rank_only",))

    def _has_outcome(self, names: Sequence[Outcome]) -> Bools:
        sides = [pl.col(f"{prefix}outcome").is_in(names).fill_null(False) for prefix in self.prefixes]
        return self.cells.select(found=pl.any_horizontal(sides))["found"].to_numpy()

    def facet_codes(self, name: str) -> Codes:
        """By row the code of a facet's value: the variant's, or the original's where the variant has none."""
        codes = self.source.facet_codes(name)
        own = codes[self._variant]
        return np.where(own == NONE, codes[self._original], own)

    def split_by(self, facets: Sequence[str]) -> OutcomeRows:
        """The same rows, with facets among what tells cells apart."""
        values = [self.facet_codes(name) for name in facets]
        cell, rows = code_rows([self.cell, *(codes + 1 for codes in values)])
        cells = self.cells.select(pl.all().gather(pl.Series(rows[:, 0])))
        for column, name in enumerate(facets, start=1):
            words = pl.Series([None, *self.source.facet_values(name)], dtype=pl.String)
            cells = cells.with_columns(words.gather(pl.Series(rows[:, column])).alias(FACET + name))
        return replace(
            self,
            key=cell.astype(np.int64),
            found=np.arange(len(cells)),
            number=np.bincount(cell, minlength=len(cells)),
            cells=cells,
            test=self.test[rows[:, 0]],
        )

    def values(self, columns: Iterable[str]) -> pl.DataFrame:
        """Some columns with a row per row: those of cells, and ``rank`` and ``lean`` of either side."""
        gathered = {}
        for name in columns:
            if name in self.cells.columns:
                gathered[name] = self.cells[name].gather(pl.Series(self.cell))
            else:
                side, _, column = name.rpartition("_")
                rows = self.original if side == "original" else self.variant
                gathered[name] = self.source.frame[column].gather(pl.Series(rows))
        return pl.DataFrame(gathered)

    @cached_property
    def row_columns(self) -> frozenset[str]:
        """The columns that have a value of their own in every row, and so are part of no cell."""
        known = {"rank", "lean"} & set(self.source.frame.columns)
        return frozenset(f"{prefix}{name}" for prefix in self.prefixes for name in known)


def _as_rows(rows: Integers | slice, size: int) -> Integers:
    return np.arange(size)[rows] if isinstance(rows, slice) else rows


class _Kinds(NamedTuple):
    """By item the number of its combination of suite, test, task and expectation; and these combinations."""

    number: Integers
    table: Integers


def _kinds(source: Outcomes) -> _Kinds:
    names = ("suite", "test", "task", "expects")
    number, table = code_rows([source.codes(name) for name in names])
    return _Kinds(number.astype(np.int64), table)


def _pairs(source: Outcomes) -> OutcomeRows:
    variant = source.codes("variant")
    single = np.zeros(0, dtype=np.int64)
    original_rows: Integers | slice
    variant_rows: Integers | slice
    if len(variant) and not len(variant) % 2 and not variant[::2].any() and (variant[1::2] == 1).all():
        original_rows, variant_rows = slice(0, None, 2), slice(1, None, 2)
    else:
        is_original = variant == 0
        single = np.flatnonzero(is_original & np.append(is_original[1:], True)) if len(variant) else single
        originals = np.flatnonzero(is_original)
        variant_rows = np.flatnonzero(~is_original)
        if len(single):
            variant_rows = np.sort(np.concatenate([variant_rows, single]))
        original_rows = originals[source.codes("probe")[variant_rows]]
    states = len(source.states)
    kinds = _kinds(source)
    key = kinds.number[variant_rows]
    answer, state = source.codes("answer"), source.codes("state")
    alone = variant[variant_rows] == 0 if len(single) else None
    said = source.codes("said")
    # Two equal answers are two equal replies: 0 for neither, 1 for equal replies, 2 for equal answers.
    alike = ((answer[original_rows] == answer[variant_rows]) & (answer[original_rows] > 0)).astype(np.uint8)
    alike += (said[original_rows] == said[variant_rows]) & (said[original_rows] > 0)
    if alone is not None:
        alike[alone] = 0
    orders = len(PREFERENCES) if "rank" in source.frame.columns else 1
    if orders > 1:
        ranked = source.codes("task")[variant_rows] == TASKS.index("match")
        rank = source.frame["rank"].to_numpy()
        key *= orders
        key += np.where(
            ranked if alone is None else ranked & ~alone, _preference(rank[original_rows], rank[variant_rows]), 0
        )
    key *= 3
    key += alike
    key *= states
    key += state[original_rows]
    key *= states + (alone is not None)
    key += state[variant_rows] if alone is None else np.where(alone, states, state[variant_rows])
    return _rows_of(
        source, key, original_rows, variant_rows, orders=orders, singles=alone is not None, kinds=kinds.table
    )


def _preference(original: Floats, variant: Floats) -> Codes:
    """How the ranks of originals and variants compare, as numbers in :data:`PREFERENCES`."""
    found = np.full(len(original), PREFERENCES.index("lost"), dtype=np.int32)
    found[original == variant] = PREFERENCES.index("tied")
    found[original > variant] = PREFERENCES.index("preferred")
    return found


def _rows_of(
    source: Outcomes,
    key: Integers,
    original: Integers | slice,
    variant: Integers | slice,
    *,
    orders: int,
    singles: bool,
    kinds: Integers | None = None,
) -> OutcomeRows:
    """Count the keys and describe those that occur; ``orders`` is 0 where rows are items."""
    table = _kinds(source).table if kinds is None else kinds
    states = max(len(source.states), 1)
    below = (3 * orders * states * (states + singles)) if orders else states
    if len(table) * below <= _MOST_KEYS:
        counted = np.bincount(key, minlength=len(table) * below)
        found = np.flatnonzero(counted)
        number = counted[found]
    else:
        found, number = np.unique(key, return_counts=True)
    kind = found // below
    columns = {
        name: _as_enum(table[kind, column], _names(source.frame, name))
        for column, name in enumerate(("suite", "test", "task", "expects"))
    }
    if orders:
        of_variant = states + singles
        second, rest = found % of_variant, found // of_variant
        first, rest = rest % states, rest // states
        columns["equal"] = pl.Series(rest % 3 == 2)
        columns["said_equal"] = pl.Series(rest % 3 > 0)
        columns["preference"] = _as_enum(rest // 3 % orders, PREFERENCES)
        columns |= _side("original_", source.states, first) | _side("variant_", source.states, second)
    else:
        columns |= _side("", source.states, found % states)
    suites, tests = (_names(source.frame, name) for name in ("suite", "test"))
    by_test, of_kind = np.unique(table[:, :2], axis=0, return_inverse=True)
    return OutcomeRows(
        source,
        key,
        found,
        number.astype(np.int64),
        pl.DataFrame(columns),
        of_kind.ravel().astype(np.int32)[kind],
        [(suites[suite], tests[test]) for suite, test in by_test.tolist()],
        original,
        variant,
        ("original_", "variant_") if orders else ("",),
    )


def _side(prefix: str, states: pl.DataFrame, state: Integers) -> dict[str, pl.Series]:
    """The columns of a side by cell; null where the state is none of the states."""
    at = pl.Series(np.where(state < len(states), state, 0))
    known = pl.Series(state < len(states))
    own = states.select(pl.all().gather(at)) if len(states) else states
    if not known.all():
        own = own.select(pl.when(known).then(pl.all()).otherwise(None))
    return {f"{prefix}{column.name}": column for column in own}
