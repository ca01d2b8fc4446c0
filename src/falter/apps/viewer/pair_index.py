"""The pairs of one suite with what became of them in each run: a few bytes per pair and run, the texts stay on disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.files import open_parquet
from falter.data.model import split_own_id
from falter.data.suite import Suite
from falter.evaluation.measures.outcomes import Outcomes, choose_subset, outcomes, read_items
from falter.evaluation.measures.outcomes.coding import NONE
from falter.evaluation.measures.outcomes.expressions import (
    CONSISTENT_REPLIES,
    INCLUDED,
    PAIRED,
    correct,
    expects,
    is_,
    judged,
    o,
    v,
)
from falter.evaluation.measures.outcomes.reading import filter_subset, sort_by_probe
from falter.evaluation.runs import Run, open_run
from falter.evaluation.runs.failure_records import FailureType
from falter.evaluation.runs.failures import ModelRun
from falter.evaluation.runs.replies import join_own_replies
from falter.evaluation.runs.scored_items import load_replies
from falter.evaluation.score_options import Subset

Rows = npt.NDArray[np.uint32]

RIGHT, WRONG = "right", "wrong"
OUTCOMES: tuple[FailureType, ...] = (
    "original",
    "variant",
    "both",
    "inconsistent",
    "unparsed",
    "truncated",
    "off_list",
    "foil",
    "tie",
)
FLAGS: tuple[str, ...] = (RIGHT, WRONG, *OUTCOMES)
"""By bit what may be true of a run's two replies to a pair; none of them where the pair is excluded."""

_SECONDS_BETWEEN_LOOKS = 2.0
_STATES = ("correct", "incorrect", "off_list", "rank_only", "unparsed", "truncated", "failed", "missing", "unsupported")


def cell_flags(cells: pl.DataFrame) -> npt.NDArray[np.uint16]:
    """The flags of each cell of :attr:`~falter.evaluation.measures.outcomes.Outcomes.pairs`."""
    is_foil = pl.col("expects") == "prefer"
    wrong_original = judged(o) & ~correct(o)
    wrong_variant = PAIRED & judged(v) & ~correct(v)
    lost, tied = (pl.col("preference") == name for name in ("lost", "tied"))
    unread = {name: is_(o, name) | is_(v, name) for name in ("unparsed", "truncated")}
    foil_read = ~(unread["unparsed"] | unread["truncated"])
    wrong = pl.when(is_foil).then(lost | tied).otherwise(wrong_original | wrong_variant)
    right = pl.when(is_foil).then(pl.col("preference") == "preferred").otherwise(correct(o) & (~PAIRED | correct(v)))
    found = {
        RIGHT: right & ~wrong,
        WRONG: wrong,
        "original": ~is_foil & wrong_original & ~wrong_variant,
        "variant": ~is_foil & wrong_variant & ~wrong_original,
        "both": ~is_foil & wrong_original & wrong_variant,
        "inconsistent": PAIRED & expects("same", "different") & ~CONSISTENT_REPLIES,
        "unparsed": unread["unparsed"],
        "truncated": unread["truncated"],
        "off_list": ~is_foil & (is_(o, "off_list") | is_(v, "off_list")),
        "foil": is_foil & lost & foil_read,
        "tie": is_foil & tied & foil_read,
    }
    flags = cells.select((INCLUDED & found[name]).fill_null(value=False).alias(name) for name in FLAGS)
    bits = np.zeros(len(cells), dtype=np.uint16)
    for bit, name in enumerate(FLAGS):
        bits |= flags[name].to_numpy().astype(np.uint16) << np.uint16(bit)
    return bits


class RunColumn:
    """What the index keeps of one run."""

    def __init__(self, one: ModelRun) -> None:
        self.run, self.model = one
        self.flags: npt.NDArray[np.uint16] = np.zeros(0, dtype=np.uint16)
        """By pair of the suite; 0 where the run is not about it or it is excluded."""
        self.reply: Rows = np.zeros(0, dtype=np.uint32)
        """By item the row of its reply + 1; 0 for none."""
        self.state: npt.NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        """By item its outcome, as a number in the list of outcomes."""
        self.replies: pl.DataFrame | None = None
        """The replies where the file is not what is shown: the run is under way, or another version read it."""
        self.seen: tuple[object, ...] = ()

    @property
    def name(self) -> str:
        """Its column in the index."""
        return f"run{self.model}"

    def outcome(self, item: int) -> str:
        """The outcome of an item."""
        return _STATES[self.state[item]]

    def scan(self) -> pl.LazyFrame:
        """The replies, a row each."""
        if self.replies is not None:
            return self.replies.lazy()
        return pl.scan_parquet(self.run.folder / "replies.parquet")


class PairIndex:
    """The pairs of a suite, and the runs on it.

    ``frame`` has a row per pair: ``suite``, ``test``, ``expects``, ``cluster``, a column per facet, and per run its
    flags. Items are numbered in the order of their probes; ``file_row`` is where an item is in ``items.parquet``.
    """

    def __init__(self, suite: Suite, runs: Sequence[ModelRun], subset: Subset | None = None) -> None:
        self.suite = suite
        # Searches read its columns by themselves.
        open_parquet(suite.items_path).check_size()
        self._subset = choose_subset(suite.items_path, subset)
        self.version = 0
        self._lock = threading.Lock()
        self._looked = 0.0
        whole = self._read_items()
        self.file_row: Rows = whole["file_row"].to_numpy().astype(np.uint32)
        base = outcomes(whole, _no_replies(), facets=None, ids=True, where=str(suite.items_path))
        pairs = base.pairs
        assert base.ids is not None
        self.original: Rows = pairs.original.astype(np.uint32)
        self.variant: Rows = pairs.variant.astype(np.uint32)
        self.number: npt.NDArray[np.uint16] = base.codes("variant").astype(np.uint16)
        self.probe_id = base.ids["probe_id"].gather(pl.Series(self.variant)).rename("probe_id")
        self.facets = base.facets
        self.clusters = base.clusters
        self.frame = self._describe(base)
        self._items = len(base)
        del base, whole
        self.columns = [RunColumn(one) for one in runs]
        for column in self.columns:
            self._load(column)

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def unit(self) -> str:
        """What a row is called: a suite of single questions has no pairs."""
        return "questions" if np.array_equal(self.original, self.variant) else "pairs"

    def _read_items(self) -> pa.Table:
        items = read_items(self.suite.items_path, facets=True)
        items = items.append_column("file_row", pa.array(np.arange(len(items), dtype=np.uint32)))
        return sort_by_probe(filter_subset(items, self._subset), str(self.suite.items_path))

    def _describe(self, base: Outcomes) -> pl.DataFrame:
        at = pl.Series(self.variant)
        columns = [base.frame[name].gather(at) for name in ("suite", "test", "expects", "cluster")]
        for name in base.facets:
            codes = base.pairs.facet_codes(name)
            values = base.facet_values(name)
            series = pl.Series(values, dtype=pl.Enum(values)).gather(pl.Series(np.where(codes == NONE, 0, codes)))
            known = pl.Series(codes != NONE)
            columns.append(pl.select(pl.when(known).then(series)).to_series().alias(f"facet:{name}"))
        return pl.DataFrame(columns)

    def refresh(self) -> None:
        """Read again what has been written to runs under way since the last look."""
        if time.monotonic() - self._looked < _SECONDS_BETWEEN_LOOKS or not self._lock.acquire(blocking=False):
            return
        try:
            self._looked = time.monotonic()
            for column in self.columns:
                if not column.run.manifest.complete and _stamp(column.run) != column.seen:
                    column.run = _reopen(column.run)
                    self._load(column)
        finally:
            self._lock.release()

    def _load(self, column: RunColumn) -> None:
        """Grade a run, and keep of it what the index needs."""
        run = column.run
        column.seen = _stamp(run)
        items = self._read_items().drop_columns(["facets"])
        limit = run.probe_ids()
        row = np.arange(len(items), dtype=np.uint32)
        if limit is not None:
            kept = pc.is_in(items["probe_id"], value_set=pa.array(sorted(limit), pa.string()))
            row = row[kept.to_numpy(zero_copy_only=False)]
            items = items.filter(kept)
        own = load_replies(run, items)
        stored = len(own)
        items, (replies,) = join_own_replies(self.suite.items_path, items, [own])
        found = outcomes(items, replies, where=str(self.suite.items_path))
        reply = found.codes("reply").astype(np.uint32)
        if len(replies) > stored:
            reply = _stored_rows(reply, replies, stored)
        column.reply = np.zeros(self._items, dtype=np.uint32)
        column.reply[row] = reply
        column.state = np.full(self._items, _STATES.index("missing"), dtype=np.uint8)
        column.state[row] = _state_codes(found)
        flags = cell_flags(found.pairs.cells)[found.pairs.cell] if len(found.pairs) else column.flags[:0]
        if len(flags) == len(self):
            column.flags = flags
        else:
            column.flags = np.zeros(len(self), dtype=np.uint16)
            place = np.zeros(self._items, dtype=np.uint32)
            place[self.variant] = np.arange(len(self), dtype=np.uint32)
            column.flags[place[row[found.pairs.variant]]] = flags
        unparsed = run.manifest.counts.get("unparsed", 0)
        is_stored = run.manifest.complete and run.is_read_now and run.status_counts().get("unparsed", 0) == unparsed
        column.replies = run.replies().select("item_id", "text", "answer", "score", "error") if not is_stored else None
        self.frame = self.frame.with_columns(pl.Series(column.name, column.flags))
        self.version += 1

    @property
    def items_path(self) -> Path:
        """The file that texts are searched in."""
        return self.suite.items_path


def _stored_rows(reply: Rows, replies: pa.Table, stored: int) -> Rows:
    """Rows of the file, where replies to one published id were added as copies of the reply to the item."""
    added = replies["item_id"].slice(stored).cast(pa.string()).to_pylist()
    bases = pa.array([split_own_id(one)[0] for one in added], pa.string())
    known = replies["item_id"].slice(0, stored).cast(pa.string())
    place = pc.index_in(bases, value_set=known).to_numpy(zero_copy_only=False)
    table = np.concatenate([np.arange(stored + 1), place + 1]).astype(np.uint32)
    return table[reply]


def _state_codes(found: Outcomes) -> npt.NDArray[np.uint8]:
    if not len(found):
        return np.zeros(0, dtype=np.uint8)
    codes = np.array([_STATES.index(name) for name in found.states["outcome"].cast(pl.String)], dtype=np.uint8)
    return codes[found.codes("state")]


def _no_replies() -> pa.Table:
    text = pa.array([], pa.string())
    return pa.table({"item_id": text, "status": text, "answer": text, "text": text})


def _reopen(run: Run) -> Run:
    again = open_run(run.folder, suite_folder=run.suite().folder)
    again.image_dirs = run.image_dirs
    return again


def _stamp(run: Run) -> tuple[object, ...]:
    """What changes when replies are added to a run."""
    paths = [run.folder / "run.json", *sorted(run.folder.glob("replies*"))]
    found = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        found.append((path.name, status.st_size, status.st_mtime_ns))
    return tuple(found)
