"""The caption and foil files that the authors of VALSE released, one per instrument.

A pair becomes a probe: the caption is the original, the foil its variant, and a model must find that the caption
matches the image better. Texts are kept as they were published; so are the pairs that annotators did not confirm,
which are marked as such. Every file is checked: captions, foils and the votes on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import Int64, JsonDecoder, read_bytes, sha256_of_bytes
from falter.data.items import ImageRef, Item, Probe
from falter.data.validation import PairVerdict, judge_votes
from falter.generation.authoring.importer import ImportContext, Importer, ImportLog, ReadFile
from falter.suites.valse.instruments import INSTRUMENTS, Instrument, published_id
from falter.suites.valse.options import ItemFormat, ValseOptions


class Votes(msgspec.Struct, frozen=True):
    """What the three annotators chose: the caption alone, the foil alone, or anything else."""

    caption: Int64
    foil: Int64
    other: Int64

    @property
    def valid(self) -> bool:
        """At least two of them chose the caption alone."""
        return self._verdict.valid

    @property
    def unanimous(self) -> bool:
        """All three of them chose the caption alone."""
        return self._verdict.unanimous

    @property
    def _verdict(self) -> PairVerdict:
        return judge_votes(self.caption, self.caption + self.foil + self.other)


class _Entry(msgspec.Struct):
    """An entry as released; what differs between instruments is left as it is. Made ones may have no votes."""

    dataset: str
    image_file: str
    caption: str
    foil: str
    mturk: Votes | None = None
    # Words, counts, lists of counts; once a boolean.
    classes: Any = None
    classes_foil: Any = None
    original_split: str | None = None
    foil_method: str | None = None
    provenance_of_foils: str | None = None


class Released(NamedTuple):
    """An entry and its key in the file."""

    key: str
    entry: _Entry


_entries = JsonDecoder(dict[str, msgspec.Raw], "a JSON object of entries")
_entry = JsonDecoder(_Entry, "an entry of VALSE")


def read_records(path: Path, raw: bytes) -> Iterator[Released]:
    """The entries of a file, in its order."""
    entries = _entries.decode(raw, path, hint="fetch the file anew")
    if not entries:
        raise InputError(path, "holds no entries", hint="fetch the file anew")
    for key, one in entries.items():
        entry = _entry.decode(one, path, record=key)
        _check(path, key, entry)
        yield Released(key, entry)


def _check(path: Path, key: str, entry: _Entry) -> None:
    for name in ("caption", "foil"):
        if not getattr(entry, name).strip():
            raise InputError(path, f"has an empty {name}", record=key)
    if not entry.image_file or PurePosixPath(entry.image_file).name != entry.image_file:
        raise InputError(path, f"names no picture, but {entry.image_file!r:.80}", record=key)
    votes = entry.mturk
    if votes is not None and min(votes.caption, votes.foil, votes.other) < 0:
        raise InputError(path, "has a negative number of votes", record=key)


QUESTION = "Which caption describes the picture?"
"""What is asked where a pair becomes a choice."""

DATASETS = {
    "visual7w": "Visual7W",
    "coco2017": "COCO 2017",
    "coco_2017": "COCO 2017",
    "SWiG": "SWiG",
    "VisDial_v1.0": "VisDial 1.0",
    "FOIL dataset": "FOIL it!",
}
DIRECTIONS = {
    "zero_to_something": "none-to-some",
    "something_to_zero": "some-to-none",
    "checklist method, change NP to PL": "sg2pl",
    "checklist method, change NP to SG": "pl2sg",
}
_COCO_2014 = re.compile(r"COCO_(?:train|val)2014_(?P<number>\d{12}\.jpg)")


class ValseRelease:
    """VALSE as released: captions and foils of eleven instruments, with the votes of three annotators on each pair."""

    citation = (
        "Parcalabescu, Cafagna, Muradjan, Frank, Calixto and Gatt (2022). VALSE: A Task-Independent Benchmark for "
        "Vision and Language Models Centered on Linguistic Phenomena"
    )
    licence = "MIT"

    options = ValseOptions

    def __init__(self, item_format: ItemFormat = "match") -> None:
        self.item_format = item_format
        self.name = "valse" if item_format == "match" else "valse-choice"
        asked = "captions and foils" if item_format == "match" else "a choice between caption and foil, in both orders"
        self.title = f"VALSE as published: {asked} for eleven instruments"

    def with_format(self, name: str) -> Importer:
        """The same release as items of another format: ``match`` or ``choice``."""
        match name:
            case "match" | "choice":
                return ValseRelease(name)
            case _:
                raise UsageError(f"--item-format of VALSE is match or choice, not {name!r}")

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The published name, and for pictures of COCO 2014 the name that COCO 2017 gives the same picture."""
        renamed = _COCO_2014.fullmatch(image_id)
        return (image_id,) if renamed is None else (image_id, renamed["number"])

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        folder, log = path, context.log
        names = {f"{instrument.file}.json": instrument for instrument in INSTRUMENTS}
        log.skipped += sorted(path.name for path in folder.iterdir() if path.name not in names or not path.is_file())
        there = [instrument for instrument in INSTRUMENTS if (folder / f"{instrument.file}.json").is_file()]
        if not there:
            raise InputError(folder, "holds no file of VALSE", hint="give the folder with files such as existence.json")
        if len(there) < len(INSTRUMENTS):
            absent = ", ".join(f"{one.file}.json" for one in INSTRUMENTS if one not in there)
            log.notes.append(f"{len(INSTRUMENTS) - len(there)} of the 11 instruments are not there: {absent}.")
        for instrument in there:
            yield from self._of_instrument(folder / f"{instrument.file}.json", instrument, log)
        for count, told in (
            ("equal_texts", "foils equal their captions"),
            ("left_out_equal_texts", "pairs are left out, for their foils equal their captions"),
        ):
            if log.counts[count]:
                log.notes.append(f"{log.counts[count]} {told}.")

    def _of_instrument(self, path: Path, instrument: Instrument, log: ImportLog) -> Iterator[Probe]:
        raw = read_bytes(path)
        pairs = 0
        for number, released in enumerate(read_records(path, raw)):
            votes = released.entry.mturk
            log.counts["valid"] += votes is not None and votes.valid
            log.counts["unanimous"] += votes is not None and votes.unanimous
            alike = released.entry.caption == released.entry.foil
            if self.item_format == "choice":
                log.counts["left_out_equal_texts"] += alike
                if alike:
                    continue
                yield _choice(instrument, released, number)
            else:
                log.counts["equal_texts"] += alike
                yield _match(instrument, released, number)
            pairs += 1
        log.files[path.name] = ReadFile(sha256_of_bytes(raw), pairs)


def _match(instrument: Instrument, released: Released, place: int) -> Probe:
    entry = released.entry
    shared = _shared(instrument, released)
    return Probe(
        tuple(
            Item.make(
                **shared,
                variant=number,
                suite="valse",
                expects="prefer",
                task="match",
                text=text,
                gold="no" if number else "yes",
                source_id=published_id(instrument.file, place, kind),
            )
            for number, (kind, text) in enumerate((("caption", entry.caption), ("foil", entry.foil)))
        )
    )


def _choice(instrument: Instrument, released: Released, place: int) -> Probe:
    entry = released.entry
    shared = _shared(instrument, released)
    orders = ((entry.caption, entry.foil), (entry.foil, entry.caption))
    return Probe(
        tuple(
            Item.make(
                **shared,
                variant=number,
                suite="valse-choice",
                text=QUESTION,
                gold=entry.caption,
                choices=choices,
                source_id=published_id(instrument.file, place, ("caption-first", "foil-first")[number]),
            )
            for number, choices in enumerate(orders)
        )
    )


def _shared(instrument: Instrument, released: Released) -> dict[str, Any]:
    """What both items of a pair have alike."""
    entry = released.entry
    facets = {
        "instrument": instrument.test,
        "piece": instrument.piece,
    }
    if entry.mturk is not None:
        facets |= {"valid": _yes_no(entry.mturk.valid), "unanimous": _yes_no(entry.mturk.unanimous)}
    facets["dataset"] = DATASETS.get(entry.dataset, entry.dataset)
    direction = _direction(instrument, released)
    if direction is not None:
        facets["direction"] = direction
    extra = {
        "key": released.key,
        "file": f"{instrument.file}.json",
        "split": entry.original_split,
        "votes": entry.mturk,
        "classes": entry.classes,
        "classes_foil": entry.classes_foil,
    }
    return {
        "probe_id": f"{instrument.file}-{released.key}",
        "test": instrument.test,
        "image": ImageRef(entry.image_file),
        "facets": facets,
        "extra": msgspec.json.encode(extra).decode(),
    }


def _direction(instrument: Instrument, released: Released) -> str | None:
    """Which way the foil changes the caption, where the release tells of two."""
    entry = released.entry
    if instrument.piece == "coreference" and isinstance(entry.classes, str) and isinstance(entry.classes_foil, str):
        return f"{entry.classes}-to-{entry.classes_foil}"
    return DIRECTIONS.get(entry.provenance_of_foils or entry.foil_method or "")


def _yes_no(flag: bool) -> str:
    return "yes" if flag else "no"


VALSE_RELEASE = ValseRelease()
