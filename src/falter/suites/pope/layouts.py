"""Answers to POPE as they are released, read as its authors read them.

The authors' files have one answer per line in the order of a question file. LLaVA's have all three files in one, with
ids that say which. Answers that come with their image and question are joined by these, whatever their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from falter.errors import InputError
from falter.files import TableRow, read_records
from falter.models.released_files import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow

__all__ = ["LAYOUTS", "PopeAnswers", "official_answer"]

_SHIFTS = ("adversarial", "random", "popular")
"""LLaVA's ids are those of the files, plus 10,000,000 times the position in this list."""
_SHIFT = 10_000_000
_LONGEST_NUMBER = 19
_PREDICTIONS = ("answer", "response", "prediction", "pred", "model_answer", "output")
_NO_WORDS = frozenset(("No", "no", "not"))
_NO_ANSWER = "hold no answer, and count as missing"
_HINT = "give answers to the release that was imported, in the order of its files or with their ids"


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
            records = list(read_records(file))
            if any("item_id" in one.values or "source_id" in one.values for one in records):
                return None
            if all(_prediction(one.values) is None for one in records):
                return None
            odd = OddRecords(file)
            found += _Joiner(file, by_test, odd).join(records)
            notes += odd.notes()
        return ReleasedPredictions(found, tuple(files), tuple(notes))


def _files(path: Path) -> list[Path]:
    """The file, or those of a folder; where some are named for a test, these alone."""
    there = sorted(path.iterdir()) if path.is_dir() else [path]
    found = [one for one in there if one.suffix.lower() in (".json", ".jsonl", ".ndjson", ".txt") and one.is_file()]
    return [one for one in found if any(test in one.name.lower() for test in _SHIFTS)] or found


class _Joiner:
    """Finds the question that each record answers."""

    def __init__(self, path: Path, tests: Mapping[str, Sequence[SuiteRow]], odd: OddRecords) -> None:
        self._path, self._tests, self._odd = path, tests, odd

    def join(self, records: Sequence[TableRow]) -> Iterator[ReleasedPrediction]:
        for test, own in self._by_test(records):
            for record, question in self._match(own, test):
                text = _prediction(record.values)
                if record.problem:
                    self._odd.add(record.problem, record.record)
                elif text is None:
                    self._odd.add(_NO_ANSWER, record.record)
                else:
                    fields = {"text": text, "answer": official_answer(text)}
                    yield ReleasedPrediction(f"{self._path.name}, {record.record}", question.source_id, fields)

    def _by_test(self, records: Sequence[TableRow]) -> Iterator[tuple[str, list[TableRow]]]:
        """The records of each test, in their order."""
        shifts = [_shift(one.values) for one in records]
        if any(shifts):
            known = [_SHIFTS[min(shift, len(_SHIFTS) - 1)] for shift in shifts]
        elif all(isinstance(one.values.get("category"), str) for one in records):
            known = [str(one.values["category"]).lower() for one in records]
        else:
            known = [self._only_test(records)] * len(records)
        for test in dict.fromkeys(known):
            if test not in self._tests:
                there = ", ".join(self._tests)
                raise InputError(self._path, f"answers questions of {test!r:.40}; the suite has {there}", hint=_HINT)
            yield test, [one for one, own in zip(records, known, strict=True) if own == test]

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
            f"has {len(records):,} answers that fit {what} of the tests ({', '.join(self._tests)})",
            hint="name the file for its test, such as answers_random.jsonl, or give the records a category",
        )

    def _fits(self, records: Sequence[TableRow], rows: Sequence[SuiteRow]) -> bool:
        images = {(_image(row.image_id), _question_key(row.text)) for row in rows}
        if all(_image(one.values.get("image")) for one in records):
            return all((_image(one.values["image"]), _key_of(one)) in images for one in records)
        if len(records) != len(rows):
            return False
        return all(_asks(one.values, row.text) is not False for one, row in zip(records, rows, strict=True))

    def _match(self, records: Sequence[TableRow], test: str) -> Iterable[tuple[TableRow, SuiteRow]]:
        rows = self._tests[test]
        if all(_image(one.values.get("image")) and _question(one.values) for one in records):
            yield from self._by_image(records, rows)
        elif all("question_id" in one.values for one in records):
            yield from self._by_id(records, rows, test)
        else:
            yield from self._by_order(records, rows, test)

    def _by_image(self, records: Sequence[TableRow], rows: Sequence[SuiteRow]) -> Iterator[tuple[TableRow, SuiteRow]]:
        known = {(_image(row.image_id), _question_key(row.text)): row for row in rows}
        for one in records:
            row = known.get((_image(one.values["image"]), _key_of(one)))
            if row is None:
                self._odd.add("ask what the suite does not ask, and are ignored", one.record)
            else:
                yield one, row

    def _by_id(
        self, records: Sequence[TableRow], rows: Sequence[SuiteRow], test: str
    ) -> Iterator[tuple[TableRow, SuiteRow]]:
        known = {row.source_id: row for row in rows}
        for one in records:
            row = known.get(f"{test}:{_number(one.values)}")
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
                f"has {len(records):,} answers without ids to the {len(rows):,} questions of {test}: "
                "which is for which cannot be told",
                hint=_HINT,
            )
        for one, row in zip(records, rows, strict=True):
            self._check(one, row)
            yield one, row

    def _check(self, record: TableRow, row: SuiteRow) -> None:
        if _asks(record.values, row.text) is False:
            asked = _question(record.values)
            raise InputError(
                self._path,
                f"answers {asked!r:.80}, where the suite asks {row.text!r:.80}",
                record=record.record,
                hint=_HINT,
            )


def _shift(values: Mapping[str, Any]) -> int:
    """Which of LLaVA's shifts an id has; 0 where it has none."""
    number = str(values.get("question_id"))
    return int(number) // _SHIFT if _is_number(number) else 0


def _number(values: Mapping[str, Any]) -> str:
    """The id in its file; one beyond LLaVA's shifts stays as it is, and is that of no question."""
    number = str(values.get("question_id"))
    return str(int(number) % _SHIFT) if _is_number(number) and _shift(values) < len(_SHIFTS) else number


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < _LONGEST_NUMBER


def _prediction(values: Mapping[str, Any]) -> str | None:
    """What the model said; ``text`` where no other field can be it."""
    names = ("text",) if "prompt" in values and "text" in values else (*_PREDICTIONS, "text")
    found = next((values[name] for name in names if name in values), None)
    return found if isinstance(found, str) else None


def _question(values: Mapping[str, Any]) -> str | None:
    names = ["question", "prompt", "query"]
    if "prompt" not in values and any(name in values for name in _PREDICTIONS):
        names.append("text")
    return next((values[name] for name in names if isinstance(values.get(name), str)), None)


def _asks(values: Mapping[str, Any], text: str) -> bool | None:
    """Whether a record is about this question; None where it does not say."""
    asked = _question(values)
    return None if asked is None else _question_key(text) in _question_key(asked, whole=True)


def _key_of(record: TableRow) -> str:
    return _question_key(_question(record.values) or "")


def _question_key(text: str, *, whole: bool = False) -> str:
    """A question without case, blanks and the slip "imange"; of a prompt, the line that asks."""
    words = " ".join(text.lower().replace("imange", "image").split())
    return words if whole else words.partition("?")[0].strip()


def _image(value: Any) -> str:
    """The number of an image of COCO, under whichever name; else the name without its ending."""
    stem = Path(str(value)).stem if value is not None else ""
    number = stem.rpartition("_")[2]
    return str(int(number)) if _is_number(number) else stem


LAYOUTS = (PopeAnswers(),)
