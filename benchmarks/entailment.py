"""The filter of contradictions against the released NLI labels and the votes of annotators.

    python benchmarks/entailment.py [FOLDER] [--entailment rules] [--json] [--short]

Prints, for each instrument of the release that has NLI labels (plurality, relations, action replacement): how the
filter's labels go with those of the released model (``nli_scores.pred``), and how each of the two goes with the votes.
A foil is *valid* where at least two of three annotators chose the caption alone, else *rejected*.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from _short_form import DATA, parse_options

from falter.core.files import read_json
from falter.generation.nlp.entailment import TextPair, load_entailment_model

LABELS = ("contradiction", "neutral", "entailment")
RELEASED = {"contradict": "contradiction", "neutral": "neutral", "entail": "entailment", "entailment": "entailment"}
INSTRUMENTS = ("plurals", "relations", "action-replacement")
VOTES = ("valid", "rejected")

Table = dict[str, dict[str, int]]


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("folder", type=Path, nargs="?", default=DATA / "valse", help="the released files")
    arguments.add_argument("--pairs", type=int, help="so many of each instrument (by default all)")
    arguments.add_argument("--entailment", default="rules")
    arguments.add_argument("--json", action="store_true")
    options = parse_options(arguments, given, pairs=20)
    if not options.folder.is_dir():
        print(f"no released files at {options.folder}: nothing to compare with")
        return
    model = load_entailment_model(options.entailment)
    found: dict[str, dict[str, Table]] = {}
    for name in INSTRUMENTS:
        entries = list(read_json(options.folder / f"{name}.json", dict[str, dict[str, Any]]).values())[: options.pairs]
        own = [one.label for one in model.judge([TextPair(one["caption"], one["foil"]) for one in entries])]
        released = [RELEASED[one["nli_scores"]["pred"][0]] for one in entries]
        votes = [VOTES[one["mturk"]["caption"] < 2] for one in entries]
        found[name] = {
            "released label by filter's": cross(released, own, LABELS, LABELS),
            "votes by filter's label": cross(votes, own, VOTES, LABELS),
            "votes by released label": cross(votes, released, VOTES, LABELS),
        }
    if options.json:
        print(json.dumps({"model": model.name, "tables": found}, indent=2))
        return
    print(f"model: {model.name}")
    for name, tables in found.items():
        for title, table in tables.items():
            print(f"\n{name}: {title}\n{'':14}" + "".join(f"{label:>14}" for label in LABELS))
            for row, cells in table.items():
                print(f"{row:14}" + "".join(f"{cells[label]:14,}" for label in LABELS))


def cross(rows: list[str], columns: list[str], row_names: tuple[str, ...], column_names: tuple[str, ...]) -> Table:
    """How often each row goes with each column."""
    counts = Counter(zip(rows, columns, strict=True))
    return {row: {column: counts[row, column] for column in column_names} for row in row_names}


if __name__ == "__main__":
    main()
