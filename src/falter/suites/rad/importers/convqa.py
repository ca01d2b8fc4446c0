"""ConVQA: sets of questions about an image whose answers follow from one another.

The logical sets (L) were generated from Visual Genome's scene graphs, the common-sense sets (CS) were written by people
about questions of VQA v2. The first question of a set is the original, the others are its variants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from falter.core.errors import InputError
from falter.core.files import JsonDecoder, read_json
from falter.data.items import Probe
from falter.generation.authoring.importer import ImportContext, log_file
from falter.generation.sources.protocol import text_problem
from falter.suites.rad.answers import plain_words
from falter.suites.rad.importers.released_pairs import ConvqaOptions, ReleasedQuestion, make_probe

_COMMON_SENSE = "CommonSense_ConVQA_consistent.json"
_LOGICAL = "cleaned_Logical_ConVQA_test.json"
_SPLIT = "highlevel_test_split.json"
_OTHERS = ("CommonSense_ConVQA_inconsistent.json", "ConVQA_verified.json")
_SET_SIZE = 5
"""Questions of a common-sense set at most: longer lists are several sets in one."""


class _LogicalQuestion(msgspec.Struct):
    question: str
    answer: str


_list = JsonDecoder(list[msgspec.Raw], "a list of questions of ConVQA")
_common = JsonDecoder(tuple[str, str], "a question of ConVQA")
_logical = JsonDecoder(_LogicalQuestion, "a question of ConVQA")


class Convqa:
    """ConVQA as released."""

    name = "convqa"
    title = "ConVQA as published: logical and common-sense sets of consistent questions"
    citation = (
        "Ray, Sikka, Divakaran, Lee and Burachas (2019). Sunny and Dark Outside?! Improving Answer Consistency in VQA "
        "through Entailed Question Generation"
    )
    licence = "MIT"
    options = ConvqaOptions

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The published name; an image of COCO also has that of COCO 2017."""
        return (f"{image_id}.jpg", f"{image_id.rpartition('_')[2]}.jpg")

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        there = [name for name in (_COMMON_SENSE, _LOGICAL) if (path / name).is_file()]
        if not there:
            raise InputError(path, "holds no file of ConVQA", hint=f"give the folder with {_COMMON_SENSE}")
        known = {*there, _SPLIT, *_OTHERS}
        context.log.skipped += sorted(one.name for one in path.iterdir() if one.name not in known)
        refused: Counter[str] = Counter()
        context.manifest.counts["refused"] = refused
        if _COMMON_SENSE in there:
            yield from self._common_sense(path, context, refused)
        if _LOGICAL in there:
            yield from self._logical(path, context, refused)

    def _common_sense(self, folder: Path, context: ImportContext, refused: Counter[str]) -> Iterator[Probe]:
        options = context.options if isinstance(context.options, ConvqaOptions) else ConvqaOptions()
        wanted: set[str] | None = None
        if options.split == "test":
            if not (folder / _SPLIT).is_file():
                raise InputError(folder / _SPLIT, "does not exist", hint="pass --split all for every image")
            wanted = set(read_json(folder / _SPLIT, list[str], what="a list of images"))
            log_file(context.log, folder / _SPLIT, 0)
        path = folder / _COMMON_SENSE
        made = 0
        for address, raw in read_json(path, dict[str, msgspec.Raw], what="common-sense sets of ConVQA").items():
            if wanted is not None and address not in wanted:
                continue
            image = address.rpartition("/")[2].rpartition(".")[0] or address
            questions = _questions(raw, path, address, refused)
            context.log.counts["read"] += len(questions)
            if len(questions) > _SET_SIZE and len(questions) % _SET_SIZE:
                refused["convqa-cs: several sets in one list, with no mark where they begin"] += len(questions)
                continue
            for start in range(0, len(questions), _SET_SIZE):
                chosen = questions[start : start + _SET_SIZE]
                probe = _probe("convqa-cs", f"{image}-{start // _SET_SIZE + 1}", image, chosen, refused)
                if probe is not None:
                    made += 1
                    context.log.counts["linked"] += len(probe.variants)
                    yield probe
        log_file(context.log, path, made)

    def _logical(self, folder: Path, context: ImportContext, refused: Counter[str]) -> Iterator[Probe]:
        path = folder / _LOGICAL
        made = 0
        answers: dict[tuple[str, str], set[str]] = {}
        for image, raw in read_json(path, dict[str, msgspec.Raw], what="logical sets of ConVQA").items():
            for number, questions in enumerate(_sets(raw, path, image, refused), start=1):
                context.log.counts["read"] += len(questions)
                for one in questions:
                    if one is not None:
                        answers.setdefault((image, plain_words(one.text)), set()).add(plain_words(one.gold))
                probe = _probe("convqa-l", f"{image}-{number}", image, questions, refused)
                if probe is not None:
                    made += 1
                    context.log.counts["linked"] += len(probe.variants)
                    yield probe
        if several := sum(len(said) > 1 for said in answers.values()):
            told = "1 question of an image has" if several == 1 else f"{several} questions of an image have"
            context.log.notes.append(f"convqa-l: {told} two answers, as published.")
        log_file(context.log, path, made)


def _sets(raw: msgspec.Raw, path: Path, image: str, refused: Counter[str]) -> Iterator[list[ReleasedQuestion | None]]:
    try:
        sets = _list.decode(raw, path, record=f"image {image}")
    except InputError:
        refused["convqa-l: the sets of an image are malformed"] += 1
        return
    for one in sets:
        yield _questions(one, path, image, refused, logical=True)


def _questions(
    raw: msgspec.Raw, path: Path, image: str, refused: Counter[str], *, logical: bool = False
) -> list[ReleasedQuestion | None]:
    """The questions of a list; None for each that cannot be used, which is counted."""
    test = "convqa-l" if logical else "convqa-cs"
    try:
        records = _list.decode(raw, path, record=f"image {image}")
    except InputError:
        refused[f"{test}: a set is malformed"] += 1
        return []
    found: list[ReleasedQuestion | None] = []
    for one in records:
        try:
            if logical:
                record = _logical.decode(one, path)
                text, answer = record.question, record.answer
            else:
                text, answer = _common.decode(one, path)
            problem = text_problem(text) or (None if answer.strip() else "the question has no answer")
        except InputError:
            problem, text, answer = "a question is malformed", "", ""
        if problem is not None:
            refused[f"{test}: {problem}"] += 1
        found.append(None if problem is not None else ReleasedQuestion(text, answer))
    return found


def _probe(
    test: str, key: str, image: str, questions: Sequence[ReleasedQuestion | None], refused: Counter[str]
) -> Probe | None:
    """The set as a probe, or None where nothing is left of it; what is not used is counted."""
    original = questions[0] if questions else None
    if original is None:
        if any(questions):
            refused[f"{test}: the original of a question cannot be used"] += sum(one is not None for one in questions)
        return None
    seen = {plain_words(original.text)}
    variants = []
    for number, one in enumerate(questions[1:], start=1):
        if one is None:
            continue
        if plain_words(one.text) in seen:
            refused[f"{test}: a question appears twice in its set"] += 1
            continue
        seen.add(plain_words(one.text))
        variants.append(one._replace(source_id=f"{key}-{number}"))
    if not variants:
        refused[f"{test}: a set of one question"] += 1
        return None
    return make_probe(test, f"{test}-{key}", image, original._replace(source_id=f"{key}-0"), variants)


CONVQA = Convqa()
