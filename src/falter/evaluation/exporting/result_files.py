"""A run as result files for an evaluation server: VQA's and GQA's, one file for each set of questions.

A server takes one answer an id. Originals make a file; variants have the id of their question, so that each kind of
them makes a file: for basic questions a file a partition, as the paper sent them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.core.errors import InputError
from falter.core.files import write_atomically
from falter.data.items import Item
from falter.data.model import own_id
from falter.evaluation.runs import Run

__all__ = ["GQA_RESULTS", "VQA_RESULTS", "ResultFiles"]

_LEVELS = ("partition", "similarity", "appended", "control", "direction", "augmentation")
"""Facets by which the variants of a question are told apart; others are told by their number."""


class ResultFiles(NamedTuple):
    """Writes ``SUITE-TEST-SET.json``: a list of ids and answers under the names that a server wants."""

    id_field: str
    answer_field: str
    numeric: bool
    """Ids that are whole numbers are written as numbers."""

    def write(self, run: Run, folder: Path, out: Path) -> dict[str, int]:
        del out
        answers = _answers(run)
        found: dict[str, dict[str, str]] = {}
        for item, name in _asked(run):
            if item.source_id is None:
                continue
            said = answers.get(own_id(item.item_id, item.source_id), answers.get(item.item_id, ""))
            results = found.setdefault(name, {})
            if results.setdefault(item.source_id, said) != said:
                raise InputError(
                    run.folder,
                    f"has two answers to the question {item.source_id} in {name}",
                    hint="export a suite whose published ids are ids of one question",
                )
        if not found:
            hint = "export a run on a suite that was imported, or generated from published questions"
            raise InputError(run.folder, "is of a suite whose items have no published ids", hint=hint)
        for name, results in found.items():
            records = [{self.id_field: self._id(one), self.answer_field: said} for one, said in results.items()]
            write_atomically(folder / name, b"[\n" + b",\n".join(map(msgspec.json.encode, records)) + b"\n]\n")
        return {name: len(results) for name, results in found.items()}

    def _id(self, source_id: str) -> str | int:
        return int(source_id) if self.numeric and source_id.isascii() and source_id.isdigit() else source_id


def _asked(run: Run) -> Iterator[tuple[Item, str]]:
    """The items that the run is about, each with the name of its file."""
    probes = run.probe_ids()
    for item in run.suite().items():
        if probes is None or item.probe_id in probes:
            name = f"{item.suite}-{item.test}-{_level(item.variant, item.facets)}"
            yield item, f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}.json"


def _level(variant: int, facets: Mapping[str, str]) -> str:
    if not variant:
        return "original"
    named = next((name for name in _LEVELS if name in facets), None)
    return f"variant-{variant}" if named is None else f"{named}-{facets[named]}"


def _answers(run: Run) -> dict[str, str]:
    """By id of a reply its answer; what could not be read is an empty answer, which a server counts as wrong."""
    rows: list[dict[str, Any]] = run.replies().select("item_id", "status", "answer").to_dicts()
    return {row["item_id"]: row["answer"] or "" for row in rows if row["status"] == "ok"}


VQA_RESULTS = ResultFiles("question_id", "answer", numeric=True)
GQA_RESULTS = ResultFiles("questionId", "prediction", numeric=False)
