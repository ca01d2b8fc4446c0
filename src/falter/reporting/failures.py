"""The failed pairs that are shown: their texts, their images and the replies of every model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc

from falter.files import open_parquet
from falter.measures import VqaRule
from falter.probes import Item, Suite
from falter.probes.schema import ITEM_SCHEMA, item_from_row
from falter.reporting.failure_sample import SampledPair
from falter.reporting.memory import release_memory
from falter.reporting.report_data import (
    Failure,
    FailureImage,
    PairReply,
    PairSide,
    ReplyClass,
    SideReply,
    failure_types,
    foil_failure_types,
)
from falter.runs import Run
from falter.runs.reply import own_id
from falter.runs.scoring import outcomes_of_run

if TYPE_CHECKING:
    pass

__all__ = ["ModelRun", "load_failures"]


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
    subset: str | None = None,
    vqa_rule: VqaRule = "vqa-v2",
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
        for key, reply in _pair_replies(one, pairs, items, subset, vqa_rule):
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
    subset: str | None,
    vqa_rule: VqaRule,
) -> Iterator[tuple[_Key, PairReply]]:
    """What a model replied to the sampled pairs that its run asked."""
    probes = {probe_id for probe_id, _ in pairs}
    frame = outcomes_of_run(one.run, vqa_rule=vqa_rule, facets=[], subset=subset, probes=probes)
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
