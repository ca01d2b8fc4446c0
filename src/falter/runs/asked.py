"""Which probes a run in random order has asked, and in which order: its own order, or the rounds that it wrote down."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.files import JsonDecoder, open_parquet, read_lines, write_atomically
from falter.probes import Suite
from falter.probes.schema import ITEM_SCHEMA
from falter.runs.reply import Reply, is_transient, own_id

__all__ = ["ASKED_NAME", "Sampled", "order_at_random", "probes_in_order", "read_rounds", "whole_probes", "write_rounds"]

ASKED_NAME = "asked.jsonl"
"""The file of a run that may stop early: a line per round, the ids of its probes in the order of asking."""

_ROUND = JsonDecoder(tuple[str, ...], "a list of probes")


class Sampled(NamedTuple):
    """The part of a run's probes that was asked, in random order, before it stopped or was cut off."""

    order: tuple[str, ...]
    """All probes that the run is about, in the order drawn."""
    rounds: tuple[tuple[str, ...], ...]
    """Those that were asked and answered, round by round."""

    @property
    def asked(self) -> frozenset[str]:
        """The probes that were asked."""
        return frozenset(probe_id for one in self.rounds for probe_id in one)


def order_at_random(probe_ids: Sequence[str], seed: int) -> list[str]:
    """The probes in an order that the seed draws, whatever order they come in.

    >>> order_at_random(["a", "b", "c"], 0) == order_at_random(["c", "a", "b"], 0)
    True
    """
    return sorted(probe_ids, key=lambda one: (hashlib.sha256(f"order\n{seed}\n{one}".encode()).digest(), one))


def probes_in_order(suite: Suite, seed: int, probes: Collection[str] | None = None) -> list[str]:
    """The probes of a suite (or some of them) in random order."""
    table = open_parquet(suite.items_path, ITEM_SCHEMA).read(["probe_id", "variant"])
    rows = zip(table["probe_id"].to_pylist(), table["variant"].to_pylist(), strict=True)
    originals = [probe_id for probe_id, variant in rows if variant == 0 and (probes is None or probe_id in probes)]
    return order_at_random(originals, seed)


def whole_probes(suite: Suite, order: Sequence[str], replied: Mapping[str, Reply]) -> list[str]:
    """The probes before the first one of which an item has no reply; ``replied`` is in the order in which they came."""
    died = _when_it_died(replied)
    table = open_parquet(suite.items_path, ITEM_SCHEMA).read(["probe_id", "item_id", "source_id"])
    lacking: set[str] = set()
    for probe_id, item_id, source_id in zip(*(column.to_pylist() for column in table.itercolumns()), strict=True):
        known = item_id if item_id in replied or source_id is None else own_id(item_id, source_id)
        if known not in replied or known in died:
            lacking.add(probe_id)
    end = next((place for place, probe_id in enumerate(order) if probe_id in lacking), len(order))
    return list(order[:end])


def _when_it_died(replied: Mapping[str, Reply]) -> frozenset[str]:
    """The items that failed when a server died: they are asked again, and are taken for not asked until then.

    They are the failures that may pass in the last stretch that has more of them than replies.
    """
    failed = [is_transient(reply) for reply in replied.values()]
    start, more, most = len(failed), 0, 0
    for place in range(len(failed) - 1, -1, -1):
        more += 1 if failed[place] else -1
        if more > most:
            start, most = place, more
    return frozenset(item_id for place, item_id in enumerate(replied) if place >= start and failed[place])


def write_rounds(folder: Path, rounds: Sequence[Sequence[str]]) -> None:
    """Write down what has been asked, whole or not at all."""
    write_atomically(folder / ASKED_NAME, b"".join(msgspec.json.encode(list(one)) + b"\n" for one in rounds))


def read_rounds(folder: Path) -> list[tuple[str, ...]]:
    """What a run has asked; nothing where it has not begun."""
    path = folder / ASKED_NAME
    if not path.exists():
        return []
    hint = "run the model again"
    return [
        _ROUND.decode(line, path, record=number, hint=hint)
        for number, line in enumerate(read_lines(path, hint=hint), start=1)
    ]
