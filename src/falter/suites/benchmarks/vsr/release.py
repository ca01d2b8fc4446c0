"""The statements that the authors of VSR released, in a random and a zero-shot split.

A statement becomes a probe without variants: does it match the image? Its split is its test, its line its id. The
options of ``falter import vsr`` say which part of each split is imported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from falter.core.errors import InputError
from falter.core.files import read_records, read_text
from falter.data.items import ImageRef, Item, Probe
from falter.generation.authoring.importer import PUBLISHED, ImportContext, ImportLog, coco_names, leave_out, log_file

Part = Literal["test", "dev", "train"]


class VsrOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of each split is imported."""

    part: Annotated[Part, Meta(description="The part of each split: test, dev or train. Default: test.")] = "test"


SPLITS = ("random", "zeroshot")
CATEGORIES = "rel_meta_category_dict.txt"
_OWN_FIELDS = {"random": {"reference_frame"}, "zeroshot": {"subj", "obj"}}
"""Fields of the statements of one split alone, as released (counted over all files of both)."""
_NO_CATEGORY = "none"


class VsrRelease:
    """VSR as released: statements with a label, 1 for true and 0 for false."""

    name = "vsr"
    title = "VSR as published: whether a spatial statement is true of the image"
    citation = "Liu, Emerson and Collier (2023). Visual Spatial Reasoning"
    licence = "Apache-2.0"
    options = VsrOptions
    takes_file = True

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The name in COCO 2017, and those that COCO 2014 gives the same image."""
        return coco_names(image_id)

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        options = context.options if isinstance(context.options, VsrOptions) else VsrOptions()
        context.manifest.parameters["part"] = options.part
        files = _find(path, options.part)
        categories = _read_categories(path, context.log)
        problems: list[tuple[str, str]] = []
        without: set[str] = set()
        for split, file in files.items():
            made = 0
            for number, row in enumerate(read_records(file), start=1):
                problem = row.problem or _problem(row.values)
                if problem:
                    problems.append((f"{split}/{file.name}, {row.record}", problem))
                    continue
                made += 1
                if categories and row.values["relation"] not in categories:
                    without.add(row.values["relation"])
                yield _probe(row.values, split, f"{split}:{number}", categories)
            log_file(context.log, file, made, f"{split}/{file.name}")
        if without:
            context.log.notes.append(
                f"No category has the relation {', '.join(sorted(without))}: it is {_NO_CATEGORY!r}."
            )
        leave_out(context.log, problems)


def _find(path: Path, part: str) -> Mapping[str, Path]:
    """By split its file; a folder or a file of one split counts as well."""
    if path.is_file():
        return {_split_of(path): path}
    name = f"{part}.jsonl"
    there = [path / split / name for split in SPLITS]
    found = {_split_of(file): file for file in there if file.is_file()}
    if not found and (path / name).is_file():
        found = {_split_of(path / name): path / name}
    if not found:
        raise InputError(path, f"holds no {name} of VSR", hint=f"give the folder with random/{name} or zeroshot/{name}")
    return found


def _split_of(file: Path) -> str:
    """The split of a file, by its folder and by the fields that the statements of one split alone have."""
    folder = file.resolve().parent.name
    named = next((split for split in SPLITS if split in folder), None)
    first = next((row.values for row in read_records(file)), {})
    told = next((split for split, fields in _OWN_FIELDS.items() if not fields.isdisjoint(first)), None)
    if named is not None and told is not None and named != told:
        raise InputError(
            file, f"holds statements of the {told} split, in a folder {folder!r:.60}", hint=f"name the folder {told}"
        )
    split = named or told
    if split is None:
        hint = f"put it into a folder {' or '.join(SPLITS)}"
        raise InputError(file, f"does not say of which split it is, {' or '.join(SPLITS)}", hint=hint)
    return split


def _read_categories(path: Path, log: ImportLog) -> Mapping[str, str]:
    """By relation its category, from the file beside the splits; a relation in two has the later one."""
    folder = path if path.is_dir() else path.parent
    places = (folder, folder.resolve().parent, folder.resolve().parent.parent / "analysis_scripts")
    file = next((place / CATEGORIES for place in places if (place / CATEGORIES).is_file()), None)
    if file is None:
        log.notes.append(f"{CATEGORIES} is not there: relations have no categories.")
        return {}
    found: dict[str, str] = {}
    twice: list[str] = []
    for line in read_text(file).splitlines():
        category, separator, relations = line.partition(":")
        for relation in (one.strip() for one in relations.split(",") if separator and one.strip()):
            twice += [relation] if relation in found else []
            found[relation] = category.strip()
    log_file(log, file, 0)
    if twice:
        named = ", ".join(f"{one!r} ({found[one]})" for one in twice)
        log.notes.append(f"{CATEGORIES} has a relation in two categories, the later counts: {named}.")
    return found


def _problem(values: Mapping[str, Any]) -> str:
    for name in ("caption", "relation", "image"):
        if not isinstance(values.get(name), str) or not values[name].strip():
            return f"it has no {name}"
    if str(values.get("label")) not in ("0", "1"):
        return "its label is neither 0 nor 1"
    return ""


def _probe(values: Mapping[str, Any], split: str, source_id: str, categories: Mapping[str, str]) -> Probe:
    facets = {"relation": values["relation"], "labels": PUBLISHED}
    if categories:
        facets["category"] = categories.get(values["relation"], _NO_CATEGORY)
    frame = values.get("reference_frame")
    if isinstance(frame, int | float):
        facets["reference_frame"] = f"{frame:g}"
    return Probe.of(
        Item.make(
            suite="vsr",
            test=split,
            probe_id=source_id,
            expects="each",
            task="match",
            image=ImageRef(values["image"]),
            text=values["caption"],
            gold="yes" if str(values["label"]) == "1" else "no",
            source_id=source_id,
            facets=facets,
        )
    )


VSR_RELEASE = VsrRelease()
