"""The failed pairs themselves: their texts, their pictures and what every model said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pyarrow.compute as pc
import pyarrow.parquet as pq

from falter.measures.outcomes import FACET
from falter.probes import Item, Suite
from falter.probes.schema import item_from_row
from falter.reporting.data import (
    Failure,
    PairReply,
    Picture,
    ReplyClass,
    Shown,
    Side,
    SideReply,
    outcomes_of,
    outcomes_of_foil,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Chosen", "Judged", "failures_of"]


class Judged(NamedTuple):
    """What became of every pair of a suite under one model, and the model's replies."""

    model: int
    outcomes: pl.DataFrame
    replies: pl.DataFrame


class Chosen(NamedTuple):
    """The failed pairs to show, each with the draw that orders them, and how many were left out."""

    pairs: dict[tuple[str, int], bytes]
    shown: list[Shown]


def failures_of(suite: Suite, judged: Sequence[Judged], chosen: Chosen, pictures: list[Picture]) -> list[Failure]:
    """The chosen pairs of a suite, test by test; new pictures are added to ``pictures``."""
    if not chosen.pairs:
        return []
    items = _items(suite, {probe_id for probe_id, _ in chosen.pairs})
    said = [_replies(each, {item.item_id for item in items.values()}) for each in judged]
    rows = [_rows(each, chosen.pairs) for each in judged]
    album = _Album(suite, pictures)
    failures = []
    for key in sorted(chosen.pairs, key=lambda key: (items[key].test, chosen.pairs[key], key)):
        original, variant = items[key[0], 0], items[key]
        replies = tuple(
            _pair_reply(each.model, row[key], replied)
            for each, row, replied in zip(judged, rows, said, strict=True)
            if key in row
        )
        failures.append(
            Failure(
                suite=variant.suite,
                test=variant.test,
                probe_id=variant.probe_id,
                variant_number=variant.variant,
                expects=variant.expects,
                original=album.side_of(original),
                variant=album.side_of(variant),
                replies=replies,
                facets={**original.facets, **variant.facets},
            )
        )
    return failures


def _items(suite: Suite, probe_ids: set[str]) -> dict[tuple[str, int], Item]:
    table = pq.read_table(suite.items_path, filters=pc.field("probe_id").isin(sorted(probe_ids)))
    items = (item_from_row(row) for row in table.to_pylist())
    return {(item.probe_id, item.variant): item for item in items}


def _replies(judged: Judged, item_ids: set[str]) -> dict[str, dict[str, Any]]:
    import polars as pl

    wanted = judged.replies.filter(pl.col("item_id").is_in(sorted(item_ids)))
    return {row["item_id"]: row for row in wanted.select("item_id", "text", "score", "error").iter_rows(named=True)}


def _rows(judged: Judged, pairs: Mapping[tuple[str, int], bytes]) -> dict[tuple[str, int], dict[str, Any]]:
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
        found = outcomes_of_foil(original, variant, row.get("preferred"), tied)
    else:
        found = outcomes_of(original, variant, row["consistent"]) if row["kept"] else ()
    return PairReply(model=model, original=original, variant=variant, outcomes=found)


def _side_reply(row: dict[str, Any], side: str, replied: Mapping[str, dict[str, Any]]) -> SideReply:
    kind = row[f"{side}_class"]
    reply = replied.get(row[f"{side}_item_id"], {})
    text = reply.get("text")
    if text is None and row[f"{side}_answer"] is None and reply.get("score") is not None:
        text = f"{reply['score']:.4g}"
    return SideReply(
        status=cast(ReplyClass, "ok" if kind in ("right", "wrong", "scored") else kind),
        text=text,
        answer=row[f"{side}_answer"],
        right=row[f"{side}_right"],
        error=reply.get("error"),
    )


class _Album:
    """Gives every picture one place, however many pairs show it."""

    def __init__(self, suite: Suite, pictures: list[Picture]) -> None:
        self._suite = suite
        self._pictures = pictures
        self._places = {picture.key: place for place, picture in enumerate(pictures)}

    def side_of(self, item: Item) -> Side:
        return Side(
            text=item.text,
            gold=item.gold,
            choices=item.choices,
            context=tuple((turn.speaker, turn.text) for turn in item.context or ()),
            picture=self._place_of(item),
        )

    def _place_of(self, item: Item) -> int | None:
        path = self._suite.image_path(item)
        key = item.image_sha256 or (None if path is None else str(path))
        if key is None:
            return None
        if key not in self._places:
            self._places[key] = len(self._pictures)
            self._pictures.append(Picture(key, path))
        return self._places[key]
