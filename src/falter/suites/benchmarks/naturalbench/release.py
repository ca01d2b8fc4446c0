"""NaturalBench's samples as released: two images by two questions, with an answer for each of the four.

Answers to them are read as its authors' evaluation reads them. A file is a list of four texts a sample, in the order
question 0 on image 0, question 0 on image 1, question 1 on image 0, question 1 on image 1; or by sample an object of
``q0_i0`` to ``q1_i1``, or a list of four."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from falter.core.errors import InputError
from falter.core.files import read_json, read_json_lines
from falter.core.tables import format_count
from falter.data.items import YES_NO, Item, Probe
from falter.data.model_loading import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow
from falter.generation.authoring.importer import (
    PUBLISHED,
    ImportContext,
    find_tables,
    is_image,
    leave_out,
    log_file,
    read_table,
    released_image,
    skip_others,
)

_CHOICES = {"yes_no": YES_NO, "multiple_choice": ("A", "B")}
_KINDS = ("Question_Type", "Question Type", "question_type")


class NaturalBenchRelease:
    """NaturalBench as released."""

    name = "naturalbench"
    title = "NaturalBench as published: two images by two questions"
    citation = (
        "Li, Lin, Peng, Nyandwi, Jiang, Ma, Khanuja, Krishna, Neubig and Ramanan (2024). NaturalBench: Evaluating "
        "Vision-Language Models on Natural Adversarial Samples"
    )
    licence = "Apache-2.0"
    options = None
    takes_file = True

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The published name."""
        return (image_id,)

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        files = find_tables(path, ("naturalbench", "train", "test"))
        if not files:
            raise InputError(path, "holds no samples of NaturalBench", hint="give its Parquet, JSON or TSV file")
        if path.is_dir():
            skip_others(context.log, path, files)
        problems: list[tuple[str, str]] = []
        number = 0
        for file in files:
            made = 0
            for row in read_table(file):
                problem = row.problem or _problem(row.values)
                if problem:
                    problems.append((f"{file.name}, {row.record}", problem))
                else:
                    made += 1
                    yield _probe(row.values, number, context, file)
                number += 1
            log_file(context.log, file, made)
        leave_out(context.log, problems)


def _problem(values: Mapping[str, Any]) -> str:
    for one in (0, 1):
        if not isinstance(values.get(f"Question_{one}"), str) or not values[f"Question_{one}"].strip():
            return f"it has no Question_{one}"
        if not is_image(values.get(f"Image_{one}")):
            return f"it has no Image_{one}"
    choices = _choices(values)
    for image in (0, 1):
        for question in (0, 1):
            if _gold(values, image, question, choices) is None:
                return f"its Image_{image}_Question_{question} is none of {' and '.join(choices)}"
    return ""


def _choices(values: Mapping[str, Any]) -> tuple[str, ...]:
    kind = next((str(values[name]) for name in _KINDS if values.get(name)), "yes_no")
    return _CHOICES.get(kind, _CHOICES["yes_no"])


def _gold(values: Mapping[str, Any], image: int, question: int, choices: tuple[str, ...]) -> str | None:
    said = str(values.get(f"Image_{image}_Question_{question}", "")).strip().lower()
    return next((choice for choice in choices if choice.lower() == said), None)


def _probe(values: Mapping[str, Any], number: int, context: ImportContext, path: Path) -> Probe:
    """The sample in the order of crossed items: the first image with both questions, then the second."""
    images = [released_image(values[f"Image_{one}"], f"{number}_i{one}", context, path) for one in (0, 1)]
    choices = _choices(values)
    facets = {"form": "yes/no" if choices == _CHOICES["yes_no"] else "choice", "labels": PUBLISHED}
    if values.get("Source"):
        facets["source"] = str(values["Source"])
    return Probe(
        tuple(
            Item.make(
                suite="naturalbench",
                test="naturalbench",
                probe_id=f"naturalbench-{number}",
                variant=2 * image + question,
                expects="crossed",
                image=images[image],
                text=values[f"Question_{question}"],
                choices=choices,
                gold=_gold(values, image, question, choices),
                source_id=f"{number}_q{question}_i{image}",
                facets=facets,
            )
            for image in (0, 1)
            for question in (0, 1)
        )
    )


NATURALBENCH_RELEASE = NaturalBenchRelease()


_ORDER = ("q0_i0", "q0_i1", "q1_i0", "q1_i1")
_TEXTS = ("prediction", "response", "output", "text", "answer")
"""What an answer may stand under; beside another, ``answer`` is the gold."""
_HINT = "give four answers for every sample, in the order of the release"


def official_answer(text: str, choices: Sequence[str]) -> str | None:
    """The choice that the authors' evaluation reads: the one whose word comes first in the text, in any case.

    >>> official_answer("Yes, not no", ("yes", "no")), official_answer("I see a B", ("A", "B"))
    ('yes', 'A')
    """
    places = {one: found.start() for one in choices if (found := re.search(rf"\b{one}\b", text, re.IGNORECASE))}
    return min(places, key=places.__getitem__) if places else None


class NaturalBenchAnswers:
    """A file of answers in the order of the release, or by sample."""

    def read_file(self, path: Path, rows: Callable[[], Sequence[SuiteRow]]) -> ReleasedPredictions | None:
        if path.suffix.lower() not in (".json", ".jsonl") or not path.is_file():
            return None
        content = _read(path)
        samples = _samples(path, content)
        if samples is None:
            return None
        asked = {row.source_id: row for row in rows()}
        count = len({one.partition("_")[0] for one in asked})
        if isinstance(content, list) and len(samples) != count:
            raise InputError(
                path, f"has answers to {format_count(len(samples), 'samples')}, and the suite has {count:,}", hint=_HINT
            )
        odd = OddRecords(path)
        found = list(_predictions(samples, asked, odd))
        return ReleasedPredictions(found, (path,), odd.notes())


def _read(path: Path) -> Any:
    if path.suffix.lower() == ".jsonl":
        return [one for _, one in read_json_lines(path, Any, what="JSON")]
    return read_json(path, Any, what="JSON")


def _samples(path: Path, content: Any) -> Mapping[str, Mapping[str, Any]] | None:
    """By number of the sample its four answers; None where the file is in another layout."""
    if isinstance(content, dict):
        keyed = {key: _by_name(one) for key, one in content.items()}
    elif isinstance(content, list) and content and all(_by_name(one) for one in content):
        keyed = {str(number): _by_name(one) for number, one in enumerate(content)}
    elif isinstance(content, list) and content and all(_is_answer(one) for one in content):
        if len(content) % len(_ORDER):
            raise InputError(
                path, f"has {format_count(len(content), 'answers')}, which are not four a sample", hint=_HINT
            )
        size = len(_ORDER)
        keyed = {
            str(number): dict(zip(_ORDER, content[size * number : size * (number + 1)], strict=True))
            for number in range(len(content) // size)
        }
    else:
        return None
    if not all(keyed.values()):
        return None
    return {key: one for key, one in keyed.items() if one is not None}


def _is_answer(value: Any) -> bool:
    if isinstance(value, dict):
        return "item_id" not in value and "source_id" not in value and any(name in value for name in _TEXTS)
    return isinstance(value, str | int)


def _by_name(value: Any) -> Mapping[str, Any] | None:
    """The four answers of a sample."""
    if isinstance(value, dict) and all(name in value for name in _ORDER):
        return value
    if isinstance(value, list) and len(value) == len(_ORDER):
        return dict(zip(_ORDER, value, strict=True))
    return None


def _predictions(
    samples: Mapping[str, Mapping[str, Any]], asked: Mapping[str, SuiteRow], odd: OddRecords
) -> Iterator[ReleasedPrediction]:
    for number, answers in samples.items():
        for name in _ORDER:
            source_id = f"{number}_{name}"
            row = asked.get(source_id)
            choices = YES_NO if row is None or row.choices is None else row.choices
            said = answers[name]
            if isinstance(said, dict):
                said = next((said[one] for one in _TEXTS if one in said), None)
            if said is None:
                odd.add("hold no answer, and count as missing", source_id)
                continue
            if isinstance(said, int | float):
                # The evaluation's own codes: 1 for the first choice, 0 for the second.
                answer = choices[0] if said == 1 else choices[1] if said == 0 else None
            else:
                answer = official_answer(str(said), choices)
            text = str(said)
            fields = {"text": text, "status": "unparsed"} if answer is None else {"text": text, "answer": answer}
            yield ReleasedPrediction(source_id, source_id, fields)


LAYOUTS = (NaturalBenchAnswers(),)
