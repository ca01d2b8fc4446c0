"""What careful reading knows of nouns and describing words: kinds, what they belong to, and what excludes what.

It is the ontology's knowledge, frozen in ``data/word_relations.json`` by ``scripts/freeze_word_relations.py``, so that
reading an answer needs nothing that makes questions. A test tells where the ontology has changed since.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, cached_property, lru_cache
from pathlib import Path

import msgspec

from falter.core.errors import InputError

DATA = Path(__file__).parent / "data" / "word_relations.json"


class KindRelations(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a kind belongs to, and what else a thing of it may be."""

    parents: list[str] = []
    together: list[int] = []
    """The kinds that one object may be together with this one, as positions in the file: of later kinds only."""
    imitated_by: list[str] = []
    """The words with which something called so is an imitation of it: a wooden horse is no horse."""


class WordRelations(msgspec.Struct, frozen=True, dict=True):
    """The whole file."""

    kinds: dict[str, KindRelations]
    names: dict[str, list[str]]
    """By a noun without spaces and hyphens the kinds that it names."""
    families: dict[str, tuple[str, ...]]
    """By a describing word the families that it is a value of."""
    excludes: dict[str, list[str]]
    """By a describing word the later ones that no object has with it."""

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each kind in the file."""
        return {kind: position for position, kind in enumerate(self.kinds)}


@cache
def _relations() -> WordRelations:
    try:
        return msgspec.json.decode(DATA.read_bytes(), type=WordRelations)
    except (OSError, msgspec.MsgspecError) as error:
        raise InputError(DATA, f"cannot be read: {error}", hint="install Falter anew") from error


def names_kind(word: str) -> bool:
    """Whether there is a kind of this name."""
    return bool(kinds_named(word))


@lru_cache(maxsize=1 << 14)
def kinds_named(phrase: str) -> frozenset[str]:
    """The kinds of this name, however its words are joined."""
    return frozenset(_relations().names.get(phrase.replace(" ", ""), ()))


@cache
def _ancestors(kind: str) -> frozenset[str]:
    return frozenset((kind,)).union(*(_ancestors(parent) for parent in _relations().kinds[kind].parents))


def is_a(kind: str, other: str) -> bool:
    """Whether every thing of one kind is of the other.

    >>> is_a("dog", "animal"), is_a("animal", "dog")
    (True, False)
    """
    return other in _ancestors(kind)


def are_disjoint(first: str, second: str) -> bool:
    """Whether no object is of both kinds.

    >>> are_disjoint("dog", "cat"), are_disjoint("dog", "animal")
    (True, False)
    """
    known = _relations()
    one, other = sorted((first, second), key=known.positions.__getitem__)
    return one != other and known.positions[other] not in known.kinds[one].together


def is_imitation(kind: str, words: Collection[str]) -> bool:
    """Whether something of these words that is called so is only an imitation of the kind.

    >>> is_imitation("dog", ["toy"]), is_imitation("dog", ["brown"])
    (True, False)
    """
    return not set(_relations().kinds[kind].imitated_by).isdisjoint(words)


def families_by_word() -> dict[str, tuple[str, ...]]:
    """By a describing word the families that it is a value of."""
    return _relations().families


def exclude(first: str, second: str) -> bool:
    """Whether no object can be both.

    >>> exclude("red", "blue"), exclude("red", "striped")
    (True, False)
    """
    known = _relations().excludes
    return second in known.get(first, ()) or first in known.get(second, ())
