"""How records of training questions stand in a file: keyed in one object, in a list, or in a list under a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from falter.probes import Item, Probe
from falter.sources import Source

__all__ = ["OBJECT", "QUESTION_LIST", "RECORD_LIST", "QuestionKeys", "TrainingLayout", "TrainingWriter", "UsesSource"]


class TrainingLayout(NamedTuple):
    """What stands before and after the records, and whether each has its key before it."""

    opening: bytes
    closing: bytes
    keyed: bool

    def encode(self, key: str, record: dict[str, Any]) -> bytes:
        """A record as it stands in the file."""
        encoded = msgspec.json.encode(record)
        return msgspec.json.encode(key) + b": " + encoded if self.keyed else encoded


OBJECT = TrainingLayout(b"{", b"\n}\n", keyed=True)
RECORD_LIST = TrainingLayout(b"[", b"\n]\n", keyed=False)
QUESTION_LIST = TrainingLayout(b'{"questions": [', b"\n]}\n", keyed=False)


class TrainingWriter(Protocol):
    """Turns probes into the records of one format; made for one split."""

    def records(self, probe: Probe) -> Iterator[tuple[str, dict[str, Any]]]:
        """The records of a probe, each with its key in the file."""
        ...


@runtime_checkable
class UsesSource(Protocol):
    """A writer that keeps what the source's own records say."""

    def use_source(self, source: Source) -> None:
        """Called once, before the first probe."""
        ...


class QuestionKeys:
    """Gives every text of an image one key, the first time it comes: the id of a source's question, or a new one."""

    def __init__(self, split: str) -> None:
        self._split = split
        self._keys: dict[tuple[str | None, str], str] = {}
        self._taken: set[str] = set()

    def new_items(self, probe: Probe) -> Iterator[tuple[Item, str, list[str]]]:
        """The items that were not written yet, each with its key and the keys of the probe's other items."""
        new: list[Item] = []
        for item in probe.items:
            if (item.image_id, item.text) not in self._keys:
                self._keys[item.image_id, item.text] = self._key(item)
                new.append(item)
        named = list(dict.fromkeys(self._keys[item.image_id, item.text] for item in probe.items))
        for item in new:
            key = self._keys[item.image_id, item.text]
            yield item, key, [other for other in named if other != key]

    def _key(self, item: Item) -> str:
        key = item.source_id if item.variant == 0 else None
        if key is None or key in self._taken:
            key = f"{self._split}-{item.probe_id}-{item.variant}"
        self._taken.add(key)
        return key
