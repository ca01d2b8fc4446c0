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


def mirror(found: Iterable[KnownFoil], rng: Random) -> Iterator[tuple[KnownFoil, KnownFoil]]:
    """Two foils at a time, of two images: the caption of the one is the foil of the other.

    Every two texts come once before any come twice; images come as evenly as that allows.
    """
    waiting: dict[tuple[str, str], deque[KnownFoil]] = defaultdict(deque)
    for one in found:
        waiting[one.caption.text, one.foil.text].append(one)
    keys = [key for key in sorted(waiting) if key < key[::-1] and key[::-1] in waiting]
    rng.shuffle(keys)
    for key in keys:
        for side in (key, key[::-1]):
            drawn = list(waiting[side])
            rng.shuffle(drawn)
            waiting[side] = deque(drawn)
    while keys:
        for key in keys:
            yield waiting[key].popleft(), waiting[key[::-1]].popleft()
        keys = [key for key in keys if waiting[key] and waiting[key[::-1]]]
