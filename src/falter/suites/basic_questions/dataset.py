"""The ranked data sets GBQD and YNBQD, in the paper's form: an image, a main question, 21 basic ones with scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from falter.core.errors import InputError
from falter.core.files import atomic_file, open_parquet, read_json

__all__ = ["BasicQuestion", "Certificate", "RankedQuestion", "dataset_name", "read_dataset", "write_dataset"]

_ROWS = 8192
_REMEDY = "make it with falter basic-questions rank"

SCHEMA = pa.schema(
    [
        pa.field("image", pa.string()),
        pa.field("question_id", pa.string()),
        pa.field("MQ", pa.string(), nullable=False),
        pa.field("BQs", pa.list_(pa.struct([("BQ", pa.string()), ("score", pa.float64())])), nullable=False),
    ]
)


_CERTIFIED = SCHEMA.append(pa.field("gap", pa.float64())).append(pa.field("certified", pa.bool_()))
"""With the certificates of rankings by an optimisation; files of earlier versions have none."""


class Certificate(NamedTuple):
    """How far a ranking by an optimisation is from exact: its duality gap (None: not finite), and if that is enough."""

    gap: float | None
    certified: bool


class BasicQuestion(msgspec.Struct, frozen=True):
    """One basic question with its score."""

    text: str = msgspec.field(name="BQ")
    score: float


class RankedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A main question and its basic ones, the most alike first."""

    main: str = msgspec.field(name="MQ")
    basics: tuple[BasicQuestion, ...] = msgspec.field(name="BQs")
    image: str | None = None
    question_id: str | None = None
    gap: float | None = None
    certified: bool | None = None
    """None where no optimisation ranked."""

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of the ranking, where it has one."""
        return None if self.certified is None else Certificate(self.gap, self.certified)


def dataset_name(kind: str, ranker: str | None = None) -> str:
    """GBQD or YNBQD, with the ranker after it where there are several."""
    name = "YNBQD" if kind == "yesno" else "GBQD"
    return name if ranker is None else f"{name}-{ranker}"


def write_dataset(folder: Path, name: str, questions: Iterable[RankedQuestion]) -> int:
    """Write ``NAME.parquet`` and ``NAME.json`` side by side, some rows in memory at a time; gives their number."""
    number = 0
    with atomic_file(folder / f"{name}.parquet") as table, atomic_file(folder / f"{name}.json") as text:
        writer = pq.ParquetWriter(table, _CERTIFIED, compression="zstd")
        text.write(b"[")
        rows: list[dict[str, Any]] = []
        for question in questions:
            row = {
                "image": question.image,
                "question_id": question.question_id,
                "MQ": question.main,
                "BQs": [{"BQ": one.text, "score": one.score} for one in question.basics],
                "gap": question.gap,
                "certified": question.certified,
            }
            text.write(b"\n" if number == 0 else b",\n")
            text.write(msgspec.json.encode(row))
            rows.append(row)
            number += 1
            if len(rows) == _ROWS:
                writer.write_table(pa.Table.from_pylist(rows, schema=_CERTIFIED))
                rows.clear()
        writer.write_table(pa.Table.from_pylist(rows, schema=_CERTIFIED))
        writer.close()
        text.write(b"\n]\n")
    return number


def read_dataset(path: Path) -> Iterator[RankedQuestion]:
    """The questions of a ranked data set, Parquet or JSON; scores must not rise."""
    if not path.is_file():
        raise InputError(path, "there is no such ranked data set")
    for number, question in enumerate(_of_json(path) if path.suffix == ".json" else _of_parquet(path)):
        scores = [one.score for one in question.basics]
        if scores != sorted(scores, reverse=True):
            raise InputError(
                path, "has basic questions that are not in the order of their scores", record=f"[{number}]"
            )
        yield question


def _of_json(path: Path) -> Iterator[RankedQuestion]:
    yield from read_json(path, list[RankedQuestion], what="a ranked data set", hint=_REMEDY)


def _of_parquet(path: Path) -> Iterator[RankedQuestion]:
    file = open_parquet(path, SCHEMA, hint=_REMEDY)
    names = [name for name in _CERTIFIED.names if name in file.names]
    try:
        for batch in file.iter_batches(names, batch_size=_ROWS):
            yield from msgspec.convert(batch.to_pylist(), type=list[RankedQuestion])
    except msgspec.ValidationError as error:
        raise InputError(path, f"is not a ranked data set: {error}", hint=_REMEDY) from error
