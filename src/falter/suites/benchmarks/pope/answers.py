"""Answers to POPE as they are released, read as its authors read them.

The authors' files have one answer per line in the order of a question file. LLaVA's have all three files in one, with
ids that say which; so have those of lmms-eval and VLMEvalKit, with a category. Answers that come with their image and
question are joined by these, whatever their order. What a record says stands under the names that its fields go by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

from falter.core.errors import InputError
from falter.core.files import TableRow
from falter.core.tables import format_count
from falter.data.model_loading import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow
from falter.evaluation.models.predictions.rows import ANSWER_ENDINGS, read_answer_records

SHIFTED_TESTS = ("adversarial", "random", "popular")
"""LLaVA's ids are those of the files, plus 10,000,000 times the position in this list."""
_SHIFT = 10_000_000
_LONGEST_NUMBER = 19
_PREDICTIONS = ("prediction", "pred", "model_answer", "model_prediction", "response", "output", "outputs", "ans")
_QUESTIONS = ("question", "prompt", "query")
_IMAGES = ("image", "image_source", "image_id", "image_file", "image_path", "filename")
_GOLDS = ("label", "gt_answer", "gt_ans", "gt", "ground_truth", "answer")


def prediction_of(values: Mapping[str, Any]) -> str | None:
    """What the model said: beside another prediction ``answer`` is the gold, beside a question ``text`` is no question.

    >>> prediction_of({"question": "Is there a dog?", "text": "Yes", "answer": "no"})
    'Yes'
    >>> prediction_of({"text": "Is there a dog?", "label": "no", "answer": "Yes"})
    'Yes'
    """
    asked = any(name in values for name in _QUESTIONS)
    names = (*_PREDICTIONS, "text", "answer") if asked else (*_PREDICTIONS, "answer", "text")
    found = next((values[name] for name in names if name in values), None)
    return found if isinstance(found, str) else None


def question_of(values: Mapping[str, Any]) -> str | None:
    """The question that a record quotes."""
    names = list(_QUESTIONS)
    if "prompt" not in values and any(name in values for name in (*_PREDICTIONS, "answer")):
        names.append("text")
    return next((values[name] for name in names if isinstance(values.get(name), str)), None)


def gold_of(values: Mapping[str, Any]) -> str | None:
    """The gold answer that a record repeats, where something else in it is the prediction."""
    names = _GOLDS if any(name in values for name in _PREDICTIONS) else _GOLDS[:-1]
    found = next((values[name] for name in names if isinstance(values.get(name), str)), None)
    return None if found is None else found.strip().lower()


def asks(values: Mapping[str, Any], text: str) -> bool | None:
    """Whether a record is about this question; None where it does not say."""
    asked = question_of(values)
    return None if asked is None else question_key(text) in question_key(asked, whole=True)


def question_key(text: str, *, whole: bool = False) -> str:
    """A question without case, blanks and the slip "imange"; of a prompt, the line that asks."""
    words = " ".join(text.lower().replace("imange", "image").split())
    return words if whole else words.partition("?")[0].strip()


def image_of(values: Mapping[str, Any]) -> str:
    """The key of the image that a record names; empty where it names none."""
    return next((key for name in _IMAGES if (key := image_key(values.get(name)))), "")


def image_key(value: Any) -> str:
    """The number of an image of COCO, under whichever name; else the name without its ending."""
    if not isinstance(value, str | int):
        return ""
    stem = Path(str(value)).stem
    number = stem.rpartition("_")[2]
    return str(int(number)) if _is_number(number) else stem


def shift_of(values: Mapping[str, Any]) -> int:
    """Which of LLaVA's shifts an id has; 0 where it has none."""
    number = str(values.get("question_id"))
    return int(number) // _SHIFT if _is_number(number) else 0


def number_of(values: Mapping[str, Any]) -> str:
    """The id in its file; one beyond LLaVA's shifts stays as it is, and is that of no question."""
    number = str(values.get("question_id"))
    return str(int(number) % _SHIFT) if _is_number(number) and shift_of(values) < len(SHIFTED_TESTS) else number


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < _LONGEST_NUMBER


_NO_WORDS = frozenset(("No", "no", "not"))
_NO_ANSWER = "hold no answer, and count as missing"
_HINT = (
    "give answers to the release that was imported (there is one of August and one of November 2023), in the order of "
    "its files or with their ids"
)


def official_answer(text: str) -> str:
    """Yes or no as the authors' evaluation reads it: no where the first sentence has the word No, no or not.

    >>> [official_answer(text) for text in ("Yes, there is. No doubt.", "No.", "There isn't", "")]
    ['yes', 'no', 'yes', 'yes']
    """
    words = text.split(".", 1)[0].replace(",", "").split(" ")
    return "no" if _NO_WORDS.intersection(words) else "yes"


class PopeAnswers:
    """Files of answers to POPE: the authors' layout, LLaVA's, and their kin."""

    def read_file(self, path: Path, rows: Callable[[], Sequence[SuiteRow]]) -> ReleasedPredictions | None:
        files = _files(path)
        if not files:
            return None
        found: list[ReleasedPrediction] = []
        notes: list[str] = []
        by_test: dict[str, list[SuiteRow]] = {}
        for row in rows():
            by_test.setdefault(row.test, []).append(row)
        for file in files:
            records = list(read_answer_records(file))
            if any("item_id" in one.values or "source_id" in one.values for one in records):
                return None
            if all(prediction_of(one.values) is None for one in records):
                return None
            odd = OddRecords(file)
            found += _Joiner(file, by_test, odd).join(records)
            notes += odd.notes()
        return ReleasedPredictions(found, tuple(files), tuple(notes))


def _files(path: Path) -> list[Path]:
    """The file, or those of a folder; where some are named for a test, these alone."""
    there = sorted(path.iterdir()) if path.is_dir() else [path]
    found = [one for one in there if one.suffix.lower() in ANSWER_ENDINGS and one.is_file()]
    return [one for one in found if any(test in one.name.lower() for test in SHIFTED_TESTS)] or found


class _Joiner:
    """Finds the question that each record answers."""

    def __init__(self, path: Path, tests: Mapping[str, Sequence[SuiteRow]], odd: OddRecords) -> None:
        self._path, self._tests, self._odd = path, tests, odd

    def join(self, records: Sequence[TableRow]) -> Iterator[ReleasedPrediction]:
        for record in records:
            if record.problem:
                self._odd.add(record.problem, record.record)
        for test, own in self._by_test([record for record in records if not record.problem]):
            for record, question in self._match(own, test):
                text = prediction_of(record.values)
                if text is None:
                    self._odd.add(_NO_ANSWER, record.record)
                else:
                    fields = {"text": text, "answer": official_answer(text)}
                    yield ReleasedPrediction(f"{self._path.name}, {record.record}", question.source_id, fields)

    def _by_test(self, records: Sequence[TableRow]) -> Iterator[tuple[str, list[TableRow]]]:
        """The records of each test, in their order; a record may be of several."""
        known = self._tests_of(records)
        for test in dict.fromkeys(test for tests in known for test in tests):
            if test not in self._tests:
                there = ", ".join(self._tests)
                raise InputError(self._path, f"answers questions of {test!r:.40}; the suite has {there}", hint=_HINT)
            yield test, [one for one, own in zip(records, known, strict=True) if test in own]

    def _tests_of(self, records: Sequence[TableRow]) -> Sequence[tuple[str, ...]]:
        shifts = [shift_of(one.values) for one in records]
        if any(shifts):
            return [(SHIFTED_TESTS[min(shift, len(SHIFTED_TESTS) - 1)],) for shift in shifts]
        if all(isinstance(one.values.get("category"), str) for one in records):
            # VLMEvalKit asks a question of several files once, and names them all.
            return [tuple(part.strip() for part in one.values["category"].lower().split(",")) for one in records]
        return self._one_after_another(records) or [(self._only_test(records),)] * len(records)

    def _one_after_another(self, records: Sequence[TableRow]) -> Sequence[tuple[str, ...]] | None:
        """The tests of a file that asks all questions of the suite, test after test; None where it does not."""
        if len(self._tests) == 1 or len(records) != sum(map(len, self._tests.values())):
            return None
        for order in permutations(self._tests):
            rows = [row for test in order for row in self._tests[test]]
            if all(asks(one.values, row.text) for one, row in zip(records, rows, strict=True)):
                return [(row.test,) for row in rows]
        return None

    def _only_test(self, records: Sequence[TableRow]) -> str:
        """The test that a file without marks is about: by its name, else by its questions, else by its length."""
        named = [test for test in self._tests if test in self._path.name.lower()]
        if len(named) == 1:
            return named[0]
        fitting = [test for test, rows in self._tests.items() if self._fits(records, rows)]
        if len(fitting) == 1:
            return fitting[0]
        what = "one of several" if fitting else "none"
        raise InputError(
            self._path,
            f"has {format_count(len(records), 'answers')} that fit {what} of the tests ({', '.join(self._tests)})",
            hint="name the file for its test, such as answers_random.jsonl, or give the records a category",
        )

    def _fits(self, records: Sequence[TableRow], rows: Sequence[SuiteRow]) -> bool:
        known = {(image_key(row.image_id), question_key(row.text)) for row in rows}
        if all(image_of(one.values) for one in records):
            return all((image_of(one.values), question_key(question_of(one.values) or "")) in known for one in records)
        if all("question_id" in one.values for one in records):
            # A file that was cut off before LLaVA's first shift says only by its texts which ids it counts.
            by_number = {row.source_id.rpartition(":")[2]: row for row in rows}
            asked = [by_number.get(number_of(one.values)) for one in records]
            return all(row and asks(one.values, row.text) for one, row in zip(records, asked, strict=True))
        return len(records) == len(rows) and self._in_order(records, rows)

    def _in_order(self, records: Sequence[TableRow], rows: Sequence[SuiteRow]) -> bool:
        return all(asks(one.values, row.text) is not False for one, row in zip(records, rows, strict=False))

    def _match(self, records: Sequence[TableRow], test: str) -> Iterable[tuple[TableRow, SuiteRow]]:
        rows = self._tests[test]
        known = {(image_key(row.image_id), question_key(row.text)): row for row in rows}
        asked = [(image_of(one.values), question_key(question_of(one.values) or "")) for one in records]
        if all(all(one) for one in asked) and any(one in known for one in asked):
            yield from self._by_image(records, [known.get(one) for one in asked])
        elif all("question_id" in one.values for one in records):
            yield from self._by_id(records, rows, test)
        elif len(records) == len(rows) and not self._in_order(records, rows):
            yield from self._by_question(records, rows, test)
        else:
            yield from self._by_order(records, rows, test)

    def _by_image(
        self, records: Sequence[TableRow], rows: Sequence[SuiteRow | None]
    ) -> Iterator[tuple[TableRow, SuiteRow]]:
        for one, row in zip(records, rows, strict=True):
            if row is None:
                self._odd.add("ask what the suite does not ask, and are ignored", one.record)
            else:
                yield one, row

    def _by_question(
        self, records: Sequence[TableRow], rows: Sequence[SuiteRow], test: str
    ) -> Iterable[tuple[TableRow, SuiteRow]]:
        """Questions in another order without their images: which of equal ones with equal golds it is does not matter.

        A score over them is the same whichever of them an answer is for.
        """
        open_rows: dict[tuple[str, str | None], list[SuiteRow]] = {}
        for row in reversed(rows):
            open_rows.setdefault((question_key(row.text), row.gold), []).append(row)
        found: list[tuple[TableRow, SuiteRow]] = []
        for one in records:
            own = open_rows.get((question_key(question_of(one.values) or ""), gold_of(one.values)))
            if not own:
                return self._by_order(records, rows, test)
            found.append((one, own.pop()))
        for one in records:
            self._odd.add("name neither image nor id, and are joined by question and gold answer", one.record)
        return found

    def _by_id(
        self, records: Sequence[TableRow], rows: Sequence[SuiteRow], test: str
    ) -> Iterator[tuple[TableRow, SuiteRow]]:
        known = {row.source_id: row for row in rows}
        for one in records:
            row = known.get(f"{test}:{number_of(one.values)}")
            if row is None:
                self._odd.add("have ids that are not in the suite, and are ignored", one.record)
            else:
                self._check(one, row)
                yield one, row

    def _by_order(
        self, records: Sequence[TableRow], rows: Sequence[SuiteRow], test: str
    ) -> Iterator[tuple[TableRow, SuiteRow]]:
        if len(records) != len(rows):
            raise InputError(
                self._path,
                f"has {format_count(len(records), 'answers')} without ids to the "
                f"{format_count(len(rows), 'questions')} of {test}: "
                "which is for which cannot be told",
                hint=_HINT,
            )
        for one, row in zip(records, rows, strict=True):
            self._check(one, row)
            yield one, row

    def _check(self, record: TableRow, row: SuiteRow) -> None:
        if asks(record.values, row.text) is False:
            asked = question_of(record.values)
            raise InputError(
                self._path,
                f"answers {asked!r:.80}, where the suite asks {row.text!r:.80}",
                record=record.record,
                hint=_HINT,
            )


LAYOUTS = (PopeAnswers(),)
