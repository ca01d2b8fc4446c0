"""What passes between a suite and a model: the protocol of a model, its input, its reply, and its capabilities.

A model reports a failure by an error, transient or permanent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, Self, get_args, runtime_checkable

import msgspec

from falter.core.errors import FalterError, UsageError
from falter.data.items import Item, Task, Turn
from falter.data.suite import Suite

if TYPE_CHECKING:
    from PIL.Image import Image

    from falter.data.usage import Usage


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an item that a model may see: it holds no gold answer and no meaning."""

    item_id: str
    task: Task
    text: str
    image: Path | None = None
    image_id: str | None = None
    image_sha256: str | None = None
    context: tuple[Turn, ...] | None = None
    choices: tuple[str, ...] | None = None
    source_id: str | None = None

    @classmethod
    def from_item(cls, item: Item, suite: Suite) -> Self:
        """The request for an item of a suite, with the path of its image."""
        return cls(
            item_id=item.item_id,
            task=item.task,
            text=item.text,
            image=suite.image_path(item),
            image_id=item.image_id,
            image_sha256=item.image_sha256,
            context=item.context,
            choices=item.choices,
            source_id=item.source_id,
        )


Status = Literal["ok", "unparsed", "truncated", "unsupported", "failed"]
_OWN = "@@"

TRANSIENT = "transient: "
"""How the error of a failure begins that may have passed by the next attempt."""

ScoreKind = Literal["probability", "similarity", "logprob"]


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model's reply to one item.

    ``ok``: ``answer`` (or, for a match, ``score``) is valid. ``unparsed``: no answer could be parsed from the text, and
    ``truncated``: the text was cut off before a whole answer; both count as incorrect. ``unsupported``: the model
    cannot be given this item. ``failed``: the call failed. Pairs with one of the last two are excluded and counted.
    """

    item_id: str
    status: Status = "ok"
    text: str | None = None
    answer: str | None = None
    score: float | None = None
    score_kind: ScoreKind | None = None
    choice_scores: dict[str, float] | None = None
    error: str | None = None
    finish_reason: Literal["length"] | None = None
    """``length``: the text ends at the limit of tokens. Only an answer that came whole before is read from it."""
    given: bool = False
    """The model gave the answer, or that there is none, itself: beside a text, it is not read from the text."""


def is_transient(reply: Reply) -> bool:
    """Whether a reply is a failure that may have passed by now."""
    return reply.status == "failed" and reply.error is not None and reply.error.startswith(TRANSIENT)


def own_id(item_id: str, source_id: str) -> str:
    """The id of a reply to one published id of an item that was published under several."""
    return f"{item_id}{_OWN}{source_id}"


def split_own_id(reply_id: str) -> tuple[str, str | None]:
    """The item's id, and the published id that a reply is about where it is not about all of them.

    >>> split_own_id("1f3a"), split_own_id(own_id("1f3a", "q-7"))
    (('1f3a', None), ('1f3a', 'q-7'))
    """
    item_id, separator, source_id = reply_id.partition(_OWN)
    return item_id, source_id if separator else None


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
size, where there is one. A failure is yielded as :func:`failed_reply`; retrying is up to the model."""

_TASKS: tuple[Task, ...] = get_args(Task)
_TASK_SETS = ("tasks", "prompted_tasks", "generates")


@runtime_checkable
class PromptUsed(Protocol):
    """What a run records and counts of a prompt; :class:`falter.evaluation.models.prompts.Prompt` is one."""

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
    ``-M answer_by`` is ``generate``."""
    remote: bool = False
    """It calls a server, which may charge, and which ``-M max_requests`` and ``-M max_cost`` limit."""
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


@runtime_checkable
class Model(Protocol):
    """Anything that can answer, match, or both.

    ``name`` is shown in tables. ``fingerprint`` changes whenever the model would reply differently to the same request
    (weights, prompt, decoding settings); it is the model's part of the cache key. Everything else that the engine
    needs to know is in ``capabilities``.
    """

    name: str

    @property
    def fingerprint(self) -> str:
        """Identity of weights, prompt and settings."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the model can do and how it works."""
        ...

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        """One reply for each request of the batch, in order."""
        ...


class TransientError(Exception):
    """Another attempt may help: a timeout, a busy server. The engine waits and retries a few times."""

    def __init__(self, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait
        """Seconds that the server asked to wait, if it said so."""


class PermanentError(Exception):
    """Another attempt will not help: a broken image, a refused request."""


class BudgetExceededError(FalterError):
    """A model may ask no more: what was received stays, and the run stays open.

    Raise it from ``reply`` or, once every pending reply has been yielded, from ``reply_unordered``. The message says
    what was spent, for example ``"500 requests were made, as many as -M max_requests allows"``.
    """

    exit_code = 1
    """The run is incomplete; nothing was wrong with what was asked for."""


def failed_reply(item_id: str, error: BaseException | str) -> Reply:
    """A reply with status ``failed``; it says whether a later run should retry."""
    if isinstance(error, TransientError):
        message = f"{TRANSIENT}{error}"
    elif isinstance(error, PermanentError | str):
        message = str(error)
    else:
        message = f"{type(error).__name__}: {error}"
    return Reply(item_id=item_id, status="failed", error=message)


def load_image(request: Request, *, max_pixels: int | None = None, shrink_to: tuple[int, int] | None = None) -> Image:
    """Load the image of a request as RGB; whatever is wrong with it raises :class:`PermanentError`.

    ``shrink_to`` lets the JPEG decoder skip work where a small image is enough; the result is not smaller than that.
    """
    from falter.data.images import MAX_PIXELS, ImageError
    from falter.data.images import load_image as load_image_file

    try:
        return load_image_file(
            request.image,
            sha256=request.image_sha256,
            image_id=request.image_id,
            max_pixels=MAX_PIXELS if max_pixels is None else max_pixels,
            shrink_to=shrink_to,
        )
    except ImageError as error:
        raise PermanentError(str(error)) from error
