"""Single open questions: what each reply is worth by the benchmark's official rule, and by a careful one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from falter.data.normalize import normalize_vqa
from falter.evaluation.measures.outcomes.coding import NONE, Codes, Floats, code_rows
from falter.evaluation.measures.outcomes.grading import (
    EXCLUDED,
    OUTCOMES,
    Graded,
    Outcome,
    answer_vocabulary,
    grade,
    vqa_credit,
)
from falter.evaluation.measures.outcomes.reading import accept_golds, find_open_questions, sort_by_probe

_normalize = lru_cache(maxsize=1 << 14)(normalize_vqa)
_UNREAD = (*EXCLUDED, "truncated")


class OpenReplies(NamedTuple):
    """The replies to open questions, by question: its row among the items, what was said, and what that is worth."""

    rows: Codes
    texts: list[str | None]
    """None where there is no reply, or one that was cut off."""
    official: Floats
    careful: Floats


def said_texts(replies: pa.Table, rows: Sequence[int]) -> list[str | None]:
    """What the replies at some rows say: the text, or the answer where the model gave it or there is no text."""
    chosen = replies.take(pa.array(rows, pa.int64()))
    answers: list[str | None] = pc.cast(chosen["answer"], pa.string()).to_pylist()
    if "text" not in chosen.column_names:
        return answers
    given = chosen["given"].to_pylist() if "given" in chosen.column_names else [None] * len(answers)
    texts = pc.cast(chosen["text"], pa.string()).to_pylist()
    return [
        answer if text is None or (own and answer is not None) else text
        for text, answer, own in zip(texts, answers, given, strict=True)
    ]


def judge_open_replies(items: pa.Table, replies: pa.Table, graded: Graded) -> OpenReplies:
    """Judge the replies to single open questions by both rules."""
    from falter.evaluation.answers.open_answers import given_answer, is_careful_match, is_exact_match

    rows = np.flatnonzero(find_open_questions(items)).astype(np.int32)
    outcome = graded.states["outcome"].to_physical().to_numpy()[graded.state[rows]]
    readable = ~np.isin(outcome, [OUTCOMES.index(name) for name in _UNREAD]) & (graded.reply[rows] != NONE)
    said = iter(said_texts(replies, graded.reply[rows][readable].tolist()))
    texts = [next(said) if is_readable else None for is_readable in readable.tolist()]
    chosen = items.select(["text", "gold", "answers"]).take(pa.array(rows, pa.int64()))
    questions = pc.cast(chosen["text"], pa.string()).to_pylist()
    golds = pc.cast(chosen["gold"], pa.string()).to_pylist()
    humans = chosen["answers"].to_pylist()
    # By row and rule how many humans agree, of how many; where one answer is gold, one of one.
    agreeing = np.zeros((2, len(rows)), dtype=np.int64)
    asked = np.array([len(people or ()) for people in humans], dtype=np.int64)
    for index, (question, gold, people, text) in enumerate(zip(questions, golds, humans, texts, strict=True)):
        if text is None:
            continue
        if asked[index] > 1:
            own = _normalize(given_answer(text))
            same = {one for one in people if _normalize(one) == own}
            alike = same | {one for one in set(people) - same if is_careful_match(question, one, text)}
            agreeing[:, index] = [sum(one in found for one in people) for found in (same, alike)]
        elif gold is not None:
            agreeing[:, index] = is_exact_match(gold, text), is_careful_match(question, gold, text)
    official, careful = (np.where(asked > 1, vqa_credit(counts, asked), counts) for counts in agreeing)
    return OpenReplies(rows, texts, official, careful)


def judge_open_questions(
    items: pa.Table, replies: pa.Table, *, where: str
) -> tuple[pa.Table, OpenReplies, list[Outcome]]:
    """The items in the order of their probes, the replies to single open questions among them, and their outcomes."""
    items = sort_by_probe(items, where)
    replies = accept_golds(items, replies)
    matching = pc.equal(pc.cast(items["task"], pa.string()), "match").to_numpy(zero_copy_only=False).astype(bool)
    graded = grade(items, replies, matching if matching.any() else None, "vqa-v2", where, answer_vocabulary())
    found = judge_open_replies(items, replies, graded)
    codes = graded.states["outcome"].to_physical().to_numpy()[graded.state[found.rows]]
    return items, found, [OUTCOMES[code] for code in codes.tolist()]


def add_open_credits(items: pa.Table, replies: pa.Table, graded: Graded) -> Graded:
    """The same with the columns ``open``, ``official`` and ``careful`` among the states."""
    judged = judge_open_replies(items, replies, graded)
    values, codes = np.unique(np.concatenate([[0.0], judged.official, judged.careful]), return_inverse=True)
    official, careful, is_open = (np.zeros(len(graded.state), dtype=np.int32) for _ in range(3))
    official[judged.rows] = codes[1 : 1 + len(judged.rows)]
    careful[judged.rows] = codes[1 + len(judged.rows) :]
    is_open[judged.rows] = 1
    state, found = code_rows([graded.state.astype(np.int32), is_open, official, careful])
    states = graded.states.select(pl.all().gather(pl.Series(found[:, 0]))).with_columns(
        open=pl.Series(found[:, 1].astype(bool)),
        official=pl.Series(values[found[:, 2]]),
        careful=pl.Series(values[found[:, 3]]),
    )
    return graded._replace(state=state, states=states)
