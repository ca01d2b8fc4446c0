"""Scores of items and replies in memory: tables with the columns of the Parquet files, and neither suite nor run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import polars as pl

from falter.core.errors import InputError, UsageError
from falter.core.tables import format_count
from falter.data.items import TOTALS, Item, Probe
from falter.data.model import Reply, split_own_id
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.measures import Outcomes, count_answered
from falter.evaluation.measures.counts import answer_notes
from falter.evaluation.measures.outcomes import choose_subset, replies_from_frame
from falter.evaluation.measures.scoring import score_tables
from falter.evaluation.runs.replies import join_own_replies, replies_to_table
from falter.evaluation.runs.score_tables import RunScores, Scores, measures_in
from falter.evaluation.runs.scored_items import find_copies, has_unread_texts, read_scored_items, reread
from falter.evaluation.score_options import PLAIN, ScoreOptions

_ITEM_DEFAULTS: dict[str, Any] = {
    "variant": 0,
    "suite": "items",
    "test": "items",
    "expects": "same",
    "task": "answer",
    "text": "",
}
"""What columns of items hold where they are left out; others are empty."""
_NAME = "replies"
"""What the replies are called where a run has the name of its model."""


def score_rows(items: Any, replies: Any, options: ScoreOptions = PLAIN) -> Scores:
    """The scores of replies to items, both in memory: data frames, Arrow tables or dictionaries.

    Columns are those of ``items.parquet`` and ``replies.parquet``. Items need ``item_id`` and ``gold``; where a probe
    has variants also ``probe_id``, ``variant`` and ``expects``. Replies need ``item_id`` and an ``answer``, a ``text``
    to read it from, or a ``score``. Items without a reply are counted as missing.
    """
    probes = _group_items(_read_rows(items, "items"))
    item_ids = {item.item_id for probe in probes for item in probe.items}
    rows = _read_rows(replies, _NAME)
    frame = _read_replies(rows, item_ids)
    with TemporaryDirectory(prefix="falter-") as folder:
        suite = _write_items(probes, Path(folder) / "suite")
        if has_unread_texts(frame) or not _has_answers(rows):
            frame = frame.with_columns(reread(frame, suite.items_path, anew=not _has_answers(rows)))
        return _score(suite, frame, len(item_ids), options)


def _score(suite: Suite, replies: pl.DataFrame, items_asked: int, options: ScoreOptions) -> Scores:
    path = suite.items_path
    chosen = options.replace(subset=choose_subset(path, options.subset))
    items, measures = read_scored_items(path, chosen, probes=None, summaries=None)
    items, (table,) = join_own_replies(path, items, [replies_from_frame(replies)])
    seen: list[Outcomes] = []
    scores = score_tables(items, table, chosen, where="items", measures=measures, on_outcomes=seen.append)
    known = dict.fromkeys(one.measure for one in scores)
    lacking = [name for name in options.measures if name not in known]
    if lacking:
        raise UsageError(f"no item has the measure {lacking[0]!r:.60}; there are {', '.join(known) or 'none'}")
    run = RunScores(
        run=_NAME,
        model=_NAME,
        complete=len(replies) >= items_asked,
        scores=tuple(one for one in scores if not options.measures or one.measure in options.measures),
        answered=tuple(
            one for one in count_answered(scores) if one.group.facet is None and one.group.test not in TOTALS
        ),
        answer_notes=tuple(note for one in seen for note in answer_notes(one)),
        scope=tuple(find_copies(path, subset=chosen.subset).notes("the items")),
    )
    own = measures_in((one.group for one in run.scores), options.measures)
    return Scores.from_runs([run], measures=own, seed=options.seed, by=options.by, show_all=bool(options.measures))


def _read_rows(table: Any, name: str) -> list[dict[str, Any]]:
    """The rows of a table of polars, pandas or Arrow, or dictionaries, as dictionaries without empty cells."""
    if hasattr(table, "collect") and hasattr(table, "collect_schema") and not hasattr(table, "to_dicts"):
        table = table.collect()
    if hasattr(table, "to_dicts"):
        records = table.to_dicts()
    elif hasattr(table, "to_pylist"):
        records = table.to_pylist()
    elif hasattr(table, "iterrows"):
        records = table.to_dict("records")
    else:
        records = list(table) if isinstance(table, Iterable) and not isinstance(table, str | Mapping) else [table]
    wrong = next((one for one in records if not isinstance(one, Mapping)), None)
    if wrong is not None:
        raise UsageError(
            f"{name} are a data frame of polars or pandas, an Arrow table or dictionaries, not {type(wrong).__name__}"
        )
    if not records:
        raise InputError(name, "have no rows")
    return [{str(key): _plain(cell) for key, cell in one.items() if not _is_empty(cell)} for one in records]


def _is_empty(cell: Any) -> bool:
    """Whether a cell holds nothing: None, or what pandas has instead."""
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and isnan(cell))


def _plain(cell: Any) -> Any:
    """A cell without NumPy: pandas keeps lists as arrays."""
    return cell.tolist() if type(cell).__module__ == "numpy" else cell


def _require(rows: Iterable[Mapping[str, Any]], name: str, columns: Iterable[str]) -> None:
    """Name the first row that lacks a column, or the column where no row has it."""
    rows = list(rows)
    for column in columns:
        lacking = [number for number, row in enumerate(rows, 1) if column not in row]
        if len(lacking) == len(rows):
            raise InputError(name, f"lack the column {column}", hint=f"add it; there are {', '.join(sorted(rows[0]))}")
        if lacking:
            raise InputError(name, f"lack {column}", record=f"row {lacking[0]}", hint="fill the cell, or drop the row")


def _group_items(rows: list[dict[str, Any]]) -> list[Probe]:
    """The probes, in the order of their first rows."""
    _require(rows, "items", ["item_id"])
    _require([row for row in rows if row.get("task") != "match"] or rows[:0], "items", ["gold"])
    if any("probe_id" in row or row.get("variant") or "expects" in row for row in rows):
        _require(rows, "items", ["probe_id"])
    probes: dict[str, list[Item]] = {}
    for number, row in enumerate(rows, 1):
        if row.get("variant"):
            _require([row], f"items, row {number},", ["expects"])
        item = _read_item(row, number)
        probes.setdefault(item.probe_id, []).append(item)
    return [Probe(_in_order(probe_id, items)) for probe_id, items in probes.items()]


def _read_item(row: Mapping[str, Any], number: int) -> Item:
    values = {name: row[name] for name in Item.__struct_fields__ if name in row and name not in ("image", "extra")}
    values = {**_ITEM_DEFAULTS, "probe_id": row["item_id"], **values}
    values["role"] = "variant" if values["variant"] else "original"
    for name in ("choices", "answers", "context"):
        if name in values:
            values[name] = list(values[name])
    facets = values.get("facets", {})
    if not isinstance(facets, Mapping):
        values["facets"] = {one["name"]: one["value"] for one in facets}
    try:
        return msgspec.convert(values, Item)
    except msgspec.ValidationError as error:
        raise InputError("items", str(error), record=f"row {number}") from error


def _in_order(probe_id: str, items: list[Item]) -> tuple[Item, ...]:
    ordered = sorted(items, key=lambda item: item.variant)
    numbers = [item.variant for item in ordered]
    if numbers != list(range(len(ordered))):
        told = ", ".join(map(str, numbers))
        raise InputError(
            "items",
            f"have a probe {probe_id!r:.60} with the variants {told}",
            hint="give each item one row; variants of a probe count 0, 1, 2 ... once each",
        )
    return tuple(ordered)


def _has_answers(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether replies say themselves what their answers are; else these are read from the texts."""
    return any(not {"answer", "score", "choice_scores", "status"}.isdisjoint(row) for row in rows)


def _read_replies(rows: list[dict[str, Any]], item_ids: set[str]) -> pl.DataFrame:
    _require(rows, _NAME, ["item_id"])
    if not any({"answer", "text", "score", "choice_scores", "status"} & row.keys() for row in rows):
        raise InputError(_NAME, "have no column answer, text or score", hint="add one of them")
    replies: dict[str, Reply] = {}
    for number, row in enumerate(rows, 1):
        reply = _read_reply(row, number)
        if reply.item_id in replies:
            raise InputError(
                _NAME, f"have two rows for the item {reply.item_id!r:.60}", hint="give one reply to each item"
            )
        replies[reply.item_id] = reply
    unknown = [one for one in replies if one not in item_ids and split_own_id(one)[0] not in item_ids]
    if unknown:
        raise InputError(
            _NAME,
            f"have {format_count(len(unknown), 'ids')} that no item has, such as {unknown[0]!r:.60}",
            hint="score the items that were asked",
        )
    frame = pl.from_arrow(replies_to_table(replies[one] for one in sorted(replies)))
    assert isinstance(frame, pl.DataFrame)
    return frame


def _read_reply(row: Mapping[str, Any], number: int) -> Reply:
    values = {name: row[name] for name in Reply.__struct_fields__ if name in row}
    if "choice_scores" in values and not isinstance(values["choice_scores"], Mapping):
        values["choice_scores"] = {one["choice"]: one["score"] for one in values["choice_scores"]}
    if "status" not in values:
        values["status"] = "unparsed" if {"answer", "score", "choice_scores"}.isdisjoint(values) else "ok"
    try:
        return msgspec.convert(values, Reply)
    except msgspec.ValidationError as error:
        raise InputError(_NAME, str(error), record=f"row {number}") from error


def _write_items(probes: Iterable[Probe], folder: Path) -> Suite:
    """The items as a suite, so that they are read as those of any suite are."""
    with create_suite(folder, SuiteManifest(name="items", made_by="falter.score")) as writer:
        for probe in probes:
            writer.add(probe)
    return open_suite(folder)
