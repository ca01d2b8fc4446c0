"""Contrast sets that were made elsewhere, such as the authors' own: changed questions, and their originals apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_file
from falter.data.items import ImageRef, Item, Probe
from falter.data.sources import open_source
from falter.generation.authoring.importer import ImportContext, ReadFile
from falter.generation.english.question_reader import question_reader
from falter.generation.scene import query_to_json
from falter.generation.sources import require_questions
from falter.suites.contrast_sets.generator import SUITE, choices_for
from falter.suites.contrast_sets.question_tests import tests_for
from falter.suites.contrast_sets.released_questions import FORMATS, GivenQuestion, Link, Originals, read_questions

_OTHER = "other"
"""The test of questions that none of the paper's templates asks."""


class ContrastSetsImportOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter import contrast-sets``."""

    originals: Annotated[
        str,
        Meta(
            description="The questions that were changed: a source such as gqa:data/val, or a file in the format of "
            "LXMERT, MAC or GQA.",
            extra={"metavar": "SOURCE|FILE"},
        ),
    ] = ""


class _Variant(NamedTuple):
    question: GivenQuestion
    link: Link
    file: str


class ContrastSetsRelease:
    """Sets of an original and the questions that were made from it, as they were published."""

    name = "contrast-sets"
    title = "Contrast sets made elsewhere: questions of GQA with one thing changed"
    citation = (
        "Bitton, Stanovsky, Schwartz and Elhadad (2021). Automatic Generation of Contrast Sets from Scene Graphs: "
        "Probing the Compositional Consistency of GQA"
    )
    licence = "not stated"
    options = ContrastSetsImportOptions
    takes_file = True

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        options = context.options
        given = options.originals if isinstance(options, ContrastSetsImportOptions) else ""
        if not given:
            raise UsageError(
                "changed questions come with those that they were made from: pass --originals SOURCE, e.g. gqa:FOLDER"
            )
        refused: Counter[str] = Counter()
        originals = Originals(_read_originals(given, context, refused), question_reader())
        sets: dict[tuple[str, str], list[_Variant]] = {}
        files = _files(path, context)
        read = 0
        for file in files:
            for question in read_questions(file, refused):
                read += 1
                link = originals.find(question)
                if isinstance(link, str):
                    refused[link] += 1
                    continue
                context.log.counts[f"linked_by_{link.how}"] += 1
                test = _test(originals, link)
                sets.setdefault((test, link.original.id), []).append(_Variant(question, link, file.name))
        if not sets:
            told = "; ".join(f"{count} x {reason}" for reason, count in refused.most_common(3))
            problem = f"holds no question with an original ({told or 'no questions'})"
            raise InputError(path, problem, hint=_NO_LINK if read else FORMATS)
        made = Counter(variants[0].file for variants in sets.values())
        context.log.files |= {file.name: ReadFile(sha256_of_file(file), made[file.name]) for file in files}
        context.manifest.counts["refused"] = dict(sorted(refused.items()))
        context.manifest.parameters["originals"] = (
            Path(given).name if Path(given).is_file() else given.partition(":")[0]
        )
        for (test, _), variants in sets.items():
            yield _probe(test, variants, originals)


_NO_LINK = "give the questions that these were made from with --originals"


def _read_originals(given: str, context: ImportContext, refused: Counter[str]) -> Iterator[GivenQuestion]:
    path = Path(given)
    if path.is_file():
        problems: Counter[str] = Counter()
        yield from read_questions(path, problems)
        refused.update({f"an original: {reason}": count for reason, count in problems.items()})
        context.log.sources.append({"name": path.name, "sha256": sha256_of_file(path)})
        return
    source = open_source(given)
    for question in require_questions(source).questions():
        if question.answer is None or not question.text.strip():
            refused["an original: the question has no text or no answer"] += 1
        else:
            answer = question.answer.strip().lower()
            yield GivenQuestion(question.id, question.image_id, question.text, answer)
    context.log.sources.append(source.describe())


def _files(path: Path, context: ImportContext) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(one for one in path.iterdir() if one.is_file())
    context.log.skipped += [one.name for one in found if one.suffix != ".json"]
    return [one for one in found if one.suffix == ".json"]


def _test(originals: Originals, link: Link) -> str:
    parse = originals.read(link.original)
    tests = () if parse is None else tests_for(parse, question_reader().grammar.ontology)
    if "relation" in tests:
        return "relation" if link.atom == "relation" else "relation-object"
    return tests[0] if tests else _OTHER


def _probe(test: str, variants: list[_Variant], originals: Originals) -> Probe:
    original = variants[0].link.original
    facets = {"variants": str(len(variants)), "labels": "published"}
    asked = [(original, variants[0].link), *((one.question, one.link) for one in variants)]
    return Probe(
        tuple(
            Item.make(
                suite=SUITE,
                test=test,
                probe_id=f"{test}-{original.id}",
                variant=number,
                expects="each",
                image=ImageRef(question.image_id),
                text=question.text,
                choices=choices_for(original.answer),
                gold=question.answer,
                meaning=_meaning(originals, question),
                source_id=question.id,
                facets={**facets, "atom": link.atom, **({"linked": link.how} if number else {})},
            )
            for number, (question, link) in enumerate(asked)
        )
    )


def _meaning(originals: Originals, question: GivenQuestion) -> str | None:
    parse = originals.read(question)
    return None if parse is None else query_to_json(parse.meaning)


CONTRAST_SETS_RELEASE = ContrastSetsRelease()
