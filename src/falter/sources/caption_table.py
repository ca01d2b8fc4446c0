"""A user's own captions: one row each, with the image, the caption, and perhaps a question about it with its answer.

The table is CSV, TSV, JSONL, JSON or Parquet. ``image`` names a file below the folder of images, or below the table's
own folder, with or without its ending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from falter.errors import InputError
from falter.files import read_rows, sha256_of_file
from falter.sources.licence import find_licence
from falter.sources.protocol import Dialogue, DialogueRound, HasCaptions, HasDialogues, Source, provides
from falter.sources.table_cells import cell_text, find_named_image
from falter.sources.table_settings import read_table_settings

__all__ = ["CaptionTable", "QuestionedCaptionTable", "open_captions"]

_COLUMNS = ("image", "caption", "question", "answer")
_REMEDY = (
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
    given = read_table_settings("captions", settings, _COLUMNS, _REMEDY)
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
        named = {name: (columns or {}).get(name, name) for name in _COLUMNS}
        self.rows: list[_Row] = []
        first: tuple[str | None, str] | None = None
        for number, row in enumerate(read_rows(file, _REMEDY)):
            if number == 0 and not row.problem:
                missing = [named[name] for name in ("image", "caption") if named[name] not in row.values]
                if missing:
                    raise InputError(file, f"lacks the columns {', '.join(missing)}", record=row.record, hint=_REMEDY)
            image, caption, question, answer = (cell_text(row.values.get(named[name])) for name in _COLUMNS)
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
            raise InputError(file, said, record=record, hint=_REMEDY)

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
