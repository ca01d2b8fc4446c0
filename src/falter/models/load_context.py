"""What a model may need when it is loaded: scenes, training questions, plugin folders, options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from falter.bundle import BUNDLES
from falter.files import open_parquet, read_parquet
from falter.models.options import ModelOptions
from falter.models.released_files import FileLayout, SuiteRow
from falter.models.usage import Usage
from falter.probes import Suite
from falter.probes.schema import ITEM_SCHEMA
from falter.sources import Source

__all__ = ["Layout", "LoadContext", "find_yes_no", "score_file_layouts"]

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
