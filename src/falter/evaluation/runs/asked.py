"""Which probes a run asks, in which order, and whether a complete run holds one reply to each of its items.

A limited run asks whole probes, evenly over the tests; a larger limit always holds the smaller. A run in random order
has its own order, or the rounds that it wrote down."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.errors import InputError
from falter.core.files import JsonDecoder, open_parquet, read_lines, write_atomically
from falter.core.tables import format_count
from falter.data.model import Reply, is_transient, own_id, split_own_id
from falter.data.suite import ITEM_SCHEMA, Suite
from falter.evaluation.runs.manifest import Shard
from falter.evaluation.runs.replies import own_ids


def select_probes(suite: Suite, *, limit: int, seed: int = 0) -> frozenset[str]:
    """The ids of ``limit`` probes, taken in turn from each test in an order drawn by the seed.

    The first 100 are among the first 200, and a test that has few probes gives all of them before others give more.
    """
    return frozenset(draw_probes(suite, seed=seed)[:limit])


def draw_probes(suite: Suite, *, seed: int = 0) -> list[str]:
    """All probes in the order in which limits take them: within a test it is random, whatever the probes hold."""
    table = open_parquet(suite.items_path, ITEM_SCHEMA).read(["test", "probe_id", "variant"])
    rows = zip(*(column.to_pylist() for column in table.itercolumns()), strict=True)
    originals = [(test, probe_id) for test, probe_id, variant in rows if variant == 0]
    drawn = sorted((test, _draw(seed, probe_id), probe_id) for test, probe_id in originals)
    ranked = [
        (rank, test, probe_id)
        for test, group in groupby(drawn, key=lambda entry: entry[0])
        for rank, (_, _, probe_id) in enumerate(group)
    ]
    return [probe_id for _, _, probe_id in sorted(ranked)]


def draw_order(probe_ids: Iterable[str], seed: int) -> list[str]:
    """Probes in the order in which :func:`select_probes` takes them from a test."""
    return sorted(probe_ids, key=lambda probe_id: (_draw(seed, probe_id), probe_id))


def _draw(seed: int, probe_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{probe_id}".encode()).digest()


ASKED_NAME = "asked.jsonl"
"""The file of a run that may stop early: a line per round, the ids of its probes in the order of asking."""

_ROUND = JsonDecoder(tuple[str, ...], "a list of probes")


ANYTIME = "interval:anytime"
"""The part of a signature that says so."""


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


def sampled_parts(sampled: Sampled) -> tuple[str, ...]:
    """What signatures say of a run that asked a part in random order."""
    return "order:random", f"asked:{len(sampled.asked)}-of-{len(sampled.order)}", ANYTIME


def tell_sampled(sampled: Sampled, *, stopped: bool, limited: bool) -> str:
    """What a reader of scores must know of a run that asked a part in random order."""
    why = "it stopped when its requirements were decided" if stopped else "it was cut off"
    return (
        f"asked {len(sampled.asked):,} of {format_count(len(sampled.order), 'probes')} in random order ({why}); "
        f"intervals are for {'the probes of its limit' if limited else 'the whole suite'} and hold at any time, and "
        "what has none is over the part asked"
    )


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


_HINT = "run the model again with another --out"


def item_ids(suite: Suite, probes: Collection[str] | None = None, shard: Shard | None = None) -> pa.Array:
    """The ids of the distinct items of a suite, of some of its probes, or of a part of it."""
    columns = ["item_id", *(["probe_id"] if probes is not None else []), *(["image_id"] if shard is not None else [])]
    table = open_parquet(suite.items_path, columns).read(columns)
    if probes is not None:
        table = table.filter(pc.is_in(table["probe_id"], value_set=pa.array(sorted(probes), pa.string())))
    if shard is None:
        return pc.unique(table["item_id"])
    images: dict[str, str | None] = {}
    for item_id, image_id in zip(table["item_id"].to_pylist(), table["image_id"].to_pylist(), strict=True):
        images.setdefault(item_id, image_id)
    return pa.array([item_id for item_id, image_id in images.items() if shard.holds(item_id, image_id)], pa.string())


def check_count(path: Path, asked: int) -> None:
    """Refuse a file of replies that has fewer or more than were asked for; ``asked`` is 0 if that is unknown."""
    found = open_parquet(path, ["item_id"], hint=_HINT).num_rows
    if asked and found != asked:
        raise InputError(
            path,
            f"of a complete run holds {format_count(found, 'replies')} to {format_count(asked, 'items')}",
            hint=_HINT,
        )


def check_replies(path: Path, expected: pa.Array, asked: int) -> None:
    """Refuse a file of replies that lacks one, holds one twice, or holds one to an item that was not asked.

    ``expected`` are the ids of the items, ``asked`` is the number of requests (0 if unknown): a published id
    may have had its own.
    """
    found = open_parquet(path, ["item_id"], hint=_HINT).read(["item_id"])["item_id"]
    distinct = pc.unique(found)
    if len(distinct) != len(found):
        raise InputError(path, f"holds {format_count(len(found) - len(distinct), 'replies')} a second time", hint=_HINT)
    missing = pc.sum(pc.invert(pc.is_in(expected, value_set=distinct))).as_py() or 0
    if missing:
        raise InputError(
            path,
            f"of a complete run lacks the replies to {missing} of {format_count(len(expected), 'items')}",
            hint=_HINT,
        )
    bases = pa.array([split_own_id(one)[0] for one in own_ids(distinct)], pa.string())
    own = pc.sum(pc.is_in(bases, value_set=expected)).as_py() or 0
    asked = asked or len(distinct)
    if len(distinct) != len(expected) + own or len(distinct) > asked:
        others = max(len(distinct) - len(expected) - own, len(distinct) - asked)
        raise InputError(
            path, f"holds replies to {format_count(others, 'items')} that the run was not asked", hint=_HINT
        )
    if len(distinct) < asked:
        raise InputError(
            path, f"of a complete run lacks {asked - len(distinct)} of {format_count(asked, 'replies')}", hint=_HINT
        )
