"""The question file that the authors of HallusionBench released, and predictions as they store them.

A question becomes a probe without variants; its category, VD or VS, is its test. Questions of one set are about the
same figure, its edited versions and, in VS, no figure at all: intervals are resampled by set.

A file of predictions has the question file's records with more fields. ``model_prediction`` is what the model said;
``gpt4v_output_gpt_check`` is what a judge made of it: "1" right, "0" wrong, "2" unclear. Where there is a judge, its
word counts; else the text is read as any other answer. Samples of lmms-eval and tables of VLMEvalKit are read
as well."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from falter.core.errors import InputError
from falter.core.files import TableRow, read_records
from falter.data.items import YES_NO, ImageRef, Item, Probe
from falter.data.model_loading import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow
from falter.evaluation.models.predictions.rows import ANSWER_ENDINGS, read_answer_records
from falter.generation.authoring.importer import PUBLISHED, ImportContext, leave_out, log_file, skip_others

_FILE = "HallusionBench.json"
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
            choices=YES_NO,
            gold="yes" if str(values["gt_answer"]) == "1" else "no",
            source_id=key.source_id,
            facets=facets,
        )
    )


HALLUSIONBENCH_RELEASE = HallusionBenchRelease()


_TEXTS = ("model_prediction", "prediction", "model_output", "output", "response", "text")
_VERDICT = "gpt_check"
_OTHER = {"yes": "no", "no": "yes"}
_CODES = {"0": "no", "1": "yes"}
_UNCLEAR = "2"
_INDEX = re.compile(
    r"(?P<category>V[DS])_(?P<subcategory>[a-z_]+)_\d+_(?P<set_id>\d+)_(?P<figure_id>\d+)_(?P<question_id>\d+)"
)


class HallusionBenchPredictions:
    """A file of records with predictions, or a folder of such files (the authors' code writes one per category)."""

    def read_file(self, path: Path, rows: Callable[[], Sequence[SuiteRow]]) -> ReleasedPredictions | None:
        there = sorted(path.iterdir()) if path.is_dir() else [path]
        files = [one for one in there if one.is_file() and one.suffix.lower() in ANSWER_ENDINGS]
        records = {file: list(read_answer_records(file)) for file in files}
        if not any(_key(one.values) for found in records.values() for one in found):
            return None
        asked = {row.source_id: row for row in rows()}
        found: list[ReleasedPrediction] = []
        notes: list[str] = []
        for file, own in records.items():
            odd = OddRecords(file)
            found += _read_predictions(own, asked, odd)
            notes += odd.notes()
        return ReleasedPredictions(found, tuple(files), tuple(notes))


def _read_predictions(
    records: Sequence[TableRow], asked: Mapping[str, SuiteRow], odd: OddRecords
) -> Iterator[ReleasedPrediction]:
    judged = any(_verdict(one.values) is not None for one in records)
    for record in records:
        values = record.values
        key = _key(values)
        text = next((values[name] for name in _TEXTS if isinstance(values.get(name), str)), None)
        if key is None:
            odd.add(record.problem or "have no complete id, and are ignored", record.record)
            continue
        row = asked.get(key.source_id)
        if row is not None and not _is_same_question(values, row):
            odd.add("ask something else than the suite under the same id, and are ignored", record.record)
            continue
        verdict = _verdict(values)
        if text is None and verdict is None:
            odd.add("hold no prediction, and count as missing", record.record)
            continue
        if (
            row is not None
            and str(values.get("gt_answer", "")) in _CODES
            and _CODES[str(values["gt_answer"])] != row.gold
        ):
            odd.add("have another gold answer than the suite", record.record)
        if judged and verdict is None:
            odd.add("have no word of the judge: their texts are read", record.record)
        yield ReleasedPrediction(record.record, key.source_id, _fields(text or "", verdict, row))


def _key(values: Mapping[str, Any]) -> QuestionKey | None:
    """The key of a record: of its own fields, or out of the index that VLMEvalKit gives it."""
    index = values.get("index")
    named = _INDEX.fullmatch(index) if isinstance(index, str) else None
    return question_key(values) if named is None else QuestionKey(**named.groupdict())


def _verdict(values: Mapping[str, Any]) -> str | None:
    """What the judge said: right, wrong or unclear as "1", "0" or "2"."""
    found = [str(value) for name, value in values.items() if name.endswith(_VERDICT)]
    # What the authors' evaluation makes of the verdict, where the verdict itself is not there.
    correct = values.get("correct")
    if not found and isinstance(correct, int):
        found = [str(int(correct))]
    return next((one for one in found if one in ("0", "1", _UNCLEAR)), None)


def _fields(text: str, verdict: str | None, row: SuiteRow | None) -> Mapping[str, Any]:
    if row is None or row.gold is None:
        return {"text": text}
    if verdict is not None:
        if verdict == _UNCLEAR:
            return {"text": text, "status": "unparsed"}
        return {"text": text, "answer": row.gold if verdict == "1" else _OTHER[row.gold]}
    code = text.strip()
    if code == _UNCLEAR:
        return {"text": text, "status": "unparsed"}
    return {"text": text, "answer": _CODES[code]} if code in _CODES else {"text": text}


def _is_same_question(values: Mapping[str, Any], row: SuiteRow) -> bool:
    asked = values.get("question")
    return not isinstance(asked, str) or _plain(asked).startswith(_plain(row.text))


def _plain(text: str) -> str:
    return " ".join(text.lower().rstrip(" ?.").split())


LAYOUTS = (HallusionBenchPredictions(),)
