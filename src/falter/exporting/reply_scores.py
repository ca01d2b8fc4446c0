"""What the tasks that are written for other harnesses call: a reply to one item, read and judged as Falter does.

The exported files import this by name: it stays where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np

from falter.engine.reply_processing import process_reply
from falter.exporting.asked_items import target_of
from falter.measures.outcomes import accept_golds, answer_vocabulary
from falter.measures.outcomes.coding import NONE
from falter.measures.outcomes.grading import grade
from falter.models.request import Request
from falter.probes import Item
from falter.probes.schema import items_to_table
from falter.runs.reply import Reply
from falter.runs.schema import replies_to_table

__all__ = ["ScoredReply", "score_fields", "score_reply"]


class ScoredReply(NamedTuple):
    """What a reply is: its outcome, the answer that was read (None where there is none), and whether it is correct."""

    outcome: str
    answer: str | None
    correct: bool


def score_fields(item: Item) -> dict[str, Any]:
    """What :func:`score_reply` has to know of an item; an exported file carries it."""
    return {
        "task": item.task,
        "question": item.text,
        "choices": item.choices,
        "gold": target_of(item) if item.task == "match" else item.gold,
        "answers": item.answers,
    }


def score_reply(fields: Mapping[str, Any], text: str, *, cut_off: bool = False) -> ScoredReply:
    """Read and judge a text as ``falter score`` does; ``cut_off`` says that it ended at the limit of tokens.

    >>> item = {"task": "answer", "question": "What is it?", "choices": None, "gold": "dog", "answers": None}
    >>> score_reply(item, "It's a dog.").correct, score_reply(item, "I don't know.").outcome
    (True, 'unparsed')
    """
    return _score(msgspec.json.encode(dict(fields)), text, cut_off)


@lru_cache(maxsize=1 << 12)
def _score(fields: bytes, text: str, cut_off: bool) -> ScoredReply:
    known: dict[str, Any] = msgspec.json.decode(fields)
    task, question, choices = known["task"], known.pop("question"), known["choices"]
    item = Item.make(suite="s", test="t", probe_id="p", text=question, **known)
    request = Request(item_id=item.item_id, task=task, text=question, choices=choices and tuple(choices))
    given = Reply(item_id=item.item_id, text=text, finish_reason="length" if cut_off else None)
    reply = process_reply(request, given)
    asked = items_to_table([item])
    replies = accept_golds(asked, replies_to_table([reply]))
    matching = np.array([task == "match"])
    graded = grade(asked, replies, matching if matching.any() else None, "vqa-v2", "the task", answer_vocabulary())
    outcome = graded.states["outcome"][int(graded.state[0])]
    answer = None if graded.answer[0] == NONE else replies["answer"][0].as_py()
    return ScoredReply(outcome, answer, outcome == "correct")
