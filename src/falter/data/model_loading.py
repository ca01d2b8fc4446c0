"""What a model may need when it is loaded: scenes, training questions, plugin folders, options, released predictions.

Released predictions often have no ids that a suite could go by: they are in the order of a published file, or an id
counts within one of several. So a layout of whole files gets the rows of the suite, and gives every prediction the
published id of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from falter.core.bundle import BUNDLES
from falter.core.errors import InputError, UsageError
from falter.core.files import open_parquet, read_parquet
from falter.core.registry import Registry
from falter.data.images import Source
from falter.data.items import Task
from falter.data.model import Model
from falter.data.model_options import ModelOptions
from falter.data.suite import ITEM_SCHEMA, Suite
from falter.data.usage import Usage

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
            f"records of {self.path.name} that {reason}: {len(records):,} ({_format_records(records)})"
            for reason, records in self._found.items()
        )

    def refuse(self, reason: str, *, hint: str = "") -> None:
        """Stop where a record was written down for this reason."""
        records = self._found.get(reason, [])
        if records:
            counted = f"records that {reason}: {len(records):,} ({_format_records(records)})"
            raise InputError(self.path, counted, record=records[0], hint=hint)


def _format_records(records: Iterable[str]) -> str:
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


Layout = Callable[[Mapping[str, Any]], tuple[str, Mapping[str, Any]] | None]
"""Parses a row of a score file that was released with a suite: the published id and the prediction, under the names of
Falter's own layout (answer, text, score, score_kind); None for a row in another layout, ValueError for a bad one."""


@dataclass(frozen=True)
class LoadContext:
    """Passed to the loader of every model."""

    scenes: Source | None = None
    train: Source | None = None
    plugin_dirs: tuple[Path, ...] = ()
    """Folders of plugins (``--plugin-dir``): words and templates of the user."""
    options: ModelOptions = field(default_factory=ModelOptions)
    """Options of models with weights and of servers."""
    usage: Usage = field(default_factory=Usage)
    """Requests and cost so far; models loaded with one context share one budget."""
    layouts: tuple[Layout | FileLayout, ...] = ()
    """Layouts of score files that were released with the suite: of single rows, and of whole files."""
    suite_rows: Callable[[], Sequence[SuiteRow]] | None = None
    """The rows of the suite, for layouts of whole files; None where there is no suite."""
    yes_no_ids: Callable[[], Iterable[tuple[str, str | None]]] = lambda: ()
    """The item ids and the published ids of the suite's yes/no questions, looked up when they are needed."""


def score_file_layouts(suite: Suite | None = None) -> tuple[Layout | FileLayout, ...]:
    """The layouts of released score files that the bundles of a suite know, or those of every bundle."""
    if suite is None:
        bundles = BUNDLES.available()
    else:
        names = open_parquet(suite.items_path, ["suite"]).read(["suite"])["suite"].unique().to_pylist()
        bundles = [bundle for bundle in BUNDLES.available() if any(name in bundle.suite_names for name in names)]
    return tuple(layout for bundle in bundles for layout in bundle.get("layouts"))


def find_yes_no(suite: Suite) -> Iterator[tuple[str, str | None]]:
    """The item ids and the published ids of the questions whose choices are yes and no."""
    import polars as pl
    import pyarrow as pa

    schema = pa.schema([ITEM_SCHEMA.field(name) for name in ("item_id", "source_id", "choices")])
    items = pl.from_arrow(read_parquet(suite.items_path, schema))
    assert isinstance(items, pl.DataFrame)
    chosen = items.filter(pl.col("choices").list.sort().list.join("/") == "no/yes")
    yield from chosen.select("item_id", "source_id").iter_rows()


@dataclass(frozen=True)
class SpecOptions:
    """The ``key=value`` pairs of a spec."""

    name: str
    values: Mapping[str, str] = field(default_factory=dict)

    def number(self, key: str, default: float, *, low: float, high: float) -> float:
        """A number within limits."""
        try:
            value = float(self.values.get(key, default))
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise UsageError(
                f"builtin:{self.name}: {key} is a number from {low:g} to {high:g}, not {self.values[key]!r}"
            )
        return value

    def whole(self, key: str, default: int) -> int:
        """A whole number."""
        try:
            return int(self.values.get(key, default))
        except ValueError:
            raise UsageError(f"builtin:{self.name}: {key} is a whole number, not {self.values[key]!r}") from None


@dataclass(frozen=True)
class Builtin:
    """A builtin model: what ``falter list models`` shows, and its loader."""

    make: Callable[[SpecOptions, LoadContext], Model]
    summary: str
    tasks: tuple[Task, ...]
    needs: str = "nothing"
    """What it needs, in words that begin with the option that gives it; ``@SOURCE`` in a spec gives the same."""
    options: tuple[str, ...] = ()


class StatementWriter(Protocol):
    """Turns a question with its choices into statements, for models that compare texts with an image."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever it would write otherwise."""
        ...

    def for_question(self, text: str, choices: Sequence[str] | None = None) -> dict[str, str] | None:
        """A statement for each choice of a question; None where the question cannot be read."""
        ...


STATEMENT_WRITERS: Registry[Callable[..., StatementWriter]] = Registry("statement writer", "falter.statement_writers")
"""By language what makes a writer from the folders of the user's plugins."""
