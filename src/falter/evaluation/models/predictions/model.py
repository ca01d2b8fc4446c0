"""A file of stored predictions as a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from falter.core.errors import InputError, UsageError
from falter.core.files import read_columns_file, sha256_of_bytes, sha256_of_file
from falter.core.tables import format_count
from falter.data.model import (
    Capabilities,
    PublishedItem,
    Reply,
    Request,
    ScoreKind,
    failed_reply,
    own_id,
    split_own_id,
)
from falter.data.model_loading import FileLayout, Layout, LoadContext, SuiteRow
from falter.evaluation.models.predictions.layouts import (
    SCORE_KINDS,
    YES_NO_HINT,
    JoinedIds,
    ParsedRow,
    Prediction,
    join_published_ids,
    parse_released,
    parse_row,
)
from falter.evaluation.models.predictions.rows import REMEDY, ROLES, read_predictions

MISSING = "missing from file"

_ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".xlsx")
_EXAMPLES = 3
_FEW = 0.9
"""A file that has a smaller share of the items than this may be of another suite."""


class _FileNotes(NamedTuple):
    """What is told of a file besides its path: the kind of its scores, the name of the model, and its columns."""

    score_kind: ScoreKind | None = None
    name: str | None = None
    columns: Mapping[str, str] = MappingProxyType({})


class PredictionsModel:
    """Replies with what a file says; items that are not in it fail, and are counted.

    A score whose kind neither the file nor the user names ranks texts as a similarity does: a number between 0 and 1
    need not be a probability, so no threshold is applied to it.
    """

    def __init__(
        self,
        path: Path,
        score_kind: ScoreKind | None = None,
        name: str | None = None,
        *,
        layouts: Sequence[Layout | FileLayout] = (),
        suite_rows: Callable[[], Sequence[SuiteRow]] | None = None,
        yes_no_ids: Callable[[], Iterable[tuple[str, str | None]]] = lambda: (),
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self.path = path
        self.name = name or _name_of(path)
        self._kind = score_kind
        found = _read_file(path, layouts, suite_rows, columns)
        self._notes = found.notes
        self._by_item, self._by_source, self._disputed, self._doubled = _read(path, score_kind, found.rows)
        self._joined: JoinedIds | None = None
        everything = (*self._by_item.values(), *self._by_source.values())
        if score_kind is not None and not any(row.score_kind == score_kind for row in everything):
            kinds = ", ".join(sorted({row.score_kind for row in everything if row.score_kind is not None}))
            why = f"its rows say {kinds} themselves" if kinds else "it has no scores"
            raise UsageError(f"score_kind={score_kind} has no effect on {path}: {why}; leave it out")
        if any(_is_bit(row) for row in everything):
            self._refuse_bits(yes_no_ids())
        self._kinds_unsaid = sum(row.score is not None and row.score_kind is None for row in everything)
        answers = any(
            row.answer is not None or row.text is not None or row.choice_loglikelihoods is not None
            for row in everything
        )
        self.capabilities = Capabilities(
            tasks=frozenset(("answer", "match") if answers else ("match",)),
            reads_context=True,
            batch_size=1024,
            # The file goes by ids, so that equal questions of two suites may have different predictions.
            replays=True,
            preflight=self.preflight,
            join_ids=self.join_ids,
        )
        notes = {**({} if score_kind is None else {"score_kind": score_kind}), **(columns or {})}
        told = ",".join(f"{key}={value}" for key, value in sorted(notes.items()))
        digest = _digest(path, found.files)
        self._fingerprint = sha256_of_bytes(f"{digest} {told}".encode()) if told else digest

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def join_ids(self, rows: Callable[[], Iterator[PublishedItem]]) -> Collection[tuple[str, str]]:
        """Join published ids with items; rows whose prediction differs from that of an equal item get their own."""
        joined = join_published_ids(rows, self._by_source, self._disputed.keys() | self._doubled)
        for source_id, record in self._disputed.items():
            if source_id not in joined.ambiguous:
                raise _two_predictions(self.path, source_id, record)
        self._joined = joined
        return [row for row in joined.own if row[0] not in self._by_item]

    def preflight(self, asked: Iterable[tuple[str, str | None]]) -> list[str]:
        """What to tell the user before asking: how well the file fits the items.

        Rows that show a model the same have one item id and may have several published ones.
        """
        asked = list(asked)
        if self._joined is None:
            self.join_ids(lambda: (PublishedItem(item_id, source_id, "") for item_id, source_id in asked))
        assert self._joined is not None
        # Equal items of different tests have a reply each, or none.
        items = {item_id for item_id, _ in asked}
        published = {(item_id, source_id): source_id or item_id for item_id, source_id in asked}
        used, ambiguous = self._joined.joined, self._joined.ambiguous
        missing = [shown for row, shown in published.items() if self._find(self._reply_id(*row), None) is None]
        surplus = [item for item in self._by_item if item not in items]
        surplus += [one for one in self._by_source if one not in used and one not in items and one not in ambiguous]
        notes = list(self._notes)
        found = len(published) - len(missing)
        if published and not found:
            raise InputError(
                self.path,
                f"has none of the {format_count(len(items), 'items')} of the suite; the suite has ids such as "
                f"{_examples(missing)}, the "
                f"file {_examples(surplus or sorted(ambiguous))}",
                hint="give the predictions of this suite, with its item_id or source_id",
            )
        if missing:
            few = found < _FEW * len(published)
            notes.append(
                f"{'warning: ' if few else ''}{len(missing)} of {len(published)} items are {MISSING} {self.path.name}: "
                f"they count as failed ({_examples(missing)}){'; check that the file is of this suite' if few else ''}"
            )
        if surplus:
            notes.append(
                f"{_told(surplus, 'id')} in {self.path.name} {_verb(surplus, 'is', 'are')} not in the suite: "
                f"{_verb(surplus, 'it is', 'they are')} ignored ({_examples(surplus)})"
            )
        if ambiguous:
            notes.append(
                f"{_told(ambiguous, 'id')} in {self.path.name} {_verb(ambiguous, 'stands', 'stand')} for different "
                f"questions: {_verb(ambiguous, 'its', 'their')} predictions are not used, unless given by "
                f"item_id ({_examples(sorted(ambiguous))})"
            )
        empty = self._empty_ids(asked, ambiguous)
        if empty:
            notes.append(
                f"{_told(empty, 'prediction')} in {self.path.name} {_verb(empty, 'is', 'are')} empty: "
                f"{_verb(empty, 'it says', 'they say')} nothing ({_examples(empty)})"
            )
        doubled = sorted(self._doubled - ambiguous)
        if doubled:
            notes.append(
                f"{_told(doubled, 'id')} in {self.path.name} {_verb(doubled, 'comes', 'come')} again with another "
                f"prediction: the first counts ({_examples(doubled)})"
            )
        if self._kinds_unsaid:
            notes.append(
                f"{self.path.name} does not say what its scores are: they rank texts, but no threshold applies to them "
                f"(if they are probabilities, add score_kind, or write file:{self.path.name}#score_kind=probability)"
            )
        return notes

    def _empty_ids(self, asked: Iterable[tuple[str, str | None]], ambiguous: Collection[str]) -> list[str]:
        """The ids of the file's empty predictions of these rows; equal items may have one each."""
        empty: dict[tuple[str, str | None], str] = {}
        for item_id, source_id in asked:
            given = split_own_id(item_id)[0] in self._by_item
            published = None if given or source_id in ambiguous else self._by_source.get(source_id or "")
            if _is_empty(published or self._find(item_id, None)):
                by = (item_id, None) if published is None else ("", source_id)
                empty.setdefault(by, source_id or item_id)
        return list(empty.values())

    def _reply_id(self, item_id: str, source_id: str | None) -> str:
        """The id under which a row is asked: its own where its reply is not that of its item."""
        assert self._joined is not None
        has_own = source_id is not None and item_id not in self._by_item and (item_id, source_id) in self._joined.own
        return own_id(item_id, source_id or "") if has_own else item_id

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [self._reply(request) for request in batch]

    def _refuse_bits(self, yes_no_ids: Iterable[tuple[str, str | None]]) -> None:
        """Stop where every yes/no question is answered with 1 or 0, which says neither yes nor no."""
        answered = (self._find(item_id, source_id) for item_id, source_id in yes_no_ids)
        known = [row for row in answered if row is not None]
        if known and all(map(_is_bit, known)):
            raise InputError(self.path, "answers every yes/no question with 1 or 0", hint=YES_NO_HINT)

    def _find(self, item_id: str, source_id: str | None) -> Prediction | None:
        item_id, own = split_own_id(item_id)
        if own is not None:
            replied = own if self._joined is None else self._joined.own.get((item_id, own), own)
            return None if replied is None else self._by_source.get(replied)
        row = self._by_item.get(item_id)
        if self._joined is not None:
            source_id = self._joined.first.get(item_id)
        for published in (source_id, item_id):
            if row is None and published is not None:
                row = self._by_source.get(published)
        return row

    def _reply(self, request: Request) -> Reply:
        row = self._find(request.item_id, request.source_id)
        if row is None:
            return failed_reply(request.item_id, MISSING)
        if row.choice_loglikelihoods is not None:
            return _choice_reply(request, row.choice_loglikelihoods)
        if row.unparsed:
            return Reply(item_id=request.item_id, status="unparsed", text=row.text)
        if row.answer is None and row.text is None and (request.task == "answer" or row.score is None):
            return failed_reply(request.item_id, "the file has no answer for it")
        # A lone answer is what the model wrote: it is read like any other text.
        return Reply(
            item_id=request.item_id,
            text=row.text if row.text is not None else row.answer,
            answer=row.answer if row.text is not None else None,
            score=row.score,
            score_kind=None if row.score is None else row.score_kind or self._kind or "similarity",
            finish_reason="length" if row.cut_off else None,
        )


def _choice_reply(request: Request, likelihoods: tuple[float, ...]) -> Reply:
    if request.choices is None or len(request.choices) != len(likelihoods):
        expected = 0 if request.choices is None else len(request.choices)
        why = f"the file has log-likelihoods of {len(likelihoods)} choices, and there are {expected}"
        return failed_reply(request.item_id, why)
    return Reply(item_id=request.item_id, choice_scores=dict(zip(request.choices, likelihoods, strict=True)))


def _is_empty(row: Prediction | None) -> bool:
    return row is not None and (row.answer if row.text is None else row.text) == ""


def _is_bit(row: Prediction) -> bool:
    return (row.text if row.answer is None else row.answer) in ("0", "1") and not row.unparsed


def _told(found: Collection[str], noun: str) -> str:
    """How many there are: "1 id", "2 ids"."""
    return f"{len(found)} {_verb(found, noun, f'{noun}s')}"


def _verb(found: Collection[str], one: str, several: str) -> str:
    return one if len(found) == 1 else several


def _examples(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:_EXAMPLES])
    return shown if len(ids) <= _EXAMPLES else f"{shown}, ..."


def load_predictions(rest: str, context: LoadContext) -> PredictionsModel:
    """Open a file of predictions: ``PATH``, or ``PATH#score_kind=probability,name=...,answer=COLUMN``."""
    path, said = Path(rest), _FileNotes()
    if not path.exists() and "#" in rest:
        plain, _, told = rest.rpartition("#")
        path, said = Path(plain), _parse_file_notes(told)
    if not path.is_file() and not path.is_dir():
        raise InputError(path, "is not a file", hint=REMEDY)
    return PredictionsModel(
        path,
        said.score_kind,
        said.name,
        layouts=context.layouts,
        suite_rows=context.suite_rows,
        yes_no_ids=context.yes_no_ids,
        columns=said.columns,
    )


def _name_of(path: Path) -> str:
    """The file's name without the ending of its format."""
    return path.name if path.is_dir() or path.suffix.lower() not in _ENDINGS else path.stem or path.name


def _parse_file_notes(told: str) -> _FileNotes:
    said = _FileNotes()
    for part in told.split(","):
        key, _, value = part.partition("=")
        match key:
            case "score_kind":
                kind = next((kind for kind in SCORE_KINDS if kind == value), None)
                if kind is None:
                    raise UsageError(f"score_kind is one of {', '.join(SCORE_KINDS)}, not {value!r}")
                said = said._replace(score_kind=kind)
            case "name" if value:
                said = said._replace(name=value)
            case "columns" if value:
                read = read_columns_file(Path(value), ROLES, ())["columns"]
                said = said._replace(columns={**read, **said.columns})
            case _ if key in ROLES and value:
                said = said._replace(columns={**said.columns, key: value})
            case _:
                raise UsageError(
                    "after file:PATH# stand score_kind=KIND, name=NAME, columns=FILE or ROLE=COLUMN, with the roles "
                    f"{', '.join(ROLES[:-1])}, not {part!r:.60}"
                )
    return said


class _Predictions(NamedTuple):
    by_item: dict[str, Prediction]
    by_source: dict[str, Prediction]
    disputed: dict[str, str]
    """Published ids with different predictions, and the record that differs from an earlier one."""
    doubled: set[str]
    """Such ids in a released file, which is read as it is."""


class _ParsedFile(NamedTuple):
    rows: Iterable[tuple[str, ParsedRow]]
    """The name of each row in messages, and the row."""
    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def _read_file(
    path: Path,
    layouts: Sequence[Layout | FileLayout],
    suite_rows: Callable[[], Sequence[SuiteRow]] | None,
    columns: Mapping[str, str] | None,
) -> _ParsedFile:
    """The rows of a file or a folder; layouts of whole files that a bundle has are tried first.

    A file whose columns the user names is in no layout but Falter's own.
    """
    if columns and path.is_dir():
        raise UsageError(f"{path} is a folder, which has no columns to name; leave {', '.join(columns)} out")
    if columns:
        rows = read_predictions(path, columns)
        return _ParsedFile(((row.record, parse_row(row, path, (), columns)) for row in rows), (path,))
    for layout in layouts:
        if suite_rows is not None and isinstance(layout, FileLayout):
            found = layout.read_file(path, suite_rows)
            if found is not None:
                return _ParsedFile(
                    [(one.record, parse_released(one, path)) for one in found.rows], found.files, found.notes
                )
    if path.is_dir():
        raise InputError(path, "is a folder in no layout in which predictions for this suite are released", hint=REMEDY)
    by_row = [layout for layout in layouts if not isinstance(layout, FileLayout)]
    return _ParsedFile(((row.record, parse_row(row, path, by_row)) for row in read_predictions(path)), (path,))


def _digest(path: Path, files: Sequence[Path]) -> str:
    if path.is_file():
        return sha256_of_file(path)
    names = ((one.relative_to(path).as_posix(), one) for one in files)
    return sha256_of_bytes("".join(f"{sha256_of_file(one)}  {name}\n" for name, one in sorted(names)).encode())


def _read(path: Path, kind: ScoreKind | None, rows: Iterable[tuple[str, ParsedRow]]) -> _Predictions:
    found = _Predictions({}, {}, {}, set())
    for record, row in rows:
        identity, is_item, prediction, released = row
        if prediction.score is not None and prediction.score_kind is None:
            prediction = prediction._replace(score_kind=kind)
        if prediction.score_kind == "probability" and not 0 <= (prediction.score or 0) <= 1:
            raise InputError(path, f"a probability is between 0 and 1, not {prediction.score}", record=record)
        target = found.by_item if is_item else found.by_source
        if target.setdefault(identity, prediction) != prediction:
            if is_item:
                raise _two_predictions(path, identity, record)
            if released:
                found.doubled.add(identity)
            else:
                found.disputed.setdefault(identity, record)
    if not found.by_item and not found.by_source:
        raise InputError(path, "holds no predictions", hint=REMEDY)
    return found


def _two_predictions(path: Path, identity: str, record: str) -> InputError:
    return InputError(path, f"{identity} has two different predictions", record=record, hint="keep one of them")
