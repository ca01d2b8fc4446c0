"""The question files that the authors of POPE released, one per way of choosing the absent objects.

A question becomes a probe without variants, and its file a test: random, popular or adversarial. Texts are kept as they
were published, "imange" in the older release among them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from falter.core.errors import InputError
from falter.core.files import read_records
from falter.data.items import YES_NO, ImageRef, Item, Probe
from falter.generation.authoring.importer import (
    PUBLISHED,
    ImportContext,
    coco_names,
    leave_out,
    log_file,
    skip_others,
)

TESTS = ("random", "popular", "adversarial")
_NAME = re.compile(rf"(?P<data>[a-z0-9-]+)_pope_(?P<test>{'|'.join(TESTS)})\.jsonl?", re.IGNORECASE)
_OBJECT = re.compile(r"is there (?:an?|the) (?P<object>.+?) in the im(?:an)?age", re.IGNORECASE)


class PopeRelease:
    """POPE as released: the questions of each file in their order."""

    name = "pope"
    title = "POPE as published: whether an object is in the image"
    citation = (
        "Li, Du, Zhou, Wang, Zhao and Wen (2023). Evaluating Object Hallucination in Large Vision-Language Models"
    )
    licence = "MIT"
    options = None
    takes_file = True

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The published name, and the name that COCO 2017 gives the same image."""
        return coco_names(image_id)

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        files = _find(path)
        if path.is_dir():
            skip_others(context.log, path, files)
        several = len({match["data"].lower() for match in files.values()}) > 1
        problems: list[tuple[str, str]] = []
        for file, match in files.items():
            test = match["test"].lower()
            test = f"{match['data'].lower()}-{test}" if several else test
            made = 0
            for probe in _read(file, test, problems):
                made += 1
                yield probe
            log_file(context.log, file, made)
        leave_out(context.log, problems)


def _find(path: Path) -> Mapping[Path, re.Match[str]]:
    """The question files, in the order of the tests."""
    there = [path] if path.is_file() else sorted(one for one in path.iterdir() if one.is_file())
    found = {one: match for one in there if (match := _NAME.fullmatch(one.name)) is not None}
    if not found:
        raise InputError(path, "holds no file of POPE", hint="give the folder with files such as coco_pope_random.json")
    return dict(sorted(found.items(), key=lambda one: (one[1]["data"], TESTS.index(one[1]["test"].lower()))))


def _read(path: Path, test: str, problems: list[tuple[str, str]]) -> Iterator[Probe]:
    seen: Counter[str] = Counter()
    for number, row in enumerate(read_records(path), start=1):
        problem = row.problem or _problem(row.values)
        own = str(row.values.get("question_id", number))
        seen[own] += 1
        if not problem and seen[own] > 1:
            problem = "its question_id comes twice"
        if problem:
            problems.append((f"{path.name}, {row.record}", problem))
        else:
            yield _probe(row.values, test, own)


def _problem(values: Mapping[str, Any]) -> str:
    if not isinstance(values.get("text"), str) or not values["text"].strip():
        return "it has no text"
    if not isinstance(values.get("image"), str) or not values["image"]:
        return "it names no image"
    if not isinstance(values.get("label"), str) or values["label"].strip().lower() not in YES_NO:
        return "its label is neither yes nor no"
    return ""


def _probe(values: Mapping[str, Any], test: str, number: str) -> Probe:
    source_id = f"{test}:{number}"
    asked = _OBJECT.search(values["text"])
    return Probe.of(
        Item.make(
            suite="pope",
            test=test,
            probe_id=source_id,
            image=ImageRef(values["image"]),
            text=values["text"],
            choices=YES_NO,
            gold=values["label"].strip().lower(),
            source_id=source_id,
            facets={"labels": PUBLISHED} | ({"object": asked["object"].lower()} if asked else {}),
        )
    )


POPE_RELEASE = PopeRelease()
