"""VQA-Rephrasings: three rephrasings by people of questions of VQA v2's validation split, in VQA's schema.

``rephrasing_of`` names the original of a rephrasing. A rephrasing has its original's answers where it has none itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from falter.core.errors import InputError
from falter.core.files import Int64, JsonDecoder, read_json
from falter.data.items import Probe
from falter.data.sources import open_source
from falter.generation.authoring.importer import ImportContext, coco_names, log_file
from falter.generation.sources import HasQuestions, Question, require
from falter.generation.sources.protocol import text_problem
from falter.generation.sources.vqa import VqaFiles, VqaSource
from falter.suites.rad.answers import plain_words
from falter.suites.rad.importers.released_pairs import ReleasedQuestion, RephrasingsOptions, make_probe


class _Record(msgspec.Struct):
    question_id: Int64
    rephrasing_of: Int64 | None = None


class _File(msgspec.Struct):
    questions: list[msgspec.Raw]


_record = JsonDecoder(_Record, "a question of VQA-Rephrasings")


class VqaRephrasings:
    """VQA-Rephrasings as released."""

    name = "vqa-rephrasings"
    title = "VQA-Rephrasings as published: questions of VQA v2 and three rephrasings of each"
    citation = "Shah, Chen, Rohrbach and Parikh (2019). Cycle-Consistency for Robust Visual Question Answering"
    licence = "not stated"
    options = RephrasingsOptions

    def image_names(self, image_id: str) -> tuple[str, ...]:
        return coco_names(image_id)

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        files = _find(path, context)
        released = VqaSource(files)
        refused = Counter(released.problems)
        context.manifest.counts["refused"] = refused
        original_of = _read_links(files.questions[0])
        known = {question.id: question for question in released.questions()}
        originals = {id_: one for id_, one in known.items() if id_ not in original_of}
        options = context.options if isinstance(context.options, RephrasingsOptions) else RephrasingsOptions()
        if options.originals:
            source = require(open_source(options.originals), HasQuestions, self.name)  # type: ignore[type-abstract]
            context.log.sources.append(source.describe())
            wanted = set(original_of.values()) - set(originals)
            originals |= {one.id: one for one in source.questions() if one.id in wanted}
        linked = _link(known, original_of, originals, refused)
        context.log.counts["read"] = len(known)
        context.log.counts["linked"] = sum(map(len, linked.values()))
        for id_, variants in linked.items():
            original = originals[id_]
            yield make_probe(
                "rephrasings",
                f"rephrasings-{id_}",
                original.image_id,
                _released(original, original),
                [_released(one, original) for one in variants],
            )
        if without := len(originals.keys() - linked.keys()):
            refused["the original has no rephrasing"] += without
        log_file(context.log, files.questions[0], len(linked))
        for file in files.annotations:
            log_file(context.log, file, 0)


def _link(
    known: dict[str, Question], original_of: dict[str, str], originals: dict[str, Question], refused: Counter[str]
) -> dict[str, list[Question]]:
    """The rephrasings of every original, in the order of the file; what cannot be used is counted."""
    linked: dict[str, list[Question]] = {}
    texts: dict[str, set[str]] = {}
    for id_, question in known.items():
        of = original_of.get(id_)
        if of is None:
            continue
        original = originals.get(of)
        problem = text_problem(question.text)
        if original is None:
            problem = "the original of a rephrasing is not there"
        elif original.image_id != question.image_id:
            problem = "a rephrasing is about another image than its original"
        elif not (question.answer or original.answer):
            problem = "neither the rephrasing nor its original has an answer"
        elif problem is None and original.answer is None:
            problem = "the original has no answer"
        elif problem is None and plain_words(question.text) == plain_words(original.text):
            problem = "a rephrasing is its original word for word"
        elif problem is None and plain_words(question.text) in texts.get(of, ()):
            problem = "a rephrasing appears twice"
        if problem is not None:
            refused[problem] += 1
            continue
        texts.setdefault(of, set()).add(plain_words(question.text))
        linked.setdefault(of, []).append(question)
    return linked


def _released(question: Question, original: Question) -> ReleasedQuestion:
    answered = question if question.answer else original
    return ReleasedQuestion(question.text, answered.answer or "", answered.answers, question.id)


def _read_links(path: Path) -> dict[str, str]:
    """By the id of a rephrasing the id of its original."""
    links: dict[str, str] = {}
    for raw in read_json(path, _File, what="VQA's format").questions:
        try:
            record = _record.decode(raw, path)
        except InputError:
            continue  # The source counts it.
        if record.rephrasing_of is not None and record.rephrasing_of != record.question_id:
            links[str(record.question_id)] = str(record.rephrasing_of)
    return links


def _find(folder: Path, context: ImportContext) -> VqaFiles:
    questions = sorted(folder.glob("*valrep*questions.json"))
    annotations = sorted(folder.glob("*valrep*annotations.json"))
    if len(questions) != 1 or len(annotations) > 1:
        found = ", ".join(one.name for one in (*questions, *annotations)) or "none"
        raise InputError(
            folder,
            f"should hold one file of questions and one of annotations of VQA-Rephrasings, found {found}",
            hint="such as v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json",
        )
    read = {one.name for one in (*questions, *annotations)}
    context.log.skipped += sorted(one.name for one in folder.iterdir() if one.name not in read)
    return VqaFiles(questions, annotations)


VQA_REPHRASINGS = VqaRephrasings()
