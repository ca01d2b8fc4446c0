"""Importing a small release, and scoring a file of predictions on it, as the command line does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from falter.api.model_jobs import prepare_run
from falter.data.suite import Suite, open_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.measures.results import Score
from falter.evaluation.models import load_model
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.score_options import ScoreOptions
from falter.generation.authoring.importer import import_suite, load_importer
from falter.generation.authoring.options import ImportOptions


def imported(name: str, path: Path, out: Path, **options: Any) -> Suite:
    importer = load_importer(name)
    own = importer.options(**options) if importer.options is not None else None
    import_suite(importer, path, out, ImportOptions(release_options=own))
    return open_suite(out)


def json_lines(path: Path, rows: Iterable[Mapping[str, Any]], end: str = "\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(json.dumps(row) + end for row in rows).encode())
    return path


def json_file(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


class Scored:
    """The scores of a predictions file on a suite, and what was told before the run."""

    def __init__(self, suite: Suite, predictions: Path, out: Path, by: tuple[str, ...] = ()) -> None:
        setup = prepare_run(suite)
        model = load_model(f"file:{predictions}", setup.context)
        preflight = model.capabilities.preflight
        assert preflight is not None
        self.run = run_suite(suite, model, out)
        asked = suite.to_polars().select("item_id", "source_id").iter_rows()
        self.notes = list(preflight(list(asked)))
        self.scores: list[Score] = score_run(self.run, ScoreOptions(by=tuple(by), n_resamples=0))

    def value(self, measure: str, test: str, facet: str | None = None, value: str | None = None) -> float | None:
        (found,) = [
            one
            for one in self.scores
            if one.measure == measure and (one.group.test, one.group.facet, one.group.value) == (test, facet, value)
        ]
        return found.value
