"""What every model is to the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from falter.models.request import Request
from falter.probes import Task
from falter.runs.reply import Reply

__all__ = ["Model", "StreamingModel"]


@runtime_checkable
class Model(Protocol):
    """Anything that can answer, match, or both.

    ``name`` is shown in tables; ``fingerprint`` changes whenever the model would reply differently to the same request
    (weights, prompt, decoding settings), and is the part of the cache key that stands for the model.

    A model may also have, and the engine then uses: ``rule`` (how its replies come about, for signatures:
    ``"lm:mean,bos:on"``), ``prompt`` (a :class:`~falter.models.prompts.Prompt`) and ``prompted`` (the tasks that use
    it), ``works_blind`` (it needs pictures, but can be asked with the picture taken away), ``writes`` (the tasks that
    it replies to in writing, where it scores for others), ``served`` (a server is asked, which may charge, and which
    --max-requests and --max-cost keep within bounds), ``seconds_per_item``, and ``count_tokens(requests)`` (how
    many tokens the texts of these requests are, prompt included; ``tokens_counted_by`` says how, if not by its
    tokenizer).
    """

    name: str
    abilities: frozenset[Task]
    needs_image: bool
    reads_context: bool
    batch_size: int

    @property
    def fingerprint(self) -> str:
        """Identity of weights, prompt and settings."""
        ...

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        """One reply for each request of the batch, in order."""
        ...


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that arranges its own work: it draws requests as it can take them and gives replies as they come.

    For what gains from more than one batch in sight: a server that is asked many things at once, weights that are fed
    in batches of like length while the next pictures are decoded. Replies may come in any order; each request gets
    exactly one, a failure as :func:`falter.models.failed_reply` (trying again is the model's own business).
    """

    def stream(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        """Replies to all requests; ``batch_size`` is the user's word on it, where there is one."""
        ...
