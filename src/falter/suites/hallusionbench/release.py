"""The question file that the authors of HallusionBench released.

A question becomes a probe without variants; its category, VD or VS, is its test. Questions of one set are about the
same figure, its edited versions and, in VS, no figure at all: intervals are resampled by set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from falter.authoring.importer import ImportContext
from falter.authoring.release_files import PUBLISHED, leave_out, log_file, skip_others
from falter.errors import InputError
from falter.files import read_records
from falter.probes import ImageRef, Item, Probe

__all__ = ["HALLUSIONBENCH_RELEASE", "HallusionBenchRelease", "QuestionKey", "question_key"]

_FILE = "HallusionBench.json"
_CHOICES = ("yes", "no")
_VISUAL = {"0": "none", "1": "original", "2": "edited"}
_PARTS = {"0": "easy", "1": "easy", "2": "hard"}


class QuestionKey(NamedTuple):
    """What names a question: its id counts within a set."""

    category: str
    subcategory: str
    set_id: str
    figure_id: str
    question_id: str

    @property
    def source_id(self) -> str:
        """The id of the question in a suite."""
        return ":".join(self)

    @property
    def set_key(self) -> str:
        """The set: a figure, its edited versions, and the questions on them."""
        return ":".join(self[:3])

    @property
    def figure(self) -> str:
        """The figure."""
        return ":".join(self[:4])

    @property
    def pair(self) -> str:
        """The question over all figures of its set."""
        return ":".join((*self[:3], self.question_id))


def question_key(values: Mapping[str, Any]) -> QuestionKey | None:
    """The key of a record; None where a part of it is missing."""
    parts = [values.get(name) for name in QuestionKey._fields]
    if any(isinstance(one, bool) or not isinstance(one, str | int) or one == "" for one in parts):
        return None
    return QuestionKey(*(str(one) for one in parts))


class _Question(NamedTuple):
    key: QuestionKey
    values: Mapping[str, Any]


class HallusionBenchRelease:
    """HallusionBench as released."""

    name = "hallusionbench"
    title = "HallusionBench as published: yes/no questions on figures and on edited figures"
    citation = (
        "Guan, Liu, Wu, Xian, Li, Liu, Wang, Chen, Huang, Yacoob, Manocha and Zhou (2024). HallusionBench: An Advanced "
        "Diagnostic Suite for Entangled Language Hallucination and Visual Illusion in Large Vision-Language Models"
    )
    licence = "BSD-3-Clause"
    options = None
    takes_file = True

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The path of a figure in the folder of figures: its name alone does not tell it from others."""
        return (image_id, f"hallusion_bench/{image_id}")

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        file = path / _FILE if path.is_dir() else path
        if not file.is_file():
            raise InputError(path, f"holds no {_FILE}", hint="give the file, or the folder that it is in")
        if path.is_dir():
            skip_others(context.log, path, [file])
        problems: list[tuple[str, str]] = []
        questions = _read(file, problems)
        if not questions:
            raise InputError(file, "holds no question of HallusionBench", hint="fetch the file again")
        figures = Counter(one.key.figure for one in questions)
        pairs = Counter(one.key.pair for one in questions)
        parts = Counter((one.key.pair, _PARTS[str(one.values["visual_input"])]) for one in questions)
        for key, values in questions:
            part = _PARTS[str(values["visual_input"])]
            sizes = {
                "pair_questions": pairs[key.pair],
                "part_questions": parts[key.pair, part],
                "figure_questions": figures[key.figure],
            }
            yield _probe(key, values, part, sizes)
        log_file(context.log, file, len(questions))
        leave_out(context.log, problems)


def _read(path: Path, problems: list[tuple[str, str]]) -> Sequence[_Question]:
    found: dict[QuestionKey, _Question] = {}
    for row in read_records(path):
        key = question_key(row.values)
        problem = row.problem or ("it has no complete id" if key is None else _problem(row.values))
        if not problem and key in found:
            problem = "its category, subcategory, set, figure and question come twice"
        if problem or key is None:
            problems.append((f"{path.name}, {row.record}", problem))
        else:
            found[key] = _Question(key, row.values)
    return list(found.values())


def _problem(values: Mapping[str, Any]) -> str:
    if not isinstance(values.get("question"), str) or not values["question"].strip():
        return "it has no question"
    if str(values.get("gt_answer")) not in ("0", "1"):
        return "its gt_answer is neither 0 nor 1"
    if str(values.get("visual_input")) not in _VISUAL:
        return "its visual_input is none of 0, 1 and 2"
    return ""


def _probe(key: QuestionKey, values: Mapping[str, Any], part: str, sizes: Mapping[str, int]) -> Probe:
    visual = _VISUAL[str(values["visual_input"])]
    facets = {
        "subcategory": key.subcategory,
        "visual": visual,
        "part": part,
        "cluster": key.set_key,
        "pair": key.pair,
        "labels": PUBLISHED,
    }
    # The first figure of VS is none.
    if key.category != "VS" or key.figure_id != "0":
        facets["figure"] = key.figure
    facets |= {name: str(size) for name, size in sizes.items()}
    filename = values.get("filename")
    image = str(Path(filename)) if isinstance(filename, str) and filename else None
    return Probe.of(
        Item.make(
            suite="hallusionbench",
            test=key.category,
            probe_id=key.source_id,
            image=None if image is None else ImageRef(image),
            text=values["question"],
            choices=_CHOICES,
            gold="yes" if str(values["gt_answer"]) == "1" else "no",
            source_id=key.source_id,
            facets=facets,
        )
    )


HALLUSIONBENCH_RELEASE = HallusionBenchRelease()
