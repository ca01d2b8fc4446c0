"""Every item of a suite with the class of its reply, as arrays of small integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from falter.answers import normalise
from falter.errors import BadInput
from falter.measures.cells import EXPECTS, class_code
from falter.measures.interning import NONE, Codes, Vocabulary, code_rows, dense
from falter.measures.vqa_accuracy import Rule, credit

__all__ = ["TASKS", "Graded", "grade", "in_probes"]

TASKS = ("answer", "match")

Bools = npt.NDArray[np.bool_]

_HALF = 0.5
_ROWS_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class Graded:
    """One entry an item, in the order of the suite; rows of a probe stand together, the original first."""

    variant: Codes
    test: Codes
    tests: list[tuple[str, str]]
    image: Codes
    images: list[str]
    expects: npt.NDArray[np.uint8]
    task: npt.NDArray[np.uint8]
    kind: npt.NDArray[np.uint8]
    answer: Codes
    """The normalised answer as a code, equal for equal answers; -1 where no clear answer was given."""
    reply: Codes
    """The row of the reply; -1 where there is none."""
    yes: Bools
    first: Bools
    credit: npt.NDArray[np.uint16]
    credits: npt.NDArray[np.float64]
    choices: npt.NDArray[np.uint8]
    yes_no: Bools
    asked_people: Bools

    def __len__(self) -> int:
        return len(self.variant)


def in_probes(items: pa.Table, where: str = "items.parquet") -> pa.Table:
    """The items with the rows of a probe together and in order: as they are, or sorted if they were not."""
    if _together(items):
        return items
    items = items.sort_by([("probe_id", "ascending"), ("variant", "ascending")])
    if not _together(items):
        raise BadInput(
            where,
            "has a probe whose variants do not count 0, 1, 2 ... once each",
            remedy="make the suite anew",
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


def grade(items: pa.Table, replies: pa.Table, rule: Rule = "vqa-v2", where: str = "items.parquet") -> Graded:
    """Join replies to items and say what became of each."""
    words = Vocabulary(normalise)
    yes, no = words.code("yes"), words.code("no")
    nothing = words.code("")

    reply = _reply_rows(items["item_id"], replies["item_id"])
    status, answer = _status_and_answer(replies, reply, words, nothing)

    gold = words.encode(items["gold"])
    matched, people = _people_who_agree(items["answers"], answer, words)
    asked_people = people > 1
    exact = (gold == answer) & (answer != NONE)
    credits_, credit_code = _credits(exact, matched, people, rule)
    right = (answer != NONE) & (credits_[credit_code] > _HALF)

    listed, is_first, choices, yes_no = _among_choices(items["choices"], answer, words, (yes, no))

    kind = np.full(len(reply), class_code("wrong"), dtype=np.uint8)
    kind[(choices > 0) & ~listed] = class_code("other")
    kind[right] = class_code("right")
    kind[answer == NONE] = class_code("unparsed")
    for name in ("failed", "unsupported", "missing"):
        kind[status == class_code(name)] = class_code(name)

    test, tests = _tests(items)
    images = Vocabulary()
    image = images.encode(items["image_id"])
    graded = Graded(
        variant=items["variant"].to_numpy().astype(np.int32),
        test=test,
        tests=tests,
        image=image,
        images=images.words,
        expects=_among(items["expects"], EXPECTS, where, "expects"),
        task=_among(items["task"], TASKS, where, "task"),
        kind=kind,
        answer=answer,
        reply=reply,
        yes=yes_no & (answer == yes),
        first=is_first,
        credit=credit_code,
        credits=credits_,
        choices=choices,
        yes_no=yes_no,
        asked_people=asked_people,
    )
    unlabelled = int(((gold == NONE) & ~asked_people & (graded.task == TASKS.index("answer"))).sum())
    if unlabelled:
        raise BadInput(where, f"has {unlabelled} questions without a right answer", remedy="score a suite with labels")
    return graded


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


def _status_and_answer(
    replies: pa.Table, reply: Codes, words: Vocabulary, nothing: int
) -> tuple[npt.NDArray[np.uint8], Codes]:
    """By item: the class of what is no answer (0 for the rest), and the code of the answer."""
    names = Vocabulary()
    raw = names.encode(replies["status"])
    table = np.zeros(len(names.words) + 1, dtype=np.uint8)
    unread = np.zeros(len(names.words) + 1, dtype=bool)
    for code, name in enumerate(names.words):
        if name in ("failed", "unsupported"):
            table[code] = class_code(name)
        elif name not in ("ok", "unparsed"):
            raise BadInput("replies", f"the status {name!r} is unknown", remedy="run the model anew")
        unread[code] = name != "ok"
    unread[-1] = True
    answers = words.encode(replies["answer"])
    answers[unread[raw] | (answers == nothing)] = NONE
    # One row more stands for items without a reply: their code is -1, which is the last row.
    status_of_reply = np.append(table[raw], np.uint8(class_code("missing")))
    return status_of_reply[reply], np.append(answers, np.int32(NONE))[reply]


def _people_who_agree(
    column: pa.ChunkedArray, answer: Codes, words: Vocabulary
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """How many of an item's people gave the model's answer, and how many people there are."""
    matched = np.zeros(len(answer), dtype=np.uint8)
    people = np.zeros(len(answer), dtype=np.uint8)
    if column.null_count == len(column):
        return matched, people
    for start in range(0, len(column), _ROWS_AT_ONCE):
        part = column.slice(start, _ROWS_AT_ONCE)
        lengths, values = _flat(part, words)
        stop = start + len(part)
        agrees = (values == np.repeat(answer[start:stop], lengths)) & (values != NONE)
        people[start:stop] = np.minimum(lengths, 255)
        owner = np.repeat(np.arange(len(part)), lengths)
        matched[start:stop] = np.bincount(owner[agrees], minlength=len(part)).clip(max=255)
    return matched, people


def _credits(
    exact: Bools, matched: npt.NDArray[np.uint8], people: npt.NDArray[np.uint8], rule: Rule
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint16]]:
    """The values that the accuracy of one item takes, and the number of its value for each item."""
    code = exact.astype(np.uint16)
    rows = np.flatnonzero(people > 1)
    if not len(rows):
        return np.array([0.0, 1.0]), code
    own, found = code_rows([matched[rows], people[rows]])
    code[rows] = own + 2
    return np.append([0.0, 1.0], credit(found[:, 0], found[:, 1], rule)), code


def _among_choices(
    column: pa.ChunkedArray, answer: Codes, words: Vocabulary, polar: tuple[int, int]
) -> tuple[Bools, Bools, npt.NDArray[np.uint8], Bools]:
    """Whether each answer is among its choices and is the first of them, how many there are, and whether yes and no."""
    size = len(answer)
    listed = np.zeros(size, dtype=bool)
    first = np.zeros(size, dtype=bool)
    number = np.zeros(size, dtype=np.uint8)
    yes_no = np.zeros(size, dtype=bool)
    yes, no = polar
    for start in range(0, size, _ROWS_AT_ONCE):
        part = column.slice(start, _ROWS_AT_ONCE)
        lengths, values = _flat(part, words)
        stop = start + len(part)
        own = answer[start:stop]
        number[start:stop] = np.minimum(lengths, 255)
        if not len(values):
            continue
        some = np.flatnonzero(lengths > 0)
        begins = (np.cumsum(lengths) - lengths)[some]
        hits = (values == np.repeat(own, lengths)) & (values != NONE)
        listed[start + some] = np.logical_or.reduceat(hits, begins)
        first[start + some] = hits[begins]
        pair = lengths[some] == 2
        one, two = values[begins[pair]], values[begins[pair] + 1]
        yes_no[start + some[pair]] = ((one == yes) & (two == no)) | ((one == no) & (two == yes))
    return listed, first, number, yes_no


def _flat(part: pa.ChunkedArray, words: Vocabulary) -> tuple[npt.NDArray[np.int64], Codes]:
    """The length of every list (0 for null) and the codes of all their words, one after the other."""
    lengths = pc.fill_null(pc.list_value_length(part), 0).to_numpy().astype(np.int64)
    return lengths, words.encode(pc.list_flatten(part))


def _tests(items: pa.Table) -> tuple[Codes, list[tuple[str, str]]]:
    suites, tests = Vocabulary(), Vocabulary()
    suite, test = suites.encode(items["suite"]), tests.encode(items["test"])
    keys = suite.astype(np.int64) * max(len(tests.words), 1) + test
    code, found = dense(keys, len(suites.words) * len(tests.words))
    names = [(suites.words[key // len(tests.words)], tests.words[key % len(tests.words)]) for key in found]
    return code, names


def _among(column: pa.ChunkedArray, known: tuple[str, ...], where: str, name: str) -> npt.NDArray[np.uint8]:
    words = Vocabulary()
    codes = words.encode(column)
    unknown = [word for word in words.words if word not in known]
    if unknown:
        raise BadInput(where, f"has {name} {unknown[0]!r}", remedy=f"it must be one of {', '.join(known)}")
    table = np.array([*(known.index(word) for word in words.words), 0], dtype=np.uint8)
    return table[codes]
