"""Training questions in the formats of GQA, LXMERT and MAC, and how records stand in a file.

Records are keyed in one object, in a list, or in a list under a name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from falter.data.images import Source
from falter.data.items import YES_NO, Item, Probe
from falter.generation.scene import query_from_json
from falter.generation.scene.programs import query_to_program


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


class QuestionTypes(NamedTuple):
    """What GQA calls the structure of a question, its subject, and its detailed type."""

    structural: str
    semantic: str
    detailed: str


@runtime_checkable
class HasNativeRecords(Protocol):
    """A source whose questions are GQA's records."""

    def native_record(self, question_id: str) -> dict[str, Any] | None:
        """The record of a question as it was published."""
        ...


class GqaRecords:
    """GQA's native records, so that a GQA loader takes them beside GQA's own; a suite says their types.

    A question of GQA itself keeps its own record.
    """

    layout: TrainingLayout = OBJECT

    def __init__(self, split: str) -> None:
        self._keys = QuestionKeys(split)
        self._source: HasNativeRecords | None = None

    def use_source(self, source: Source) -> None:
        """Take the records of questions that the source asks itself from it."""
        self._source = source if isinstance(source, HasNativeRecords) else None

    def types(self, item: Item) -> QuestionTypes:
        """The types of a question in GQA."""
        structural = "verify" if item.choices == YES_NO else "query"
        return QuestionTypes(structural, "attr", item.test)

    def records(self, probe: Probe) -> Iterator[tuple[str, dict[str, Any]]]:
        """The probe's questions that are not written yet, by their keys."""
        for item, key, others in self._keys.new_items(probe):
            yield key, self._native(item) or self._record(item, key, others)

    def _native(self, item: Item) -> dict[str, Any] | None:
        if self._source is None or item.source_id is None or item.variant:
            return None
        record = self._source.native_record(item.source_id)
        same = record is not None and (record.get("question"), record.get("answer")) == (item.text, item.gold)
        return record if same else None

    def _record(self, item: Item, key: str, others: list[str]) -> dict[str, Any]:
        program = query_to_program(query_from_json(item.meaning)) if item.meaning is not None else []
        return {
            "question": item.text,
            "imageId": item.image_id,
            "answer": item.gold,
            "fullAnswer": f"{str(item.gold).capitalize()}.",
            "isBalanced": True,
            "groups": {"global": None, "local": f"{item.suite}-{item.test}"},
            "entailed": others if item.expects == "different" else [],
            "equivalent": [key, *others] if item.expects == "same" else [key],
            "types": self.types(item)._asdict(),
            "annotations": {"question": {}, "answer": {}, "fullAnswer": {}},
            "semantic": program,
            "semanticStr": "->".join(
                f"{step['operation']}: {step['argument']}"
                + (f" {step['dependencies']}" if step["dependencies"] else "")
                for step in program
            ),
        }


class LxmertRecords:
    """LXMERT's records of GQA: a list of image, text and scored answers."""

    layout: TrainingLayout = RECORD_LIST

    def __init__(self, split: str) -> None:
        self._keys = QuestionKeys(split)

    def records(self, probe: Probe) -> Iterator[tuple[str, dict[str, Any]]]:
        """The probe's questions that are not written yet, by their keys."""
        for item, key, _ in self._keys.new_items(probe):
            yield (
                key,
                {"img_id": item.image_id, "label": {str(item.gold): 1.0}, "question_id": key, "sent": item.text},
            )


class MacRecords:
    """The records that MAC's preprocessing of GQA reads: a list of questions under ``questions``."""

    layout: TrainingLayout = QUESTION_LIST

    def __init__(self, split: str) -> None:
        self._keys = QuestionKeys(split)

    def records(self, probe: Probe) -> Iterator[tuple[str, dict[str, Any]]]:
        """The probe's questions that are not written yet, by their keys."""
        for item, key, _ in self._keys.new_items(probe):
            yield (
                key,
                {
                    "question": item.text,
                    "imageId": item.image_id,
                    "answer": item.gold,
                    "questionId": key,
                    "type": item.test,
                    "group": item.suite,
                },
            )
