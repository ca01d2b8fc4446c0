"""GQA's question files as released: every question with its types, its group and what it entails; and result files.

A file is a test, named for its tier. Questions that are not in the balanced set are a test of their own: GQA's scores
are over balanced questions, and need the others for consistency alone. A result file is what GQA's evaluation server
takes: a list of ``questionId`` and ``prediction``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import JsonDecoder, map_json
from falter.data.items import ImageRef, Item, Probe
from falter.generation.authoring.importer import PUBLISHED, ImportContext, leave_out, log_file, skip_others

_STEM = re.compile(r"(?:^|_)questions?(?=_|$)|_\d+$")


class _Types(msgspec.Struct):
    structural: str | None = None
    semantic: str | None = None
    detailed: str | None = None


class _Groups(msgspec.Struct):
    name: str | None = msgspec.field(default=None, name="global")


class _Record(msgspec.Struct, rename={"image_id": "imageId", "is_balanced": "isBalanced"}):
    question: str
    image_id: str
    answer: str | None = None
    is_balanced: bool = True
    types: _Types = msgspec.field(default_factory=_Types)
    groups: _Groups = msgspec.field(default_factory=_Groups)
    entailed: list[str] = msgspec.field(default_factory=list)
    semantic: list[dict[str, Any]] | None = None


class Entailments(msgspec.Struct, omit_defaults=True):
    """What an item keeps in ``extra`` for the scores that need more than its answer."""

    group: str | None = None
    entailed: tuple[str, ...] = ()


_record = JsonDecoder(_Record, "a question of GQA")


class GqaRelease:
    """GQA as released."""

    name = "gqa"
    title = "GQA as published: compositional questions with their types"
    citation = (
        "Hudson and Manning (2019). GQA: A New Dataset for Real-World Visual Reasoning and Compositional Question "
        "Answering"
    )
    licence = "CC-BY-4.0"
    options = None
    takes_file = True

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        files = [path] if path.is_file() else sorted(one for one in path.glob("*questions*.json") if one.is_file())
        if not files:
            raise InputError(
                path, "holds no questions of GQA", hint="give a file such as testdev_balanced_questions.json"
            )
        if path.is_dir():
            skip_others(context.log, path, files)
        problems: list[tuple[str, str]] = []
        for file in files:
            made = 0
            for probe in _read(file, problems):
                made += 1
                yield probe
            log_file(context.log, file, made)
        leave_out(context.log, problems)


def _read(path: Path, problems: list[tuple[str, str]]) -> Iterator[Probe]:
    tier = _STEM.sub("", path.stem).strip("_") or "questions"
    records = map_json(path, dict[str, msgspec.Raw], what="a file of GQA's questions", hint="fetch the file again")
    for key, raw in records.items():
        try:
            record = _record.decode(raw, path, record=key)
        except InputError:
            problems.append((f"{path.name}, {key}", "the record is malformed"))
            continue
        if record.answer is None:
            problems.append((f"{path.name}, {key}", "it has no answer"))
        else:
            yield _probe(key, record, tier if record.is_balanced else f"{tier}-unbalanced")


def _probe(key: str, record: _Record, test: str) -> Probe:
    types = {name: getattr(record.types, name) for name in _Types.__struct_fields__}
    facets = {name: value for name, value in types.items() if value}
    if record.types.structural:
        facets["form"] = "open" if record.types.structural == "query" else "binary"
    facets["words"] = str(len(record.question.split()))
    if record.semantic is not None:
        facets["steps"] = str(_count_steps(record.semantic))
    entailed = tuple(one for one in record.entailed if one != key)
    extra = Entailments(record.groups.name, entailed)
    return Probe.of(
        Item.make(
            suite="gqa",
            test=test,
            probe_id=f"{test}-{key}",
            image=ImageRef(record.image_id),
            text=record.question,
            gold=record.answer,
            source_id=key,
            facets={**facets, "labels": PUBLISHED},
            extra=msgspec.json.encode(extra).decode(),
        )
    )


def _count_steps(program: list[dict[str, Any]]) -> int:
    """Steps of the program, but for those that only ask whether or what something is."""
    told = (f"{step.get('operation')}: {step.get('argument')}" for step in program)
    return sum(not any(one in step for one in ("exist", "query: name", "choose name")) for step in told)


GQA_RELEASE = GqaRelease()


def read_result(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The prediction as it is: the server reads nothing out of it."""
    number, prediction = row.get("questionId"), row.get("prediction")
    if number is None or "prediction" not in row:
        return None
    if isinstance(number, bool) or not isinstance(number, int | str) or not isinstance(prediction, str):
        raise UsageError(f"a result has a questionId and a prediction, not {number!r:.50}, {prediction!r:.50}")
    return str(number), {"answer": prediction, "text": prediction}


LAYOUTS = (read_result,)
