"""The failed pairs: which of them are shown, their texts, their images and the replies of every model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pyarrow.compute as pc

from falter.files import open_parquet
from falter.measures.outcomes import FACET
from falter.probes import Item, Suite
from falter.probes.schema import ITEM_SCHEMA, item_from_row
from falter.reporting.report_data import (
    Failure,
    FailureCounts,
    FailureImage,
    PairReply,
    PairSide,
    ReplyClass,
    SideReply,
    failure_types,
    foil_failure_types,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FailureSample", "RunOutcomes", "load_failures", "sample_failures"]


_STATUS = {"correct": "ok", "incorrect": "ok", "rank_only": "ok"}


class RunOutcomes(NamedTuple):
    """The outcomes of one model on every pair of a suite, and the model's replies."""

    model: int
    outcomes: pl.DataFrame
    replies: pl.DataFrame


class FailureSample(NamedTuple):
    """The failed pairs to show, each with the hash that orders them, and how many there are in all."""

    pairs: dict[tuple[str, int], bytes]
    counts: list[FailureCounts]


def sample_failures(judged: Sequence[RunOutcomes], most: int) -> FailureSample:
    """Of every test and model the same few failed pairs, drawn by a hash, so that models are seen on the same ones."""

    kept: dict[tuple[str, int], bytes] = {}
    counted = []
    for each in judged:
        frame = each.outcomes.filter(_failed(each.outcomes))
        keys = frame.select("suite", "test", "probe_id", "variant").rows()
        drawn: dict[tuple[str, str], list[tuple[bytes, str, int]]] = {}
        for suite, test, probe_id, variant in keys:
            drawn.setdefault((suite, test), []).append((_draw(probe_id, variant), probe_id, variant))
        for (suite, test), found in sorted(drawn.items()):
            first = sorted(found)[:most]
            kept |= {(probe_id, variant): draw for draw, probe_id, variant in first}
            counted.append((suite, test, each.model, len(found), len(first)))
    counts = [
        FailureCounts(suite=suite, test=test, model=model, failed=failed, shown=seen)
        for suite, test, model, failed, seen in sorted(counted)
    ]
    return FailureSample(kept, counts)


def _failed(frame: pl.DataFrame) -> pl.Expr:
    """Which pairs went wrong: an answer, or a foil that scored as high as its caption."""
    import polars as pl

    answered = pl.col("included") & ~(pl.col("original_correct") & pl.col("variant_correct"))
    if "preferred" not in frame.columns:
        return answered
    return pl.when(pl.col("expects") == "prefer").then(~pl.col("preferred")).otherwise(answered)


def _draw(probe_id: str, variant: int) -> bytes:
    return hashlib.sha256(f"{probe_id}\n{variant}".encode("utf-8", "surrogatepass")).digest()[:8]


def load_failures(
    suite: Suite, judged: Sequence[RunOutcomes], sample: FailureSample, images: list[FailureImage]
) -> list[Failure]:
    """The sampled pairs of a suite, test by test; new images are added to ``images``."""
    if not sample.pairs:
        return []
    items = _items(suite, {probe_id for probe_id, _ in sample.pairs})
    replied = [_replies(each, {item.item_id for item in items.values()}) for each in judged]
    rows = [_rows(each, sample.pairs) for each in judged]
    collected = _ImageList(suite, images)
    failures = []
    for key in sorted(sample.pairs, key=lambda key: (items[key].test, sample.pairs[key], key)):
        original, variant = items[key[0], 0], items[key]
        replies = tuple(
            _pair_reply(each.model, row[key], own)
            for each, row, own in zip(judged, rows, replied, strict=True)
            if key in row
        )
        failures.append(
            Failure(
                suite=variant.suite,
                test=variant.test,
                probe_id=variant.probe_id,
                variant_number=variant.variant,
                expects=variant.expects,
                original=collected.side(original),
                variant=collected.side(variant),
                replies=replies,
                facets={**original.facets, **variant.facets},
            )
        )
    return failures


def _items(suite: Suite, probe_ids: set[str]) -> dict[tuple[str, int], Item]:
    wanted = pc.field("probe_id").isin(sorted(probe_ids))
    table = open_parquet(suite.items_path, ITEM_SCHEMA).read(ITEM_SCHEMA.names, where=wanted)
    items = (item_from_row(row) for row in table.to_pylist())
    return {(item.probe_id, item.variant): item for item in items}


def _replies(judged: RunOutcomes, item_ids: set[str]) -> dict[str, dict[str, Any]]:
    import polars as pl

    wanted = judged.replies.filter(pl.col("item_id").is_in(sorted(item_ids)))
    return {row["item_id"]: row for row in wanted.select("item_id", "text", "score", "error").iter_rows(named=True)}


def _rows(judged: RunOutcomes, pairs: Mapping[tuple[str, int], bytes]) -> dict[tuple[str, int], dict[str, Any]]:
    import polars as pl

    plain = [name for name in judged.outcomes.columns if not name.startswith(FACET)]
    probe_ids = sorted({probe_id for probe_id, _ in pairs})
    frame = judged.outcomes.select(plain).filter(pl.col("probe_id").is_in(probe_ids))
    rows = ((((row["probe_id"], row["variant"])), row) for row in frame.iter_rows(named=True))
    return {key: row for key, row in rows if key in pairs}


def _pair_reply(model: int, row: dict[str, Any], replied: Mapping[str, dict[str, Any]]) -> PairReply:
    original, variant = (_side_reply(row, side, replied) for side in ("original", "variant"))
    if row["expects"] == "prefer":
        tied = row.get("original_score") is not None and row["original_score"] == row["variant_score"]
        found = foil_failure_types(original, variant, row.get("preferred"), tied)
    else:
        found = failure_types(original, variant, row["consistent"]) if row["included"] else ()
    return PairReply(model=model, original=original, variant=variant, failure_types=found)


def _side_reply(row: dict[str, Any], side: str, replied: Mapping[str, dict[str, Any]]) -> SideReply:
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
            self._images.append(FailureImage(key, path))
        return self._indices[key]
