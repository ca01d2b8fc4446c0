"""What an augmentation is: it reads a question, and writes yes/no questions about one of its answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

__all__ = ["Augmentation", "ReadQuestion"]


class ReadQuestion(NamedTuple):
    """A question that an augmentation has read."""

    subject: str
    """What is asked about, in lower case: answers given to questions with the same subject are drawn from first."""
    write: Callable[[str], str | None]
    """The yes/no question about an answer; None where no good English says it."""


class Augmentation(Protocol):
    """A change of questions of one form to yes/no questions."""

    name: str

    def read(self, question: str) -> ReadQuestion | None:
        """The question, read; None where it does not have the form or cannot be written."""
        ...

    def has_form(self, question: str) -> bool:
        """Whether a question has the form that the augmentation is meant for, read or not."""
        ...

    def is_answer(self, answer: str) -> bool:
        """Whether an answer is of the sort that the augmentation asks about."""
        ...

    def read_back(self, variant: str, original: str) -> tuple[str, ...]:
        """The answers that a written question may ask about; none where it was not written from the original."""
        ...
