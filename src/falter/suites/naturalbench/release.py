"""NaturalBench's samples as released: two images by two questions, with an answer for each of the four."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from falter.authoring.importer import ImportContext
from falter.authoring.release_files import PUBLISHED, find_tables, leave_out, log_file, read_table, skip_others
from falter.authoring.released_images import is_image, released_image
from falter.errors import InputError
from falter.probes import Item, Probe

__all__ = ["NATURALBENCH_RELEASE", "NaturalBenchRelease"]

_CHOICES = {"yes_no": ("yes", "no"), "multiple_choice": ("A", "B")}
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
