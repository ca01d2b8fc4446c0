"""What a reader without the image sees of a question: what its variants are balanced over."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import log2

from msgspec.structs import replace

from falter.authoring.balance import SCALE, features_of
from falter.authoring.scene_things import SceneThings
from falter.authoring.speakable import related_kinds
from falter.scene import ObjectDescription, Query
from falter.scene.query_parts import descriptions_of

__all__ = ["blind_features"]

_SIDEWAYS = ("to the left of", "to the right of")


def blind_features(query: Query, things: SceneThings) -> tuple[str, ...]:
    """The words of a question, alone and together, and how usual what they say is in such an image."""
    found: list[str] = []
    described = [one for one in dict.fromkeys(descriptions_of(query)) if one.kind in things.ontology.kinds]
    for one in described:
        found += _words(one)
        found.append(f"{SCALE}common:{round(log2(1 + things.plausibility.frequency(one.kind)))}")
        found.append(f"{SCALE}plausible:{round(2 * things.plausible(one.kind))}")
    for one, other in pairwise(described):
        found.append(f"{one.kind} .. {other.kind}")
        found.append(f"{SCALE}together:{round(2 * things.together(one.kind, other.kind))}")
    for related in related_kinds(query):
        if related.relation in _SIDEWAYS:
            # Common sense guesses what is there: what is not may not tell of the answer where it need not.
            found.append(f"there:{related.target in things.kinds}")
        found += (related.relation, f"{related.subject} {related.relation}", f"{related.relation} {related.target}")
    return tuple(found)


@lru_cache(maxsize=16384)
def _words(one: ObjectDescription) -> tuple[str, ...]:
    article = "the" if one.definite else "a"
    return (*features_of(replace(one, relation=None)), article, f"{article} {one.kind}")
