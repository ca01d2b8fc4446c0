"""Pairs in both directions: each text is as often a caption as a foil, so that no text tells which one it is."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from falter.suites.valse.scene_foils.contrast import Contrast, SceneStatement

__all__ = ["KnownFoil", "mirror"]


class KnownFoil(NamedTuple):
    """A statement that is true of an image and one that is false, with the words in which they differ."""

    image_id: str
    caption: SceneStatement
    foil: SceneStatement
    word: str
    foil_word: str
    form: str

    @classmethod
    def from_contrast(cls, image_id: str, contrast: Contrast, *, first_is_true: bool) -> KnownFoil:
        """The contrast, the true statement first."""
        first, second, words, form = contrast
        if first_is_true:
            return cls(image_id, first, second, *words, form)
        return cls(image_id, second, first, words[1], words[0], form)

    @property
    def key(self) -> tuple[str, str]:
        """What is balanced: the two texts."""
        return self.caption.text, self.foil.text

    @property
    def stratum(self) -> str:
        """What a suite should have equally many of."""
        return self.form or " / ".join(sorted((self.word, self.foil_word)))


def mirror(found: Iterable[KnownFoil], rng: Random) -> Iterator[tuple[KnownFoil, KnownFoil]]:
    """Two foils at a time: the caption of the one is the foil of the other.

    Strata take turns; within one, every two texts come once before any come twice.
    """
    waiting: dict[tuple[str, str], list[KnownFoil]] = defaultdict(list)
    for one in found:
        waiting[one.key].append(one)
    turns: dict[str, list[tuple[int, float, tuple[KnownFoil, KnownFoil]]]] = defaultdict(list)
    for key in sorted(waiting):
        for number, couple in enumerate(_couples(key, waiting, rng)):
            turns[couple[0].stratum].append((number, rng.random(), couple))
    queues = {name: deque(sorted(ones, key=lambda one: one[:2])) for name, ones in sorted(turns.items())}
    while queues:
        for queue in queues.values():
            yield queue.popleft()[2]
        queues = {name: queue for name, queue in queues.items() if queue}


def _couples(
    key: tuple[str, str], waiting: dict[tuple[str, str], list[KnownFoil]], rng: Random
) -> Iterator[tuple[KnownFoil, KnownFoil]]:
    """The foils of a key, each with one of the mirrored key; where that is the same key, with the next."""
    there = waiting[key]
    if key == key[::-1]:
        there = rng.sample(there, len(there))
        yield from zip(there[::2], there[1::2], strict=False)
    elif key < key[::-1] and key[::-1] in waiting:
        back = waiting[key[::-1]]
        yield from zip(rng.sample(there, len(there)), rng.sample(back, len(back)), strict=False)
