"""The items of a suite as other harnesses ask them, and the judging of a reply to one of them.

Every distinct item is asked once, with its prompt, its image and its answer. A reply is read and judged as Falter does:
exported tasks import that by name, so it stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from falter.core.errors import InputError
from falter.core.files import read_bytes, sha256_of_bytes
from falter.data.items import Item
from falter.data.model import Reply, Request
from falter.data.suite import Suite, items_to_table
from falter.evaluation.engine.reply_processing import process_reply
from falter.evaluation.measures.outcomes import accept_golds, answer_vocabulary
from falter.evaluation.measures.outcomes.coding import NONE
from falter.evaluation.measures.outcomes.grading import grade
from falter.evaluation.models.openai.messages import conversation
from falter.evaluation.models.prompts import Prompt, is_binary
from falter.evaluation.runs.replies import replies_to_table


class AskedItem(NamedTuple):
    """An item and how it is put to a chat model."""

    item: Item
    prompt: str
    """The question with its instruction, after the earlier turns of a dialogue."""
    image: Path | None
    target: str
    """The correct answer; yes or no for a caption, and empty where the suite has none."""


def asked_items(suite: Suite, prompt: Prompt) -> Iterator[AskedItem]:
    """Every distinct item of a suite, in the order of the suite; equal items are asked once."""
    seen: set[str] = set()
    for item in suite.items():
        if item.item_id not in seen:
            seen.add(item.item_id)
            yield AskedItem(item, prompt_of(item, suite, prompt), suite.image_path(item), target_of(item))


def prompt_of(item: Item, suite: Suite, prompt: Prompt) -> str:
    """What is said to a model that is given one text: earlier turns of a dialogue stand before the question."""
    request = Request.from_item(item, suite)
    turns = conversation(request, prompt.question(request))
    if len(turns) == 1:
        return turns[0].text
    return "\n".join(f"{turn.role.capitalize()}: {turn.text}" for turn in turns)


def target_of(item: Item) -> str:
    """The answer that is right: the gold one; of a caption whether it fits, yes or no."""
    if item.gold is not None:
        return item.gold
    if item.task == "match":
        return "no" if item.role == "variant" and item.expects in ("different", "prefer") else "yes"
    return item.answers[0] if item.answers else ""


def answer_kind(item: Item) -> str:
    """What an answer is: ``yes-no``, ``choice`` or ``open``."""
    if item.task == "match" or is_binary(item.choices):
        return "yes-no"
    return "choice" if item.choices else "open"


@lru_cache(maxsize=16)
def read_image(path: Path, sha256: str | None) -> bytes:
    """The bytes of an image; a file that has changed since the suite was made is refused."""
    data = read_bytes(path)
    if sha256 is not None and sha256_of_bytes(data) != sha256:
        raise InputError(
            path, "is not the image the suite was made with (its bytes have changed)", hint="restore the file"
        )
    return data


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
    return _score_cached(msgspec.json.encode(dict(fields)), text, cut_off)


@lru_cache(maxsize=1 << 12)
def _score_cached(fields: bytes, text: str, cut_off: bool) -> ScoredReply:
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
