"""Nouns for people, and those that say whether they are men or women."""

from __future__ import annotations

from falter.suites.valse.foiling.word_lists import word_list

__all__ = ["FEMALE", "MALE", "is_person", "noun_class"]

MALE = word_list("male")
FEMALE = word_list("female")
_ENDINGS = ("man", "woman", "boarder", "rider", "player", "skier", "surfer", "person")
_OTHERS = word_list("people")


def is_person(noun: str) -> bool:
    """Whether a noun in the singular names a person.

    >>> is_person("skateboarder"), is_person("skateboard")
    (True, False)
    """
    return noun in MALE or noun in FEMALE or noun in _OTHERS or (noun.endswith(_ENDINGS) and noun != "human")


def noun_class(noun: str) -> str:
    """The noun itself, or ``person`` for any person."""
    return "person" if is_person(noun) else noun
