"""A user's own tables: of questions with their answers, or of captions with perhaps a question about each.

A row names its image. The table is CSV, TSV, JSONL, JSON or Parquet. ``image`` names a file below the folder of images,
or below the table's own folder, with or without its ending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from os.path import normpath
from pathlib import Path
from typing import Any, NamedTuple

from falter.core.errors import InputError, UsageError
from falter.core.files import TableRow, is_regular, read_rows, sha256_of_file
from falter.data.images import Source
from falter.generation.sources.protocol import (
    Dialogue,
    DialogueRound,
    HasCaptions,
    HasDialogues,
    HasQuestions,
    Question,
    provides,
)
from falter.generation.sources.published_files import find_licence

_ENDINGS = ("", ".jpg", ".jpeg", ".png", ".webp")


def cell_text(value: object) -> str | None:
    """A cell as a text: whole numbers are written out, whatever else is no text is missing.

    >>> cell_text(7.0), cell_text(" a dog "), cell_text("  "), cell_text(True)
    ('7', 'a dog', None, None)
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() or None if isinstance(value, str) else None


def find_named_image(folder: Path, name: str) -> Path | None:
    """The image of a name, with or without its ending; what a table says never leads out of the folder."""
    for ending in _ENDINGS:
        path = Path(normpath(folder / f"{name}{ending}"))
        if path.is_relative_to(folder) and is_regular(path):
            return path
    return None


class TableSettings(NamedTuple):
    """Where a table and its images are, and what its columns are called."""

    file: Path
    images: Path | None
    columns: dict[str, str]
    licence: str


def read_table_settings(source: str, settings: Mapping[str, str], columns: Sequence[str], hint: str) -> TableSettings:
    """The settings after ``source:``, checked; ``hint`` says what a table has."""
    keys = ("file", "images", "licence", *columns)
    unknown = sorted(set(settings) - {"", *keys})
    if unknown:
        raise UsageError(f"{source} has no setting {unknown[0]!r}: there are {', '.join(keys)}")
    file = settings.get("file", settings.get("", ""))
    if not file:
        raise UsageError(f"{source} needs a file: {source}:FILE or {source}:file=FILE,images=DIR")
    if not Path(file).is_file():
        raise InputError(file, "does not exist" if not Path(file).exists() else "is not a file", hint=hint)
    images = Path(settings["images"]) if "images" in settings else None
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    named = {name: settings[name] for name in columns if name in settings}
    return TableSettings(Path(file), images, named, settings.get("licence", ""))


_QUESTION_COLUMNS = ("image", "question", "answer", "id")
_QUESTION_REMEDY = (
    "a table has the columns image, question and answer, and may have id; table:file=FILE,question=NAME renames one"
)


@provides(HasQuestions)
def open_table(settings: Mapping[str, str]) -> Source:
    """Open your own table (CSV, JSONL, Parquet) of image, question, answer and perhaps id: ``table:FILE``."""
    given = read_table_settings("table", settings, _QUESTION_COLUMNS, _QUESTION_REMEDY)
    return TableSource(given.file, given.images, columns=given.columns, licence=given.licence)


class TableSource:
    """Questions with one answer each; a row that cannot be used is skipped and counted in ``problems``."""

    name = "table"

    def __init__(
        self, file: Path, images: Path | None = None, *, columns: Mapping[str, str] | None = None, licence: str = ""
    ) -> None:
        """``columns`` has the names of columns that are called otherwise."""
        self.problems: Counter[str] = Counter()
        self.licence = find_licence(file, licence)
        self._path = file
        self._folder = (file.parent if images is None else images).absolute()
        self._columns = {name: (columns or {}).get(name, name) for name in _QUESTION_COLUMNS}
        self._questions: dict[str, Question] = {}
        for number, row in enumerate(read_rows(file, _QUESTION_REMEDY), start=1):
            if number == 1:
                self._check_columns(row)
            self._add(row, number)

    def _check_columns(self, row: TableRow) -> None:
        missing = [self._columns[name] for name in ("image", "question", "answer")]
        missing = [name for name in missing if name not in row.values]
        if missing and not row.problem:
            raise InputError(
                self._path, f"lacks the columns {', '.join(missing)}", record=row.record, hint=_QUESTION_REMEDY
            )

    def _add(self, row: TableRow, number: int) -> None:
        image, text, answer, given = (cell_text(row.values.get(self._columns[name])) for name in _QUESTION_COLUMNS)
        id_ = str(number) if given is None else given
        problem: str | None = None
        if row.problem:
            problem = f"the row {row.problem}"
        elif image is None:
            problem = "the row has no image"
        elif text is None:
            problem = "the row has no question"
        elif answer is None:
            problem = "the row has no answer"
        elif id_ in self._questions:
            problem = "the id appears twice"
        if problem is None and image is not None and text is not None:
            self._questions[id_] = Question(id=id_, image_id=image, text=text, answer=answer)
        else:
            self.problems[problem or "the row is malformed"] += 1

    def describe(self) -> dict[str, Any]:
        """The name and the hash of the file."""
        return {"name": self.name, "files": [{"name": self._path.name, "sha256": sha256_of_file(self._path)}]}

    def image_ids(self) -> Sequence[str]:
        return list(dict.fromkeys(question.image_id for question in self._questions.values()))

    def questions(self) -> Iterator[Question]:
        """All questions in the order of the table."""
        yield from self._questions.values()

    def image_path(self, image_id: str) -> Path | None:
        """The file of an image; what the table says never leads out of the folder."""
        return find_named_image(self._folder, image_id)


_CAPTION_COLUMNS = ("image", "caption", "question", "answer")
_CAPTION_REMEDY = (
    "a table has the columns image and caption, and may have question and answer; captions:file=FILE,caption=NAME "
    "renames one"
)


class _Row(NamedTuple):
    image: str
    caption: str
    question: str | None
    answer: str | None


@provides(HasCaptions, HasDialogues)
def open_captions(settings: Mapping[str, str]) -> Source:
    """Open your own captions (CSV, JSONL, Parquet), perhaps with question and answer: ``captions:FILE``."""
    given = read_table_settings("captions", settings, _CAPTION_COLUMNS, _CAPTION_REMEDY)
    found = CaptionTable(given.file, given.images, columns=given.columns, licence=given.licence)
    return QuestionedCaptionTable(found) if found.has_questions else found


class CaptionTable:
    """Captions by image; a row that cannot be used is skipped and counted in ``problems``."""

    name = "captions"

    def __init__(
        self, file: Path, images: Path | None = None, *, columns: Mapping[str, str] | None = None, licence: str = ""
    ) -> None:
        """``columns`` has the names of columns that are called otherwise."""
        self.problems: Counter[str] = Counter()
        self.licence = find_licence(file, licence)
        self.path = file
        self._folder = (file.parent if images is None else images).absolute()
        named = {name: (columns or {}).get(name, name) for name in _CAPTION_COLUMNS}
        self.rows: list[_Row] = []
        first: tuple[str | None, str] | None = None
        for number, row in enumerate(read_rows(file, _CAPTION_REMEDY)):
            if number == 0 and not row.problem:
                missing = [named[name] for name in ("image", "caption") if named[name] not in row.values]
                if missing:
                    raise InputError(
                        file, f"lacks the columns {', '.join(missing)}", record=row.record, hint=_CAPTION_REMEDY
                    )
            image, caption, question, answer = (cell_text(row.values.get(named[name])) for name in _CAPTION_COLUMNS)
            if row.problem or image is None or caption is None:
                lacks = f"the row {row.problem}" if row.problem else f"the row has no {'caption' if image else 'image'}"
                self.problems[lacks] += 1
                first = first or (row.record, lacks)
                continue
            self.rows.append(_Row(image, caption, question, answer))
        self._captions: dict[str, list[str]] = {}
        for one in self.rows:
            known = self._captions.setdefault(one.image, [])
            if one.caption not in known:
                known.append(one.caption)
        if not self.rows:
            record, why = first or (None, "")
            said = "has no row with an image and a caption" + (f"; the first: {why}" if why else "")
            raise InputError(file, said, record=record, hint=_CAPTION_REMEDY)

    @property
    def has_questions(self) -> bool:
        """Whether a row has a question."""
        return any(row.question is not None for row in self.rows)

    def describe(self) -> dict[str, Any]:
        """The name and the hash of the file."""
        return {"name": self.name, "files": [{"name": self.path.name, "sha256": sha256_of_file(self.path)}]}

    def image_ids(self) -> Sequence[str]:
        return list(self._captions)

    def captions(self, image_id: str) -> Sequence[str]:
        """The captions of an image, in the order of the table, each once."""
        return self._captions.get(image_id, [])

    def image_path(self, image_id: str) -> Path | None:
        """The file of an image; what the table says never leads out of the folder."""
        return find_named_image(self._folder, image_id)


class QuestionedCaptionTable:
    """Captions of which some have a question and an answer: each of these is a dialogue of one round."""

    name = "captions"

    def __init__(self, table: CaptionTable) -> None:
        self._table = table
        self.licence, self.problems = table.licence, table.problems
        self.describe, self.image_ids = table.describe, table.image_ids
        self.captions, self.image_path = table.captions, table.image_path

    def dialogues(self) -> Iterator[Dialogue]:
        """One for each row with a question, in the order of the table."""
        for row in self._table.rows:
            if row.question is not None:
                asked = DialogueRound(question=row.question, answer=row.answer)
                yield Dialogue(image_id=row.image, caption=row.caption, rounds=(asked,))
