"""Which answer confirms a label, and what an answer means whichever side was shown first."""

from __future__ import annotations

__all__ = ["PAIR_WORDS", "resolve_side", "show_side"]

PAIR_WORDS = ("caption", "foil")
_POSITIONS = ("first", "second")


def resolve_side(answer: str, original_first: bool | None) -> str:
    """``first`` and ``second`` as the caption or the foil; other answers stay.

    >>> resolve_side("first", True), resolve_side("first", False), resolve_side("both", True)
    ('caption', 'foil', 'both')
    """
    if answer not in _POSITIONS or original_first is None:
        return answer
    return PAIR_WORDS[(answer == "first") != original_first]


def show_side(answer: str, original_first: bool | None) -> str:
    """The other way around: where the caption or the foil was shown.

    >>> show_side("caption", False), show_side("neither", False)
    ('second', 'neither')
    """
    if answer not in PAIR_WORDS or original_first is None:
        return answer
    return _POSITIONS[(answer == "caption") != original_first]
