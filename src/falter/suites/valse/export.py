"""Captions and foils as files in VALSE's released form, one per instrument; ``falter import valse`` reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from falter.core.errors import FalterError, InputError
from falter.core.files import JsonDecoder, write_atomically
from falter.data.blind_checks import is_pair
from falter.data.items import Item, Probe
from falter.data.suite import Suite
from falter.data.votes import read_votes
from falter.suites.valse.instruments import INSTRUMENTS
from falter.suites.valse.release import DATASETS, DIRECTIONS

_FILES = {one.test: one.file for one in INSTRUMENTS}
_SOURCES = {"relations": "coco_2017"}
"""Instruments whose file names a data set otherwise than the others do."""
_BY_TITLE = {title: name for name, title in reversed(DATASETS.items())}
_METHODS = {direction: method for method, direction in DIRECTIONS.items()}
_extra = JsonDecoder(dict[str, Any], "a JSON object")


class ValseFiles:
    """Writes ``FILE.json`` for every test of captions and foils, by the release's name of the instrument or its own.

    ``mturk`` has the counts of votes: those of ``votes.parquet``, else the released ones; without votes there is none.
    """

    def write(self, suite: Suite, folder: Path, out: Path) -> dict[str, int]:
        del out
        tallies = _tallies(suite)
        entries: dict[str, dict[str, Any]] = {}
        for probe in suite.probes():
            if is_pair(probe):
                file = entries.setdefault(f"{_file_stem(probe.original.test)}.json", {})
                for key, entry in _entries(probe, tallies.get(probe.probe_id)):
                    if key in file:
                        raise FalterError(f"two pairs have the key {key!r}; give their probes other ids")
                    file[key] = entry
        for name, found in entries.items():
            write_atomically(folder / name, msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")
        return {name: len(found) for name, found in entries.items()}


def _entries(probe: Probe, tally: dict[str, int] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    caption = probe.original
    told = _read_extra(caption)
    for foil in probe.variants:
        own = _read_extra(foil)
        key = str(told.get("key") or probe.probe_id)
        entry = {
            "dataset": _dataset(caption),
            "original_split": told.get("split"),
            "linguistic_phenomena": caption.facets.get("piece", caption.test),
            "image_file": _image_file(caption),
            "caption": caption.text,
            "classes": own.get("classes"),
            "classes_foil": own.get("classes_foil"),
            **_method(caption),
            "mturk": tally or told.get("votes"),
            "foil": foil.text,
        }
        yield (
            key if len(probe.variants) == 1 else f"{key}-{foil.variant}",
            {name: value for name, value in entry.items() if value is not None},
        )


def _tallies(suite: Suite) -> dict[str, dict[str, int]]:
    """By pair the votes for the caption alone, for the foil alone, and for anything else."""
    found: dict[str, Counter[str]] = {}
    for vote in read_votes(suite.folder):
        if vote.probe_id is not None:
            answer = vote.answer if vote.answer in ("caption", "foil") else "other"
            found.setdefault(vote.probe_id, Counter())[answer] += 1
    return {pair: {name: count[name] for name in ("foil", "caption", "other")} for pair, count in found.items()}


def _file_stem(test: str) -> str:
    stem = _FILES.get(test, test)
    return "".join(one if one.isalnum() or one in "-_" else "-" for one in stem)


def _dataset(item: Item) -> str:
    title = item.facets.get("dataset", item.suite)
    name = _BY_TITLE.get(title, title)
    return _SOURCES.get(item.test, name) if name.startswith("coco") else name


def _method(item: Item) -> dict[str, str]:
    """How the direction of a foil is said in the files of existence and plurality."""
    method = _METHODS.get(item.facets.get("direction", ""))
    if method is None:
        return {}
    return {"foil_method" if "checklist" in method else "provenance_of_foils": method}


def _image_file(item: Item) -> str:
    """The file's name; the image's id where the suite has no file."""
    return PurePosixPath(str(item.image_id or item.image or item.item_id).replace("\\", "/")).name or item.item_id


def _read_extra(item: Item) -> dict[str, Any]:
    if item.extra is None:
        return {}
    try:
        return _extra.decode(item.extra, "items.parquet")
    except InputError:
        return {}


VALSE_FILES = ValseFiles()
