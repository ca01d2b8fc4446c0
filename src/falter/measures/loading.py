"""The items of a suite and the replies to them, with every string turned into an integer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from falter.answers import normalise
from falter.errors import InputError
from falter.measures.cells import EXPECTS, class_code
from falter.measures.interning import NONE, Codes, Vocabulary, code_rows
from falter.measures.match_replies import MatchReplies, only_scored, read_match_replies, thresholded

__all__ = ["TASKS", "Interned", "Lists", "Questions", "Replies", "What", "in_probes", "intern"]

TASKS = ("answer", "match")

Bytes = npt.NDArray[np.uint8]


class Alike(NamedTuple):
    """Items whose lists are equally long: their rows, and the words of their lists by place."""

    rows: npt.NDArray[np.int64] | slice
    places: list[Codes]


@dataclass(frozen=True, slots=True)
class Lists:
    """A list of words for each item: how many it has (at most 255 count), and all of them one after the other."""

    lengths: Bytes
    words: Codes

    def by_length(self) -> Iterator[Alike]:
        """Items that have a list at all, those with lists of the same length together."""
        occurring = np.flatnonzero(np.bincount(self.lengths, minlength=1))
        if len(occurring) == 1 and occurring[0]:
            length = int(occurring[0])
            yield Alike(slice(None), [self.words[place::length] for place in range(length)])
            return
        ends = np.cumsum(self.lengths, dtype=np.int64)
        for length in map(int, occurring[occurring > 0]):
            rows = np.flatnonzero(self.lengths == length)
            begins = ends[rows] - length
            yield Alike(rows, [self.words[begins + place] for place in range(length)])

    def code(self) -> Codes:
        """The number of each list among those that occur; 0 for none."""
        codes = np.zeros(len(self.lengths), dtype=np.int32)
        known = 1
        for rows, places in self.by_length():
            own, found = code_rows([words + 1 for words in places])
            codes[rows] = own + known
            known += len(found)
        return codes

    def take(self, rows: npt.NDArray[np.integer]) -> Lists:
        """The lists of some items."""
        lengths = self.lengths[rows]
        begins = (np.cumsum(self.lengths, dtype=np.int64) - self.lengths)[rows]
        total = np.cumsum(lengths, dtype=np.int64)
        within = np.arange(total[-1] if len(total) else 0) - np.repeat(total - lengths, lengths)
        return Lists(lengths, self.words[np.repeat(begins, lengths) + within])


class What(NamedTuple):
    """What an item belongs to."""

    suite: str
    test: str
    task: str
    expects: str


@dataclass(frozen=True, slots=True)
class Questions:
    """Different questions as far as judging an answer goes: the right answer, the choices, what people said."""

    gold: Codes
    choices: Lists
    people: Lists

    def __len__(self) -> int:
        return len(self.gold)


@dataclass(frozen=True, slots=True)
class Replies:
    """Different replies: the class of one that was not had (else 0), and the answer (-1 where none is clear)."""

    status: Bytes
    answer: Codes

    def __len__(self) -> int:
        return len(self.status)


@dataclass(frozen=True, slots=True)
class Interned:
    """One entry an item, in the order of the suite; rows of a probe stand together, the original first.

    Answers, right answers, choices and people's answers are normalised and share one numbering, in which
    ``yes`` and ``no`` are the numbers of these two.
    """

    variant: Codes
    what: Codes
    whats: list[What]
    image: Codes
    images: list[str]
    row: Codes
    """The row of the reply; -1 where there is none."""
    reply: Codes
    replies: Replies
    question: Codes
    questions: Questions
    yes: int
    no: int
    match: MatchReplies | None = None
    """By row of the replies where each ranks; None in a suite that has nothing to match."""

    def __len__(self) -> int:
        return len(self.variant)

    def ranks(self, items: npt.NDArray[np.integer] | slice) -> npt.NDArray[np.float64]:
        """Where the replies to some items rank; NaN where there is none."""
        assert self.match is not None
        # Items without a reply have the row -1, which is the last.
        return np.append(self.match.rank, np.nan)[self.row[items]]

    def leans(self, items: npt.NDArray[np.integer] | slice) -> npt.NDArray[np.float64]:
        """How far the replies to some items lean towards the first letter; NaN where letters were not asked."""
        assert self.match is not None
        return np.append(self.match.lean, np.nan)[self.row[items]]


def in_probes(items: pa.Table, where: str = "items.parquet") -> pa.Table:
    """The items with the rows of a probe together and in order: as they are, or sorted if they were not."""
    if _together(items):
        return items
    items = items.sort_by([("probe_id", "ascending"), ("variant", "ascending")])
    if not _together(items):
        raise InputError(
            where,
            "has a probe whose variants do not count 0, 1, 2 ... once each",
            hint="make the suite anew",
        )
    return items


def _together(items: pa.Table) -> bool:
    variant = items["variant"].to_numpy()
    if not len(variant):
        return True
    probe = items["probe_id"].combine_chunks() if items["probe_id"].num_chunks != 1 else items["probe_id"].chunk(0)
    as_before = pc.equal(probe[1:], probe[:-1]).to_numpy(zero_copy_only=False).astype(bool)
    counts_on = variant[1:] == variant[:-1] + 1
    return bool(variant[0] == 0 and (np.where(as_before, counts_on, variant[1:] == 0)).all())


def intern(items: pa.Table, replies: pa.Table, where: str = "items.parquet") -> Interned:
    """Join replies to items by id, and number every string."""
    words = Vocabulary(normalise)
    yes, no, nothing = words.code("yes"), words.code("no"), words.code("")
    row = _reply_rows(items["item_id"], replies["item_id"])
    what, whats = _whats(items, where)
    matching = np.array([one.task == "match" for one in whats])
    rows_to_match = row[matching[what]] if matching.any() else None
    reply, distinct_replies, match = _replies(replies, row, words, _Codes(yes, no, nothing), rows_to_match)
    question, questions = _questions(items, words)
    images = Vocabulary()
    image = images.encode(items["image_id"])
    interned = Interned(
        variant=items["variant"].to_numpy().astype(np.int32, copy=False),
        what=what,
        whats=whats,
        image=image,
        images=images.words,
        row=row,
        reply=reply,
        replies=distinct_replies,
        question=question,
        questions=questions,
        yes=yes,
        no=no,
        match=match,
    )
    _refuse_unlabelled(interned, where)
    return interned


def _refuse_unlabelled(interned: Interned, where: str) -> None:
    questions = interned.questions
    unlabelled = (questions.gold == NONE) & (questions.people.lengths < 2)
    if not unlabelled.any():
        return
    asked = np.array([what.task == "answer" for what in interned.whats])[interned.what]
    number = int((unlabelled[interned.question] & asked).sum())
    if number:
        raise InputError(where, f"has {number} questions without a right answer", hint="score a suite with labels")


def _reply_rows(wanted: pa.ChunkedArray, given: pa.ChunkedArray) -> Codes:
    """The row of each item's reply; the last one where an item has several."""
    import polars as pl

    left = pl.DataFrame({"id": pl.from_arrow(wanted)}, schema={"id": pl.String})
    right = pl.DataFrame({"id": pl.from_arrow(given)}, schema={"id": pl.String}).with_row_index("row")
    rows = left.join(right, on="id", how="left", maintain_order="left")
    if len(rows) != len(left):
        right = right.unique("id", keep="last", maintain_order=True)
        rows = left.join(right, on="id", how="left", maintain_order="left")
    return rows["row"].cast(pl.Int32).fill_null(NONE).to_numpy()


class _Codes(NamedTuple):
    yes: int
    no: int
    nothing: int


def _replies(
    replies: pa.Table, row: Codes, words: Vocabulary, known: _Codes, to_match: Codes | None
) -> tuple[Codes, Replies, MatchReplies | None]:
    """By item the number of its reply, and the different replies there are; ``to_match`` are rows of matching items."""
    names = Vocabulary()
    raw = names.encode(replies["status"])
    table = np.zeros(len(names.words) + 1, dtype=np.uint8)
    unread = np.zeros(len(names.words) + 1, dtype=bool)
    for code, name in enumerate(names.words):
        if name in ("failed", "unsupported"):
            table[code] = class_code(name)
        elif name not in ("ok", "unparsed"):
            raise InputError("replies", f"the status {name!r} is unknown", hint="run the model anew")
        unread[code] = name != "ok"
    unread[-1] = True
    answers = words.encode(replies["answer"])
    answers[unread[raw] | (answers == known.nothing)] = NONE
    had = table[raw]
    match = None
    if to_match is not None:
        match = read_match_replies(replies, answers, known.yes, known.no)
        match = match._replace(rank=np.where(unread[raw], np.nan, match.rank), probable=match.probable & ~unread[raw])
        own = np.zeros(len(answers), dtype=bool)
        own[to_match[to_match >= 0]] = True
        answers = np.where(own, thresholded(match, answers, known.yes, known.no), answers).astype(np.int32)
        had = np.where(own & (had == 0) & only_scored(match, answers), np.uint8(class_code("scored")), had)
    # One row more stands for items without a reply: their row is -1, which is the last.
    status = np.append(had, np.uint8(class_code("missing")))
    codes, found = code_rows([status, np.append(answers, np.int32(NONE)) + 1])
    return codes[row], Replies(found[:, 0].astype(np.uint8), (found[:, 1] - 1).astype(np.int32)), match


def _questions(items: pa.Table, words: Vocabulary) -> tuple[Codes, Questions]:
    """By item the number of its question, and the different questions; where people were asked, each is its own."""
    gold = words.encode(items["gold"])
    choices, people = _lists(items["choices"], words), _lists(items["answers"], words)
    chosen = choices.code()
    alone = np.flatnonzero(people.lengths)
    own = np.zeros(len(gold), dtype=np.int32)
    own[alone] = np.arange(1, len(alone) + 1)
    code, _ = code_rows([gold + 1, chosen, own])
    example = np.zeros(int(code.max()) + 1 if len(code) else 0, dtype=np.int64)
    example[code] = np.arange(len(code))
    return code, Questions(gold[example], choices.take(example), people.take(example))


def _lists(column: pa.ChunkedArray, words: Vocabulary) -> Lists:
    if column.null_count == len(column):
        return Lists(np.zeros(len(column), dtype=np.uint8), np.zeros(0, dtype=np.int32))
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy()
    longest = np.iinfo(np.uint8).max
    codes = words.encode(pc.list_flatten(column))
    if lengths.max() > longest:
        place = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        codes = codes[place < longest]
    return Lists(np.minimum(lengths, longest).astype(np.uint8), codes)


def _whats(items: pa.Table, where: str) -> tuple[Codes, list[What]]:
    suites, tests = Vocabulary(), Vocabulary()
    columns = [suites.encode(items["suite"]), tests.encode(items["test"])]
    columns += [_among(items["task"], TASKS, where, "task"), _among(items["expects"], EXPECTS, where, "expects")]
    code, found = code_rows(columns)
    names = [
        What(suites.words[suite], tests.words[test], TASKS[task], EXPECTS[expects])
        for suite, test, task, expects in (found.tolist() if len(code) else [])
    ]
    return code, names


def _among(column: pa.ChunkedArray, known: tuple[str, ...], where: str, name: str) -> Codes:
    words = Vocabulary()
    codes = words.encode(column)
    unknown = [word for word in words.words if word not in known]
    if unknown:
        raise InputError(where, f"has {name} {unknown[0]!r}", hint=f"it must be one of {', '.join(known)}")
    table = np.array([*(known.index(word) for word in words.words), 0], dtype=np.int32)
    return table[codes]
