"""A user's own table of questions: one row each, with the image, the question and its answer.

The table is CSV, TSV, JSONL, JSON or Parquet. ``image`` names a file below the folder of images, or below the table's
own folder, with or without its ending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from falter.errors import InputError
from falter.files import TableRow, read_rows, sha256_of_file
from falter.sources.licence import find_licence
from falter.sources.protocol import HasQuestions, Question, Source, provides
from falter.sources.table_cells import cell_text, find_named_image
from falter.sources.table_settings import read_table_settings

__all__ = ["TableSource", "open_table"]

_COLUMNS = ("image", "question", "answer", "id")
_REMEDY = (
    "a table has the columns image, question and answer, and may have id; table:file=FILE,question=NAME renames one"
)


@provides(HasQuestions)
def open_table(settings: Mapping[str, str]) -> Source:
    """Open your own table (CSV, JSONL, Parquet) of image, question, answer and perhaps id: ``table:FILE``."""
    given = read_table_settings("table", settings, _COLUMNS, _REMEDY)
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
        self._columns = {name: (columns or {}).get(name, name) for name in _COLUMNS}
        self._questions: dict[str, Question] = {}
        for number, row in enumerate(read_rows(file, _REMEDY), start=1):
            if number == 1:
                self._check_columns(row)
            self._add(row, number)

    def _check_columns(self, row: TableRow) -> None:
        missing = [self._columns[name] for name in ("image", "question", "answer")]
        missing = [name for name in missing if name not in row.values]
        if missing and not row.problem:
            raise InputError(self._path, f"lacks the columns {', '.join(missing)}", record=row.record, hint=_REMEDY)

    def _add(self, row: TableRow, number: int) -> None:
        image, text, answer, given = (cell_text(row.values.get(self._columns[name])) for name in _COLUMNS)
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
