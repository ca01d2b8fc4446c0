"""An importer of a released benchmark: one JSONL file of questions about photographs of street signs.

A record has ``id``, ``image``, ``question``, ``options`` and ``answer``. It may have ``rephrased``: the same question
in other words, whose answer must be the same.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from falter.extend import PUBLISHED, ImageRef, ImportContext, Item, Probe, SuiteBundle, leave_out, log_file, read_table


class StreetSigns:
    """The questions in their published order; records that cannot be used are left out and counted."""

    name = "street-signs"
    title = "Street signs: questions with choices"
    citation = "A. Author (2026). Street Signs"
    licence = "CC BY 4.0"
    options = None  # a msgspec.Struct, where the importer has options of its own
    takes_file = True

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        problems, usable = [], 0
        for row in read_table(path):  # also CSV, TSV, JSON and Parquet; a damaged record has a problem
            problem = row.problem or find_problem(row.values)
            if problem:
                problems.append((row.record, problem))
            else:
                usable += 1
                yield probe_from(row.values)
        leave_out(context.log, problems)
        log_file(context.log, path, usable)


def find_problem(values: Mapping[str, Any]) -> str:
    return "" if values.get("answer") in values.get("options", ()) else "its answer is not among its options"


def probe_from(values: Mapping[str, Any]) -> Probe:
    original = Item.make(
        suite="street-signs",
        test="signs",
        probe_id=str(values["id"]),
        source_id=str(values["id"]),  # files of predictions are joined by it
        expects="same",
        image=ImageRef(Path(values["image"]).stem),  # the file of this name in --image-dir is copied
        text=values["question"],
        choices=tuple(values["options"]),
        gold=values["answer"],
        facets={"labels": PUBLISHED},
    )
    text = values.get("rephrased")
    return Probe.of(original, *([original.change(text=text, variant=1)] if text else []))


BUNDLE = SuiteBundle(name="street-signs", title=StreetSigns.title, importers={"street-signs": StreetSigns()})
