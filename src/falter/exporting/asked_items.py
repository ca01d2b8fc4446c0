"""What a suite asks, as other harnesses ask it: every distinct item once, with its prompt, its image and its answer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from falter.errors import InputError
from falter.files import read_bytes, sha256_of_bytes
from falter.models.openai.messages import conversation
from falter.models.prompts import Prompt, is_binary
from falter.models.request import Request
from falter.probes import Item, Suite

__all__ = ["AskedItem", "answer_kind", "asked_items", "prompt_of", "read_image", "target_of"]


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
