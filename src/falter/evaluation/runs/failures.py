"""The failed pairs that are shown: which ones, their texts, their images and the replies of every model.

Of every test and model the same share of a common budget is shown. Memory is given back between the steps of a report,
each of which reads columns of its own.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.files import open_parquet
from falter.data.items import Item
from falter.data.model import own_id
from falter.data.suite import ITEM_SCHEMA, Suite, item_from_row
from falter.evaluation.measures.outcomes import Outcomes
from falter.evaluation.measures.outcomes.coding import Bools, Codes, Integers
from falter.evaluation.runs.failure_records import (
    Failure,
    FailureCounts,
    FailureImage,
    PairReply,
    PairSide,
    ReplyClass,
    SideReply,
    SuiteTest,
    failure_types,
    foil_failure_types,
)
from falter.evaluation.runs.scoring import outcomes_of_run
from falter.evaluation.runs.store import Run
from falter.evaluation.score_options import PLAIN, ScoreOptions

if TYPE_CHECKING:
    import polars as pl

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

    def add(self, model: int, found: Outcomes, *, unanswered: bool = False) -> None:
        """Count and rank what a model failed; ``unanswered`` counts pairs with a reply that failed as well."""
        pairs = found.pairs
        place = self._places(found)
        failed = failed_pairs(found, unanswered=unanswered)
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
        draws = [_draw_rank(probe_id, variant) for probe_id, variant in keys.iter_rows()]
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


def failed_pairs(found: Outcomes, *, unanswered: bool = False) -> Bools:
    """By pair whether it went wrong: an answer, or a foil that scored as high as its caption.

    With ``unanswered`` also where no answer was had: the request failed, or the model does not support it.
    """
    import polars as pl

    from falter.evaluation.measures.outcomes.expressions import INCLUDED, PAIRED, correct, is_, judged, o, v

    wrong = (judged(o) & ~correct(o)) | (PAIRED & judged(v) & ~correct(v))
    lost = pl.col("preference").is_in(["lost", "tied"])
    failed = INCLUDED & pl.when(pl.col("expects") == "prefer").then(lost).otherwise(wrong)
    if unanswered:
        failed = failed | is_(o, "failed", "unsupported") | is_(v, "failed", "unsupported")
    pairs = found.pairs
    if not len(pairs):
        return np.zeros(0, dtype=bool)
    return np.asarray(pairs.cells.select(failed=failed)["failed"].fill_null(value=False).to_numpy()[pairs.cell])


def _draw_rank(probe_id: str, variant: int) -> int:
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


_MANY_ITEMS = 100_000
"""Items of a suite from which it is worth the time."""


def release_memory(suite: Suite) -> None:
    """Free outcomes that refer to themselves, and what Arrow keeps for later; nothing where a suite is small."""
    if suite.item_count >= _MANY_ITEMS:
        gc.collect()
        pa.default_memory_pool().release_unused()


_STATUS = {"correct": "ok", "incorrect": "ok", "rank_only": "ok"}
_REPLY_COLUMNS = ("item_id", "text", "score", "error")
_ROWS_AT_ONCE = 8192

_Key = tuple[str, int]


class ModelRun(NamedTuple):
    """A run, and the index of its model in the report."""

    run: Run
    model: int


def load_failures(
    suite: Suite,
    runs: Sequence[ModelRun],
    sample: Sequence[SampledPair],
    images: list[FailureImage],
    options: ScoreOptions = PLAIN,
) -> list[Failure]:
    """The sampled pairs of a suite, test by test; new images are added to ``images``."""
    if not sample:
        return []
    release_memory(suite)
    probe_ids = frozenset(pair.probe_id for pair in sample)
    items = {(item.probe_id, item.variant): item for item in _items(suite, probe_ids)}
    pairs = {(pair.probe_id, pair.variant): pair for pair in sample}
    replies: dict[_Key, list[PairReply]] = {key: [] for key in pairs}
    for one in runs:
        release_memory(suite)
        for key, reply in _pair_replies(one, pairs, items, options):
            replies[key].append(reply)
    collected = _ImageList(suite, images)
    failures = []
    for key in sorted(pairs, key=lambda key: (items[key].test, pairs[key].draw, key)):
        original, variant = items[key[0], 0], items[key]
        failures.append(
            Failure(
                suite=variant.suite,
                test=variant.test,
                probe_id=variant.probe_id,
                variant_number=variant.variant,
                expects=variant.expects,
                original=collected.side(original),
                variant=collected.side(variant),
                replies=tuple(replies[key]),
                facets={**original.facets, **variant.facets},
                image_change=image_change(original, variant),
                rank=pairs[key].rank,
            )
        )
    return failures


def image_change(original: Item, variant: Item) -> str:
    """What was done to the image of a variant, as far as its facets say; empty where both have the same image."""
    if (original.image, original.image_sha256) == (variant.image, variant.image_sha256):
        return ""
    changed = {name: value for name, value in variant.facets.items() if original.facets.get(name) != value}
    return ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in sorted(changed.items()))


def _items(suite: Suite, probe_ids: frozenset[str]) -> Iterator[Item]:
    file = open_parquet(suite.items_path, ITEM_SCHEMA, hint="generate the suite again")
    wanted = pa.array(sorted(probe_ids), pa.string())
    for batch in file.iter_batches(ITEM_SCHEMA.names, batch_size=_ROWS_AT_ONCE):
        found = batch.filter(pc.is_in(batch["probe_id"], value_set=wanted))
        yield from (item_from_row(row) for row in found.to_pylist())


def _pair_replies(
    one: ModelRun,
    pairs: Mapping[_Key, SampledPair],
    items: Mapping[_Key, Item],
    options: ScoreOptions,
) -> Iterator[tuple[_Key, PairReply]]:
    """What a model replied to the sampled pairs that its run asked."""
    probes = {probe_id for probe_id, _ in pairs}
    frame = outcomes_of_run(one.run, options, facets=[], probes=probes)
    ids = {item.item_id for item in items.values()}
    ids |= {own_id(item.item_id, item.source_id) for item in items.values() if item.source_id is not None}
    replied = _replies(one.run, ids)
    for row in frame.table_of_pairs().iter_rows(named=True):
        key = row["probe_id"], row["variant"]
        if key in pairs:
            yield key, _pair_reply(one.model, row, replied)


def _replies(run: Run, item_ids: set[str]) -> dict[str, dict[str, Any]]:
    """The replies to some items; of a complete run a batch in memory at a time."""
    import polars as pl

    wanted = pa.array(sorted(item_ids), pa.string())
    if not run.manifest.complete:
        frame = run.replies().filter(pl.col("item_id").is_in(sorted(item_ids)))
        return {row["item_id"]: row for row in frame.select(_REPLY_COLUMNS).iter_rows(named=True)}
    file = open_parquet(run.replies_path(), _REPLY_COLUMNS, hint="run the model again")
    return {
        row["item_id"]: row
        for batch in file.iter_batches(_REPLY_COLUMNS)
        for row in batch.filter(pc.is_in(batch["item_id"], value_set=wanted)).to_pylist()
    }


def _pair_reply(model: int, row: dict[str, Any], replied: Mapping[str, dict[str, Any]]) -> PairReply:
    original, variant = (_side_reply(row, side, replied) for side in ("original", "variant"))
    if row["expects"] == "prefer":
        tied = row.get("original_score") is not None and row["original_score"] == row["variant_score"]
        found = foil_failure_types(original, variant, row.get("preferred"), tied)
    else:
        found = failure_types(original, variant, row["consistent"]) if row["included"] else ()
        if row["variant_outcome"] is None:
            found = tuple("original" if each == "both" else each for each in found)
    return PairReply(model=model, original=original, variant=variant, failure_types=found)


def _side_reply(row: dict[str, Any], side: str, replied: Mapping[str, dict[str, Any]]) -> SideReply:
    # A probe without variants has one side, which stands for both.
    side = side if row[f"{side}_outcome"] is not None else "original"
    outcome = row[f"{side}_outcome"]
    reply = replied.get(row[f"{side}_item_id"], {})
    text = reply.get("text")
    if text is None and row[f"{side}_answer"] is None and reply.get("score") is not None:
        text = f"{reply['score']:.4g}"
    return SideReply(
        status=cast(ReplyClass, _STATUS.get(outcome, outcome)),
        text=text,
        answer=row[f"{side}_answer"],
        correct=row[f"{side}_correct"],
        error=reply.get("error"),
    )


class _ImageList:
    """Gives every image one index, however many pairs show it."""

    def __init__(self, suite: Suite, images: list[FailureImage]) -> None:
        self._suite = suite
        self._images = images
        self._indices = {image.key: index for index, image in enumerate(images)}

    def side(self, item: Item) -> PairSide:
        return PairSide(
            text=item.text,
            gold=item.gold,
            choices=item.choices,
            context=tuple((turn.speaker, turn.text) for turn in item.context or ()),
            image=self._index(item),
        )

    def _index(self, item: Item) -> int | None:
        path = self._suite.image_path(item)
        key = item.image_sha256 or (None if path is None else str(path))
        if key is None:
            return None
        if key not in self._indices:
            self._indices[key] = len(self._images)
            self._images.append(FailureImage(key, path, item.image_sha256))
        return self._indices[key]
