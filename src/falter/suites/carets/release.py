"""The question files that the authors of CARETS released.

A file holds both questions of every pair, shuffled; its name says the test and the type of question. Ids read
``image-k-template``, and those of changed questions end in a letter for the test. Texts are kept as they were
published, missing question marks and all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import Int64, JsonDecoder, read_bytes, sha256_of_bytes
from falter.data.items import YES_NO, Expects, ImageRef, Item, Probe
from falter.data.sources import open_source
from falter.generation.authoring.importer import ImportContext, ImportLog, ReadFile
from falter.suites.carets.options import CaretsImportOptions
from falter.suites.carets.visual_test import VisualTestBuilder, VisualTestOptions


class _Test(NamedTuple):
    name: str
    suffix: str
    expects: Expects


class _Type(NamedTuple):
    name: str
    form: str
    logic: str | None = None


_TESTS = {
    "template": _Test("rephrase", "t", "same"),
    "symmetric": _Test("order", "s", "same"),
    "ontology_ontology": _Test("ontology", "h", "same"),
    "negation": _Test("negation", "n", "different"),
    "antonym": _Test("antonym", "a", "different"),
}

_TYPES = {
    "object_verification": _Type("object_verification", "single"),
    "object_verification_rel": _Type("object_verification", "related"),
    "object_verification_conjunction": _Type("conjunctive_verification", "single", "conjunction"),
    "object_verification_disjunction": _Type("disjunctive_verification", "single", "disjunction"),
    "attribute_verification": _Type("attribute_verification", "single"),
    "attribute_verification_rel": _Type("attribute_verification", "related"),
    "object_choice_by_attr": _Type("object_choice", "single"),
    "object_choice_rel": _Type("object_choice", "related"),
    "attribute_choice": _Type("attribute_choice", "single"),
    "attribute_choice_rel": _Type("attribute_choice", "related"),
    "action_choice": _Type("action_choice", "single"),
    "action_choice_rel": _Type("action_choice", "related"),
}

_NAME = re.compile(rf"(?P<type>{'|'.join(_TYPES)})_(?P<test>{'|'.join(_TESTS)})_test\.json")
_ID = re.compile(r"(?P<pair>.+-[0-9]+-(?P<template>[0-9]{1,9}))(?:-(?P<suffix>[a-z]+))?")
_CHOICES = ("category-options1", "obj-category-options1")
_OBJECT = re.compile(r"obj\d+")


class _Question(msgspec.Struct):
    """One question as released; ``new_template_number`` is given for rephrased ones."""

    img_id: str
    label: dict[str, float]
    question_id: str
    sent: str
    assignment: dict[str, Any]
    new_template_number: Int64 | None = None


class _Half(NamedTuple):
    """A question that stands by itself, and what its id says."""

    question: _Question
    template: int
    gold: str
    choices: tuple[str, ...]


class _Object(msgspec.Struct):
    """Something a question is about; ``id`` is that of GQA's scene graphs, None for what is not there."""

    name: str
    id: str | None


class _Extra(msgspec.Struct):
    file: str
    objects: list[_Object]


_extra_record = JsonDecoder(_Extra, "what an item of CARETS adds")
_records = JsonDecoder(list[msgspec.Raw], "a JSON list of questions")
_question = JsonDecoder(_Question, "a question of CARETS")


class _File(NamedTuple):
    path: Path
    type: _Type
    test: _Test

    @property
    def stem(self) -> str:
        return self.path.name.removesuffix("_test.json")


class CaretsRelease:
    """CARETS as released: five tests with text variants, on GQA's validation images."""

    name = "carets"
    uses_workers = True
    title = "CARETS as published: consistency and robustness tests on GQA's validation images"
    citation = "Jimenez, Russakovsky and Narasimhan (2022). CARETS: A Consistency And Robustness Evaluative Test Suite"
    licence = "not stated"
    options = CaretsImportOptions

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        visual = self._visual_test(context)
        asked: set[str] = set()
        for probe in self._released(path, context.log):
            if probe.original.test == "ontology":
                asked.add(probe.original.facets["type"])
            yield probe
            if visual is not None:
                original = context.add_image(probe.original)
                visual.add(original, context.image_file(original))
        if visual is not None:
            yield from visual.probes(context.image_dir)
            context.manifest.counts["refused"] = dict(sorted(visual.rejected.items()))
        if asked == {"object_verification"}:
            # With questions of other types among them, the pairs are not those that the paper breaks down.
            context.manifest.parameters["direction"] = "paper"

    def _visual_test(self, context: ImportContext) -> VisualTestBuilder | None:
        options = context.options
        if not isinstance(options, CaretsImportOptions) or options.scenes is None:
            return None
        if not context.has_images:
            raise UsageError("the visual test needs the images besides the scene graphs; pass --image-dir DIR too")
        scenes = open_source(options.scenes)
        context.manifest.parameters["visual"] = options.visual_size or "all"
        context.log.sources.append(scenes.describe())
        return VisualTestBuilder(self, VisualTestOptions(scenes, options.visual_size, context.executor))

    def _released(self, folder: Path, log: ImportLog) -> Iterator[Probe]:
        files = _files(folder, log)
        if not files:
            raise InputError(
                folder,
                "holds no question file of CARETS",
                hint="give the folder with files such as object_verification_negation_test.json",
            )
        texts: dict[str, str] = {}
        shared: set[str] = set()
        for file in files:
            pairs = 0
            raw = read_bytes(file.path)
            for original, variant in _pairs(file, raw):
                pairs += 1
                for half in (original, variant):
                    published = half.question.question_id
                    if texts.setdefault(published, half.question.sent) != half.question.sent:
                        shared.add(published)
                yield _probe(file, original, variant)
            log.files[file.path.name] = ReadFile(sha256_of_bytes(raw), pairs)
        log.counts["ids_of_several_questions"] = len(shared)
        if shared:
            log.notes.append(
                f"{len(shared):,} published ids stand for different questions in different files: "
                "in a predictions file for all tests at once, give their predictions by item_id."
            )

    def objects_of(self, item: Item) -> list[str | None]:
        if item.extra is None:
            return []
        return [one.id for one in _extra_record.decode(item.extra, "items.parquet", record=item.item_id).objects]


def _files(folder: Path, log: ImportLog) -> list[_File]:
    found = []
    for path in sorted(folder.iterdir()):
        named = _NAME.fullmatch(path.name)
        if named is None or not path.is_file():
            log.skipped.append(path.name)
        else:
            found.append(_File(path, _TYPES[named["type"]], _TESTS[named["test"]]))
    return found


def _pairs(file: _File, raw: bytes) -> Iterator[tuple[_Half, _Half]]:
    """The pairs of a file, in the order in which their first question comes."""
    halves: dict[str, dict[bool, _Half]] = {}
    for record, half, pair, changed in _halves(file, raw):
        both = halves.setdefault(pair, {})
        if changed in both:
            raise InputError(file.path, "has the same id as an earlier question", record=record)
        both[changed] = half
    for pair, both in halves.items():
        if len(both) < 2:
            missing = f"the id {pair}-{file.test.suffix}" if False in both else f"the id {pair}"
            only = next(iter(both.values())).question.question_id
            raise InputError(file.path, f"has no partner with {missing}", record=only, hint="fetch the file anew")
        original, variant = both[False], both[True]
        _check_pair(file, original, variant)
        yield original, variant


def _halves(file: _File, raw: bytes) -> Iterator[tuple[str, _Half, str, bool]]:
    for number, one in enumerate(_records.decode(raw, file.path, hint="fetch the file anew"), start=1):
        record = f"record {number}"
        question = _question.decode(one, file.path, record=record)
        record = f"{record} ({question.question_id})"
        identity = _ID.fullmatch(question.question_id)
        if identity is None or identity["suffix"] not in (None, file.test.suffix):
            form = f"image-number-template or image-number-template-{file.test.suffix}"
            raise InputError(file.path, f"has an id that does not read {form}", record=record)
        half = _Half(question, int(identity["template"]), *_answer(file, question, record))
        yield record, half, identity["pair"], identity["suffix"] is not None


def _answer(file: _File, question: _Question, record: str) -> tuple[str, tuple[str, ...]]:
    """The right answer and the choices."""
    if not question.sent.strip():
        raise InputError(file.path, "has an empty text", record=record)
    if len(question.label) != 1:
        raise InputError(file.path, f"has {len(question.label)} right answers, not one", record=record)
    (gold,) = question.label
    given = next((question.assignment[name] for name in _CHOICES if name in question.assignment), YES_NO)
    if not isinstance(given, list | tuple) or len(given) < 2 or not all(isinstance(one, str) for one in given):
        raise InputError(file.path, "has choices that are no list of two or more words", record=record)
    if gold not in given:
        raise InputError(file.path, f"has the answer {gold!r}, which is not among {', '.join(given)}", record=record)
    return gold, tuple(given)


def _check_pair(file: _File, original: _Half, variant: _Half) -> None:
    record = variant.question.question_id
    if original.question.img_id != variant.question.img_id:
        raise InputError(file.path, "is about another picture than its original", record=record)
    if (original.gold == variant.gold) != (file.test.expects == "same"):
        wanted = "the same answer as" if file.test.expects == "same" else "another answer than"
        raise InputError(file.path, f"should have {wanted} its original", record=record)


def _probe(file: _File, original: _Half, variant: _Half) -> Probe:
    pair = original.question.question_id
    shared = _facets(file, original)
    items = []
    for number, half in enumerate((original, variant)):
        question = half.question
        template = half.template if question.new_template_number is None else question.new_template_number
        items.append(
            Item.make(
                suite="carets",
                test=file.test.name,
                probe_id=f"{file.stem}-{pair}",
                variant=number,
                expects=file.test.expects,
                image=ImageRef(question.img_id),
                text=question.sent,
                gold=half.gold,
                choices=half.choices,
                source_id=question.question_id,
                facets={**shared, "template": f"{file.type.name}-{file.type.form}-{template}"},
                extra=_extra(file, question.assignment),
            )
        )
    return Probe(tuple(items))


def _facets(file: _File, original: _Half) -> dict[str, str]:
    binary = original.choices == YES_NO
    facets = {
        "type": file.type.name,
        "form": file.type.form,
        "question": "binary" if binary else "multi-choice",
        "choices": "binary" if binary else str(len(original.choices)),
        "answer": original.gold,
    }
    if file.type.logic is not None:
        facets["logic"] = file.type.logic
        given = original.question.assignment
        facets["truth"] = "".join("F" if given.get(f"obj{place}_id") is None else "T" for place in (1, 2))
    if file.test.name == "ontology":
        # As in generated suites: whether the variant's kind is the wider or the narrower one. The release asks about
        # a wider kind after yes and in questions with choices, and about a narrower one after no.
        facets["direction"] = "hyponym" if original.gold == "no" else "hypernym"
    return facets


def _extra(file: _File, assignment: Mapping[str, Any]) -> str:
    """The file, and the objects by name with their ids in GQA's scene graphs; one that is not there has none."""
    objects = [
        _Object(assignment[name], assignment.get(f"{name}_id"))
        for name in sorted(assignment)
        if _OBJECT.fullmatch(name)
    ]
    return msgspec.json.encode(_Extra(file.path.name, objects)).decode()


CARETS_RELEASE = CaretsRelease()
