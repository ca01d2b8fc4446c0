"""The templates of a prompt and how a request fills them."""

from __future__ import annotations

import string
from collections.abc import Sequence
from pathlib import Path

import msgspec

from falter.errors import InputError

__all__ = ["AnswerTemplates", "MatchTemplates", "PromptTemplate", "has_many", "is_binary", "join_choices"]

_MOST_IN_A_SENTENCE = 26
_BINARY = frozenset({"yes", "no"})


class AnswerTemplates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a question is put: with no choices, with yes and no, with other choices."""

    open: str
    binary: str
    choices: str


class MatchTemplates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a caption is put: for yes or no, and for a letter."""

    yes_no: str
    letters: str


class PromptTemplate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of templates."""

    version: int
    answer: AnswerTemplates
    match: MatchTemplates
    about: str = ""

    def check(self, path: Path) -> PromptTemplate:
        """Return itself if every template uses only known placeholders; raise InputError otherwise."""
        for where, template, names in (
            ("answer.open", self.answer.open, {"text"}),
            ("answer.binary", self.answer.binary, {"text"}),
            ("answer.choices", self.answer.choices, {"text", "choices"}),
            ("match.yes_no", self.match.yes_no, {"text"}),
            ("match.letters", self.match.letters, {"text", "a", "b"}),
        ):
            try:
                fields = [field for field in string.Formatter().parse(template) if field[1] is not None]
            except ValueError as error:
                raise InputError(path, f"{error}", record=where, hint="write a brace as {{ or }}") from None
            found = {name for _, name, _, _ in fields}
            formatted = any(form or conversion for _, _, form, conversion in fields)
            if "text" not in found or not found <= names or formatted:
                known = ", ".join(f"{{{name}}}" for name in sorted(names))
                raise InputError(
                    path,
                    "the template does not fit",
                    record=where,
                    hint=f"it needs {{text}} and may use {known} only",
                )
        return self


def is_binary(choices: Sequence[str] | None) -> bool:
    """Whether the choices are yes and no."""
    return choices is not None and set(choices) == _BINARY


def has_many(choices: Sequence[str] | None) -> bool:
    """Whether there are more choices than a sentence holds."""
    return choices is not None and len(choices) > _MOST_IN_A_SENTENCE


def join_choices(choices: Sequence[str]) -> str:
    """Choices joined as in a sentence; very many, such as the options of a dialogue, which hold commas, by semicolons.

    >>> join_choices(["red", "blue", "green"])
    'red, blue or green'
    """
    if has_many(choices):
        return "; ".join(choices)
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"
