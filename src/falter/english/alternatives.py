"""Alternatives in a template's text: ``[What|Which] color`` stands for two texts, of which the first is written."""

from __future__ import annotations

from itertools import product

from falter.english.placeholders import TemplateError

__all__ = ["expand_alternatives"]

_MOST = 2000


def expand_alternatives(text: str) -> list[str]:
    """Every text that the alternatives of a template make, the one that is written first.

    >>> expand_alternatives("[What|Which] color [is|are] it?")[:3]
    ['What color is it?', 'What color are it?', 'Which color is it?']
    """
    parts: list[list[str]] = []
    for number, piece in enumerate(text.split("[")):
        if number == 0:
            parts.append([piece])
            continue
        inside, closed, after = piece.partition("]")
        if not closed:
            raise TemplateError(f"{text!r} has a [ without its ]")
        parts += [inside.split("|"), [after]]
    made = list(dict.fromkeys("".join(chosen) for chosen in product(*parts)))
    if len(made) > _MOST:
        raise TemplateError(f"{text!r} stands for {len(made)} texts: split it")
    return made
