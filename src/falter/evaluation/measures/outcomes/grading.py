"""What each reply is worth: its answer joined to the item's gold, choices and human answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.errors import InputError
from falter.data.normalize import normalize
from falter.evaluation.measures.outcomes.coding import (
    NONE,
    Bools,
    Bytes,
    Codes,
    Floats,
    Integers,
    Lists,
    Vocabulary,
    code_rows,
)
from falter.evaluation.measures.outcomes.reading import Questions, read_questions, refuse_unlabelled
from falter.evaluation.score_options import VqaRule

if TYPE_CHECKING:
    import polars as pl

Outcome = Literal[
    "correct", "incorrect", "off_list", "unparsed", "truncated", "failed", "missing", "unsupported", "rank_only"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""What one reply can be. ``off_list``: a clear answer that is not among the choices. ``unparsed`` and ``truncated``
count as incorrect. ``rank_only``: a matching score without a threshold, which ranks texts but is neither."""

EXCLUDED: tuple[Outcome, ...] = ("failed", "missing", "unsupported")
"""A pair with such a reply is excluded from every measure, and counted."""

THRESHOLD = 0.5
"""A probability above this says that text and image match; a VQA accuracy above this is correct."""

_LETTERS = ("A", "B")
_LARGEST_TABLE = 1 << 20
_STATUSES = ("ok", "unparsed", "truncated", "failed", "unsupported")


def vqa_credit(matches: npt.ArrayLike, humans: npt.ArrayLike, rule: VqaRule = "vqa-v2") -> Floats:
    """The VQA accuracy of an answer that ``matches`` of ``humans`` gave.

    ``vqa-v2`` is the official figure: leave each human out in turn, take min(matches among the others / 3, 1), and
    average. ``min3`` takes min(matches / 3, 1) over all of them at once. ``exact`` is 1 for what most humans said (for
    the gold answer, where an item has one), ``any`` for what one of them said, and else 0.

    >>> vqa_credit([0, 1, 2, 3, 4], 10).round(2).tolist()
    [0.0, 0.3, 0.6, 0.9, 1.0]
    >>> vqa_credit([0, 1, 2, 3, 4], 10, "min3").round(2).tolist()
    [0.0, 0.33, 0.67, 1.0, 1.0]
    """
    k = np.asarray(matches, dtype=np.int64)
    n = np.asarray(humans, dtype=np.int64)
    if rule == "min3":
        return np.minimum(k, 3) / 3
    if rule == "exact":
        return np.asarray(2 * k > n, dtype=np.float64)
    if rule == "any":
        return np.asarray(k > 0, dtype=np.float64)
    # Thirds are kept as whole numbers, so that one half is exactly one half.
    without_one_who_agrees = k * np.clip(k - 1, 0, 3)
    without_one_who_does_not = (n - k) * np.minimum(k, 3)
    return np.asarray((without_one_who_agrees + without_one_who_does_not) / (3 * np.maximum(n, 1)))


class MatchScores(NamedTuple):
    """By row of the replies to matching items: ``rank``, the score, else 1 for yes and 0 for no; and ``lean``, how much
    more probable the match is when it is called A than when it is called B. NaN where there is neither."""

    rank: Floats
    lean: Floats


class Graded(NamedTuple):
    """By item, in the order of the suite."""

    reply: Codes
    """The row of the reply; -1 where there is none."""
    answer: Codes
    """The number of the normalized answer; -1 where none is clear."""
    said: Codes
    """The number of the normalized reply, whatever it is: the answer, else the text; -1 where there is no reply."""
    state: npt.NDArray[np.integer]
    states: pl.DataFrame
    """The distinct combinations of outcome, credit and so on; ``state`` numbers them."""
    match: MatchScores | None


def answer_vocabulary() -> Vocabulary:
    """Numbers for normalized answers; runs that share one number them alike."""
    return Vocabulary(normalize)


def grade(
    items: pa.Table, replies: pa.Table, matching: Bools | None, rule: VqaRule, where: str, words: Vocabulary
) -> Graded:
    """Join replies to items by id and judge them; ``matching`` tells items to match, None where there are none.

    Where there are few different questions and replies, every combination is judged once, and items look theirs up.
    """
    known = _Known(words.code("yes"), words.code("no"), words.code(""))
    row = _reply_rows(items["item_id"], replies["item_id"])
    question, questions = read_questions(items, words)
    read = _read_replies(replies, row, words, known, questions, None if matching is None else row[matching])
    reply, distinct = read.number, read.distinct
    refuse_unlabelled(question, questions, matching, where)
    size = len(questions) * len(distinct)
    if 0 < size <= min(_LARGEST_TABLE, max(len(row), 1024)):
        combination = np.arange(size)
        judged, states = _judge_all(
            questions, combination // len(distinct), distinct, combination % len(distinct), known, rule
        )
        question *= np.int32(len(distinct))
        question += reply
        state: npt.NDArray[np.integer] = judged.astype(np.min_scalar_type(len(states)))[question]
    else:
        state, states = _judge_all(questions, question, distinct, reply, known, rule)
    answer = distinct.answer[reply]
    return Graded(row, answer, answer if read.said is None else read.said[row], state, states, read.match)


class _Known(NamedTuple):
    yes: int
    no: int
    nothing: int


@dataclass(frozen=True, slots=True)
class _Replies:
    """Different replies: the outcome of one that holds no answer (else 0), and the answer (-1 where none is clear)."""

    status: Bytes
    answer: Codes

    def __len__(self) -> int:
        return len(self.status)


def _reply_rows(wanted: pa.ChunkedArray, given: pa.ChunkedArray) -> Codes:
    """The row of each item's reply; the last one where an item has several."""
    import polars as pl

    left = pl.DataFrame({"id": pl.from_arrow(wanted)}, schema={"id": pl.String})
    right = pl.DataFrame({"id": pl.from_arrow(given)}, schema={"id": pl.String}).with_row_index("row")
    rows = _joined_rows(left, right)
    if len(rows) != len(left):
        rows = _joined_rows(left, right.unique("id", keep="last", maintain_order=True))
    return rows.cast(pl.Int32).fill_null(NONE).to_numpy()


def _joined_rows(left: pl.DataFrame, right: pl.DataFrame) -> pl.Series:
    """The rows of the ids on the right, in the order of the left; the ids themselves are not copied."""
    joined = left.lazy().join(right.lazy(), on="id", how="left", maintain_order="left")
    return joined.select("row").collect()["row"]


class _ReadReplies(NamedTuple):
    """By item the number of its reply, and the different replies."""

    number: Codes
    distinct: _Replies
    match: MatchScores | None
    said: Codes | None
    """By row of the replies (the last is for none) what was said; None where it is the answer everywhere."""


def _read_replies(
    replies: pa.Table,
    row: Codes,
    words: Vocabulary,
    known: _Known,
    questions: Questions,
    matching_rows: Codes | None,
) -> _ReadReplies:
    """Read the replies; ``matching_rows`` are rows of matching items."""
    names = Vocabulary()
    raw = names.encode(replies["status"])
    table = np.zeros(len(names.words) + 1, dtype=np.uint8)
    unread = np.array([*(name != "ok" for name in names.words), True])
    for code, name in enumerate(names.words):
        if name not in _STATUSES:
            raise InputError("replies", f"the status {name!r} is unknown", hint="run the model anew")
        if name not in ("ok", "unparsed"):
            table[code] = OUTCOMES.index(name)
    answers = words.encode(replies["answer"])
    answers[unread[raw] | np.isin(answers, _marks_alone(words, questions))] = NONE
    status = table[raw]
    match = None
    if matching_rows is not None:
        match, probable = _match_scores(replies, answers, unread[raw], known)
        own = np.zeros(len(answers), dtype=bool)
        own[matching_rows[matching_rows >= 0]] = True
        answers[own & probable] = np.where(match.rank > THRESHOLD, known.yes, known.no)[own & probable]
        status[own & (status == 0) & ~np.isnan(match.rank) & (answers == NONE)] = OUTCOMES.index("rank_only")
    said = _number_texts(replies, answers, status, words, known)
    # One more row is for items without a reply: their row is -1, which is the last.
    status = np.append(status, np.uint8(OUTCOMES.index("missing")))
    codes, found = code_rows([status, np.append(answers, np.int32(NONE)) + 1])
    distinct = _Replies(found[:, 0].astype(np.uint8), (found[:, 1] - 1).astype(np.int32))
    return _ReadReplies(codes[row], distinct, match, said)


def _marks_alone(words: Vocabulary, questions: Questions) -> list[int]:
    """The numbers of answers without a letter or digit, which are none, unless one is a gold answer or a choice."""
    alone = {word: code for code, word in enumerate(words.words) if not any(map(str.isalnum, word))}
    real = [questions.gold, questions.choices.words, questions.humans.words]
    return [code for word, code in alone.items() if not word or not any((codes == code).any() for codes in real)]


def _number_texts(replies: pa.Table, answers: Codes, status: Bytes, words: Vocabulary, known: _Known) -> Codes | None:
    """By row the number of the answer, else of the text where a reply holds no answer; an empty text has one, too."""
    silent = np.flatnonzero((answers == NONE) & np.isin(status, [0, OUTCOMES.index("truncated")]))
    if not len(silent):
        return None
    said = np.append(answers, np.int32(NONE))
    said[silent] = known.nothing
    if "text" in replies.column_names:
        texts = words.encode(replies["text"].take(pa.array(silent)))
        said[silent] = np.where(texts == NONE, known.nothing, texts)
    return said


def _match_scores(replies: pa.Table, answers: Codes, unread: Bools, known: _Known) -> tuple[MatchScores, Bools]:
    """What the replies say about matching, and which of them are probabilities."""
    size, names = len(answers), set(replies.column_names)
    score = _floats(replies["score"]) if "score" in names else np.full(size, np.nan)
    probable = np.zeros(size, dtype=bool)
    if "score_kind" in names:
        # A dictionary column is compared by its words.
        kind = pc.cast(replies["score_kind"], pa.string())
        probable = pc.fill_null(pc.equal(kind, "probability"), False).to_numpy().astype(bool)
    by_answer = np.where(answers == known.yes, 1.0, np.where(answers == known.no, 0.0, np.nan))
    rank = np.where(unread, np.nan, np.where(np.isnan(score), by_answer, score))
    return MatchScores(rank, _leans(replies, size)), probable & ~np.isnan(score) & ~unread


def _floats(column: pa.ChunkedArray) -> Floats:
    return np.asarray(pc.fill_null(pc.cast(column, pa.float64()), float("nan")).to_numpy(), dtype=np.float64)


def _leans(replies: pa.Table, size: int) -> Floats:
    if "choice_scores" not in replies.column_names or replies["choice_scores"].null_count == size:
        return np.full(size, np.nan)
    lengths = pc.fill_null(pc.list_value_length(replies["choice_scores"]), 0).to_numpy().astype(np.int64)
    flat = pc.list_flatten(replies["choice_scores"])
    row = np.repeat(np.arange(size), lengths)
    choice = pc.cast(pc.struct_field(flat, "choice"), pa.string())
    score = _floats(pc.struct_field(flat, "score"))
    sides = []
    for letter in _LETTERS:
        side = np.full(size, np.nan)
        own = pc.fill_null(pc.equal(choice, letter), False).to_numpy(zero_copy_only=False).astype(bool)
        side[row[own]] = score[own]
        sides.append(side)
    return np.where(lengths == len(_LETTERS), sides[0] - sides[1], np.nan)


def _judge_all(
    questions: Questions,
    question: npt.NDArray[np.integer],
    replies: _Replies,
    reply: npt.NDArray[np.integer],
    known: _Known,
    rule: VqaRule,
) -> tuple[Codes, pl.DataFrame]:
    """Judge replies to questions: the state of each, and the states."""
    answer, status = replies.answer[reply], replies.status[reply]
    asked = questions.take(question)
    gold, choices, humans = asked.gold, asked.choices, asked.humans
    judged = _judge(asked, answer, rule)
    listed, first, yes_no = _among_choices(choices, answer, known)

    outcome = np.where(listed, np.uint8(OUTCOMES.index("incorrect")), np.uint8(OUTCOMES.index("off_list")))
    outcome[judged.correct] = OUTCOMES.index("correct")
    outcome[answer == NONE] = OUTCOMES.index("unparsed")
    outcome[status > 0] = status[status > 0]
    flags = (
        (yes_no & (answer == known.yes)).astype(np.uint8)
        + np.uint8(2) * first
        + np.uint8(4) * yes_no
        + np.uint8(8) * (humans.lengths > 1)
        + np.uint8(16) * (yes_no & (answer == known.no))
    )
    gold_yes = (gold == known.yes).astype(np.uint8)
    state, rows = code_rows([outcome, flags, judged.credit, choices.lengths, gold_yes])
    return state, _states(rows, judged.credits)


def _states(rows: Integers, values: Floats) -> pl.DataFrame:
    import polars as pl

    flags = rows[:, 1]
    return pl.DataFrame(
        {
            "outcome": pl.Series(OUTCOMES, dtype=pl.Enum(OUTCOMES)).gather(pl.Series(rows[:, 0])),
            "credit": values[rows[:, 2]],
            "choices": rows[:, 3].astype(np.uint8),
            "yes_no": (flags & 4).astype(bool),
            "gold_yes": rows[:, 4].astype(bool),
            "says_yes": (flags & 1).astype(bool),
            "says_no": (flags & 16).astype(bool),
            "first": (flags & 2).astype(bool),
            "has_human_answers": (flags & 8).astype(bool),
        }
    )


class _Judged(NamedTuple):
    correct: Bools
    credit: Codes
    credits: Floats


def _judge(asked: Questions, answer: Codes, rule: VqaRule) -> _Judged:
    """Whether each answer is correct, and its credit as the number of one of a few values."""
    gold, humans = asked.gold, asked.humans
    clear = answer != NONE
    correct = ((answer == gold) | (answer == asked.gold_read)) & clear
    values = np.array([0.0, 1.0])
    code = correct.astype(np.int32)
    rows = np.flatnonzero((humans.lengths > 1) & ((gold == NONE) if rule == "exact" else True))
    if len(rows):
        agreeing = _count_agreeing(humans, asked.humans_read, answer)
        own, found = code_rows([agreeing[rows], humans.lengths[rows]])
        code[rows] = own + 2
        values = np.append(values, vqa_credit(found[:, 0], found[:, 1], rule))
        correct = clear & (values > THRESHOLD)[code]
    return _Judged(correct, code, values)


def _count_agreeing(humans: Lists, humans_read: Lists, answer: Codes) -> Bytes:
    """How many humans gave the model's answer, as they wrote it or as it is read."""
    agreeing = np.zeros(len(answer), dtype=np.uint8)
    for (rows, positions), (_, read) in zip(humans.by_length(), humans_read.by_length(), strict=True):
        own = answer[rows]
        total = np.zeros(len(own), dtype=np.uint8)
        for words, words_read in zip(positions, read, strict=True):
            total += ((words == own) | (words_read == own)) & (own != NONE)
        agreeing[rows] = total
    return agreeing


def _among_choices(choices: Lists, answer: Codes, known: _Known) -> tuple[Bools, Bools, Bools]:
    """Of each item: the answer is a choice (or there are none), it is the first choice, the choices are yes and no."""
    size = len(answer)
    listed = np.ones(size, dtype=bool)
    first = np.zeros(size, dtype=bool)
    yes_no = np.zeros(size, dtype=bool)
    for rows, positions in choices.by_length():
        own = answer[rows]
        hits = positions[0] == own
        first[rows] = hits
        for words in positions[1:]:
            hits = hits | (words == own)
        listed[rows] = hits
        if len(positions) == 2:
            one, two = positions
            yes_no[rows] = ((one == known.yes) & (two == known.no)) | ((one == known.no) & (two == known.yes))
    return listed, first & (answer != NONE), yes_no
