"""Which probes a blind check is over: all of a test, or a sample that the seed draws."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from falter.core.files import open_parquet
from falter.data.blind_checks import FOILS, question_kind
from falter.data.items import Probe
from falter.data.suite import ITEM_SCHEMA, Suite, item_from_row

_COLUMNS = ("probe_id", "variant", "test", "role", "task", "expects", "gold", "choices", "facets")
_AT_ONCE = 8192


class BlindSample(NamedTuple):
    """The probes of a blind check, in the order of the suite."""

    suite: Suite
    probe_ids: frozenset[str] | None
    """None: every probe."""
    totals: dict[tuple[str, str], int]
    """By test and kind of question how many there are to check, or pairs of a caption and a foil."""

    def probes(self) -> Iterator[Probe]:
        """The probes, a batch in memory at a time."""
        if self.probe_ids is None:
            yield from self.suite.probes()
            return
        wanted = pa.array(sorted(self.probe_ids), pa.string())
        file = open_parquet(self.suite.items_path, ITEM_SCHEMA)
        batches = file.iter_batches(ITEM_SCHEMA.names, batch_size=_AT_ONCE)
        rows = (
            row for batch in batches for row in batch.filter(pc.is_in(batch["probe_id"], value_set=wanted)).to_pylist()
        )
        for _, items in groupby((item_from_row(row) for row in rows), key=lambda item: item.probe_id):
            yield Probe(tuple(items))


def confirmed(facets: dict[str, str]) -> bool:
    """Whether annotators did not reject a caption with its foils."""
    return facets.get("valid", "yes") == "yes"


def draw_sample(suite: Suite, most: int | None, seed: int) -> BlindSample:
    """At most so many questions (or pairs with a foil) of each test and kind of question, drawn by a hash of ids."""
    drawn: dict[tuple[str, str], list[tuple[bytes, str, int]]] = {}
    totals: Counter[tuple[str, str]] = Counter()
    for key, probe_id, number in _candidates(suite):
        totals[key] += number
        if most is not None:
            drawn.setdefault(key, []).append((_draw(seed, probe_id), probe_id, number))
    if most is None or all(total <= most for total in totals.values()):
        return BlindSample(suite, None, dict(totals))
    chosen = set()
    for found in drawn.values():
        left = most
        for _, probe_id, number in sorted(found):
            if left <= 0:
                break
            chosen.add(probe_id)
            left -= number
    return BlindSample(suite, frozenset(chosen), dict(totals))


def _candidates(suite: Suite) -> Iterator[tuple[tuple[str, str], str, int]]:
    """Test and kind of question, the probe's id, and for how many it counts."""
    if "match" not in suite.tasks():
        yield from _questions(suite)
        return
    rows = open_parquet(suite.items_path, ITEM_SCHEMA).iter_rows(_COLUMNS, batch_size=_AT_ONCE)
    for probe_id, items in groupby(rows, key=lambda row: row["probe_id"]):
        original, *variants = items
        if original["expects"] == "each":
            yield from _asked_for_themselves([original, *variants])
            continue
        kind = question_kind(*(original[name] for name in ("role", "task", "expects", "gold", "choices")))
        if kind is None or (kind == FOILS and not confirmed(_facets(original))):
            continue
        yield (original["test"], kind), probe_id, len(variants) if kind == FOILS else 1


def _questions(suite: Suite) -> Iterator[tuple[tuple[str, str], str, int]]:
    """The same where there are no captions and foils: only what has an answer of its own is looked at."""
    columns = [name for name in _COLUMNS if name not in ("variant", "facets")]
    for batch in open_parquet(suite.items_path, ITEM_SCHEMA).iter_batches(columns, batch_size=_AT_ONCE):
        original, alone = (
            pc.equal(pc.cast(batch[name], pa.string()), value)
            for name, value in (("role", "original"), ("expects", "each"))
        )
        yield from _asked_for_themselves(batch.filter(pc.or_(original, alone)).to_pylist())


def _asked_for_themselves(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[tuple[str, str], str, int]]:
    for row in rows:
        kind = question_kind(*(row[name] for name in ("role", "task", "expects", "gold", "choices")))
        if kind is not None:
            yield (row["test"], kind), row["probe_id"], 1


def _facets(row: dict[str, Any]) -> dict[str, str]:
    return {facet["name"]: facet["value"] for facet in row["facets"] or ()}


def _draw(seed: int, probe_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{probe_id}".encode("utf-8", "surrogatepass")).digest()[:8]
