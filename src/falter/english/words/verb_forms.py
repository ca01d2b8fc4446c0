"""Verbs in the present."""

from __future__ import annotations

__all__ = ["third_person"]

_IRREGULAR = {"have": "has", "be": "is", "do": "does", "go": "goes"}


def third_person(verb: str) -> str:
    """The third person singular of an infinitive.

    >>> [third_person(verb) for verb in ("chase", "push", "carry", "play", "go", "tattoo")]
    ['chases', 'pushes', 'carries', 'plays', 'goes', 'tattoos']
    """
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return f"{verb[:-1]}ies"
    hisses = verb.endswith(("s", "x", "z", "ch", "sh")) or (verb.endswith("o") and not verb.endswith("oo"))
    return f"{verb}es" if hisses else f"{verb}s"
