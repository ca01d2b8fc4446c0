"""Pairs that do not contradict: a caption, and the same with a synonym, a wider word, another preposition, or "a"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

__all__ = ["weaken_captions"]

_WORDS = {
    # The same, in other words.
    "sofa": "couch",
    "couch": "sofa",
    "bike": "bicycle",
    "bicycle": "bike",
    "motorcycle": "motorbike",
    "photo": "picture",
    "picture": "photo",
    "plane": "airplane",
    "airplane": "plane",
    "tv": "television",
    "television": "TV",
    "car": "auto",
    "fridge": "refrigerator",
    "refrigerator": "fridge",
    "road": "street",
    "street": "road",
    "kid": "child",
    "big": "large",
    "large": "big",
    "small": "little",
    "little": "small",
    "phone": "telephone",
    "cellphone": "phone",
    "donut": "doughnut",
    "gray": "grey",
    "grey": "gray",
    "sidewalk": "pavement",
    "boat": "vessel",
    "rug": "carpet",
    "laptop": "computer",
    # Wider words.
    "dog": "animal",
    "cat": "animal",
    "horse": "animal",
    "giraffe": "animal",
    "elephant": "animal",
    "zebra": "animal",
    "bear": "animal",
    "cow": "animal",
    "bus": "vehicle",
    "truck": "vehicle",
    "train": "vehicle",
    "man": "person",
    "woman": "person",
    "boy": "child",
    "girl": "child",
    "chair": "seat",
    "bench": "seat",
    "pizza": "food",
    "sandwich": "food",
    "banana": "fruit",
    "apple": "fruit",
    "table": "piece of furniture",
    "skateboarder": "person",
    "hat": "piece of clothing",
    "shirt": "piece of clothing",
    "tree": "plant",
    "bird": "animal",
    "knife": "utensil",
}
_PLACES = {
    "in": "inside",
    "on": "on top of",
    "under": "underneath",
    "beside": "next to",
    "next to": "beside",
    "near": "close to",
    "above": "over",
    "toward": "towards",
    "on top of": "on",
    "inside": "in",
    "along": "down",
}
_PLURAL = re.compile(
    r"\b(?:some|two|several|many) (dogs|cats|horses|people|men|women|flowers|trees|cars|birds|boats|kites)\b"
)
_SINGULAR = {"people": "person", "men": "man", "women": "woman"}


def weaken_captions(captions: Sequence[str], number: int, seed: int = 0) -> list[tuple[str, str]]:
    """Captions with what they are weakened to, a third by words, a third by prepositions, a third by numbers."""
    rng = Random(seed)
    ways = (_by_word, _by_place, _by_number)
    found: list[tuple[str, str]] = []
    for caption in rng.sample(list(captions), len(captions)):
        other = ways[len(found) % len(ways)](caption, rng)
        if other is not None:
            found.append((caption, other))
        if len(found) == number:
            break
    return found


def _by_word(caption: str, rng: Random) -> str | None:
    return _replace(caption, _WORDS, rng)


def _by_place(caption: str, rng: Random) -> str | None:
    return _replace(caption, _PLACES, rng)


def _replace(caption: str, words: dict[str, str], rng: Random) -> str | None:
    there = [word for word in words if re.search(rf"\b{word}\b", caption)]
    if not there:
        return None
    word = rng.choice(there)
    return None if " top of" in caption and word == "on" else re.sub(rf"\b{word}\b", words[word], caption, count=1)


def _by_number(caption: str, rng: Random) -> str | None:
    """ "some flowers" becomes "a flower"."""
    found = _PLURAL.search(caption.lower())
    if found is None:
        return None
    single = _SINGULAR.get(found[1], found[1].removesuffix("s"))
    return f"{caption[: found.start()]}a {single}{caption[found.end() :]}"
