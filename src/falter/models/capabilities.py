"""What a model declares about itself, in one struct that wrappers pass on whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, get_args, runtime_checkable

import msgspec

from falter.errors import UsageError
from falter.models.request import Request
from falter.models.usage import Usage
from falter.probes import Task
from falter.runs.reply import Reply

__all__ = ["Capabilities", "CountTokens", "JoinIds", "Preflight", "PromptUsed", "PublishedItem", "ReplyUnordered"]

CountTokens = Callable[[Sequence[Request]], int]
"""Counts the tokens of the texts of some requests, prompt included."""
Preflight = Callable[[Iterable[tuple[str, str | None]]], Sequence[str]]
"""Gets the item id and the published id of every row before the first call, and returns notes for the user."""


class PublishedItem(NamedTuple):
    """A row of a suite: its item, the id that it was published under, the file that it was published in, its test."""

    item_id: str
    source_id: str | None
    file: str
    test: str = ""


JoinIds = Callable[[Callable[[], Iterator[PublishedItem]]], Collection[tuple[str, str]]]
"""Gets all rows, as often as it likes, and returns item id and published id of those with a reply of their own."""
ReplyUnordered = Callable[[Iterator[Request], int | None], Iterator[Reply]]
"""Draws requests when it has room and yields one reply per request, in any order; the integer is the user's batch
size, where there is one. A failure is yielded as :func:`falter.models.failed_reply`; retrying is up to the model."""

_TASKS: tuple[Task, ...] = get_args(Task)
_TASK_SETS = ("tasks", "prompted_tasks", "generates")


@runtime_checkable
class PromptUsed(Protocol):
    """What a run records and counts of a prompt; :class:`falter.models.prompts.Prompt` is one."""

    @property
    def name(self) -> str:
        """What to call it."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes with every word and image that a model is shown."""
        ...

    @property
    def system(self) -> str | None:
        """The system prompt."""
        ...

    def question(self, request: Request) -> str:
        """The text for a request."""
        ...

    def shown_examples(self, task: Task) -> list[tuple[str, Path | None, str]]:
        """The few-shot examples of a task: text, image and reply."""
        ...


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What a model can do and how it works; every field has a default.

    Sets of tasks may be given as any collection of names. ``capabilities = Capabilities(tasks=("answer", "match"))``
    is a complete declaration.
    """

    tasks: frozenset[Task] = frozenset(("answer",))
    """The tasks that it supports."""
    needs_image: bool = False
    """It reads the image of a request, which therefore must be available."""
    accepts_text_only: bool | None = None
    """It can be called without the image (``--image-input none``). None: it can, unless it needs images."""
    reads_context: bool = False
    """It reads earlier turns of a dialogue; otherwise they become part of the text."""
    batch_size: int = 16
    method: str = ""
    """How its replies come about, for signatures: ``"lm:mean,bos:on"``."""
    prompt: PromptUsed | None = None
    prompted_tasks: frozenset[Task] | None = None
    """The tasks that use the prompt. None: all tasks."""
    generates: frozenset[Task] | None = None
    """The tasks whose replies are generated text. None: all tasks, if it has a prompt or counts tokens and
    ``--answer-by`` is ``generate``."""
    remote: bool = False
    """It calls a server, which may charge, and which ``--max-requests`` and ``--max-cost`` limit."""
    replays: bool = False
    """It replays stored predictions, whatever it is shown: they are not cached, and cannot be asked for again."""
    seconds_per_item: float | None = None
    count_tokens: CountTokens | None = None
    token_counter: str = "the model's tokenizer"
    """Names what ``count_tokens`` counts with."""
    count_image_tokens: CountTokens | None = None
    """Counts the tokens of the images of some requests, where images become tokens of the prompt."""
    image_token_counter: str = "the model's processor"
    """Names what ``count_image_tokens`` counts with."""
    preflight: Preflight | None = None
    join_ids: JoinIds | None = None
    """For a model that replays predictions: equal items may have one for each id that they were published under."""
    reply_unordered: ReplyUnordered | None = None
    """For a model that forms its own batches: weights fed in batches of like length, a server called concurrently."""
    replied_as: Callable[[], Iterable[str]] | None = None
    """Gives the names of other models under which a server has replied so far; a run records them."""
    usage: Usage | None = None
    """Where it counts its requests, tokens and cost; a run shows and records them."""

    def __post_init__(self) -> None:
        for name in _TASK_SETS:
            given = getattr(self, name)
            if given is None:
                continue
            unknown = sorted(set(given) - set(_TASKS), key=str) if not isinstance(given, str) else [given]
            if unknown:
                raise UsageError(f"{name} of a model must be among {', '.join(_TASKS)}, not {unknown[0]!r}")
            msgspec.structs.force_setattr(self, name, frozenset(given))
        if not self.tasks:
            raise UsageError(f"tasks of a model must be among {', '.join(_TASKS)}, not empty")
        for name, kind in _TYPES.items():
            value = getattr(self, name)
            if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
                raise UsageError(f"{name} of a model must be of type {kind.__name__}, not {type(value).__name__}")

    @property
    def works_without_image(self) -> bool:
        """Whether it can be called without the image."""
        return not self.needs_image if self.accepts_text_only is None else self.accepts_text_only

    def prompt_used(self, task: Task | None = None) -> PromptUsed | None:
        """The prompt for a task, or for any task; None where the model gets bare texts."""
        used = self.prompted_tasks
        unused = used is not None and (not used if task is None else task not in used)
        return None if unused else self.prompt


_TYPES: dict[str, type] = {
    "needs_image": bool,
    "reads_context": bool,
    "batch_size": int,
    "method": str,
    "remote": bool,
    "replays": bool,
    "token_counter": str,
    "image_token_counter": str,
}
