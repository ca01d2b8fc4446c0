"""Files of predictions as the authors of a benchmark release them: what a bundle's layout makes of one.

Released predictions often have no ids that a suite could go by: they are in the order of a published file, or an id
counts within one of several. So a layout of whole files gets the rows of the suite, and gives every prediction the
published id of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from falter.errors import InputError
from falter.files import open_parquet
from falter.probes import Suite
from falter.probes.schema import ITEM_SCHEMA

__all__ = [
    "FileLayout",
    "OddRecords",
    "ReleasedPrediction",
    "ReleasedPredictions",
    "SuiteRow",
    "read_suite_rows",
]

_EXAMPLES = 3


class SuiteRow(NamedTuple):
    """What a layout may know of a row of the suite, in the suite's order."""

    source_id: str
    test: str
    variant: int
    text: str
    image_id: str | None
    gold: str | None
    choices: tuple[str, ...] | None


class ReleasedPrediction(NamedTuple):
    """One prediction: where it stands, the published id that it is for, and its fields as in Falter's own layout.

    The fields are answer, text, score, score_kind; beside a text, an answer is taken as it is and not read from it.
    ``status`` may be ``unparsed``: the text holds no answer by the benchmark's own reading.
    """

    record: str
    source_id: str
    fields: Mapping[str, Any]


class ReleasedPredictions(NamedTuple):
    """The predictions of a released file or folder."""

    rows: Sequence[ReleasedPrediction]
    files: tuple[Path, ...]
    """The files that were read."""
    notes: tuple[str, ...] = ()
    """What is odd about them, told before the run."""


@runtime_checkable
class FileLayout(Protocol):
    """Reads a released file, or a folder of them, as a whole; one of the layouts of a bundle."""

    def read_file(self, path: Path, rows: Callable[[], Sequence[SuiteRow]]) -> ReleasedPredictions | None:
        """The predictions, or None where the file is in another layout; a malformed one is an InputError."""
        ...


@dataclass
class OddRecords:
    """Records of a file that are odd, by what is odd about them: each is named, and all are counted."""

    path: Path
    _found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, record: str) -> None:
        """Write down a record; the reason goes on after the number of records, such as "hold no answer"."""
        self._found.setdefault(reason, []).append(record)

    def notes(self) -> tuple[str, ...]:
        """One sentence for each reason."""
        return tuple(
            f"records of {self.path.name} that {reason}: {len(records):,} ({_name(records)})"
            for reason, records in self._found.items()
        )

    def refuse(self, reason: str, *, hint: str = "") -> None:
        """Stop where a record was written down for this reason."""
        records = self._found.get(reason, [])
        if records:
            counted = f"records that {reason}: {len(records):,} ({_name(records)})"
            raise InputError(self.path, counted, record=records[0], hint=hint)


def _name(records: Iterable[str]) -> str:
    names = list(records)
    return ", ".join(names[:_EXAMPLES]) + (", ..." if len(names) > _EXAMPLES else "")


def read_suite_rows(suite: Suite) -> Sequence[SuiteRow]:
    """The rows of a suite that have published ids."""
    return tuple(_rows(suite))


def _rows(suite: Suite) -> Iterator[SuiteRow]:
    columns = list(SuiteRow._fields)
    for batch in open_parquet(suite.items_path, ITEM_SCHEMA).iter_batches(columns):
        for values in zip(*(batch.column(name).to_pylist() for name in columns), strict=True):
            row = SuiteRow(*values)
            if row.source_id is not None:
                yield row._replace(choices=None if row.choices is None else tuple(row.choices))
