"""What a reader without the image sees of a question: what its variants are balanced over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

_RAREST_STEPS, _FIT_STEPS = 2, 12
"""Steps for a doubling of images, and for a factor of e in plausibility: finer steps weigh more."""
_FLATTERED = 0.12
"""By how much the counts by which an absent kind is chosen say that it fits better than other counts do.

That is the difference between the halves of the table over the absent kinds of a world; of present kinds it is 0.
"""
_LEAST_FIT = -3 * _FIT_STEPS
_SIDEWAYS = ("to the left of", "to the right of")


def blind_features(query: Query, things: SceneThings) -> tuple[str, ...]:
    """The words of a question, alone and together, and how usual what they say is in such an image."""
    found: list[str] = []
    described = [one for one in dict.fromkeys(descriptions_of(query)) if one.kind in things.ontology.kinds]
    for one in described:
        found += _words(one)
        found.append(f"{SCALE}common:{round(log2(1 + things.plausibility.frequency(one.kind)))}")
        found.append(f"{SCALE}plausible:{round(2 * things.plausible(one.kind))}")
    found += _levels([one.kind for one in described if not one.definite], things)
    for one, other in pairwise(described):
        found.append(f"{one.kind} .. {other.kind}")
        found.append(f"{SCALE}together:{round(2 * things.together(one.kind, other.kind))}")
    for related in related_kinds(query):
        if related.relation in _SIDEWAYS:
            # Common sense guesses what is there: what is not may not tell of the answer where it need not.
            found.append(f"there:{related.target in things.kinds}")
        found += (related.relation, f"{related.subject} {related.relation}", f"{related.relation} {related.target}")
    return tuple(found)


def _levels(kinds: Sequence[str], things: SceneThings) -> Iterator[str]:
    """How usual several things are that are looked for: every step of a scale that is reached, so that halves even out.

    Absent things are chosen among usual ones, present ones need not be usual. Steps by themselves hold a few questions
    each, over which that does not even out.
    """
    if len(kinds) < 2:
        return
    common = [log2(1 + things.plausibility.frequency(kind)) for kind in kinds]
    fit = [things.plausible(kind) - (0.0 if kind in things.kinds else _FLATTERED) for kind in kinds]
    yield from (f"{SCALE}rarest:{step}" for step in range(round(_RAREST_STEPS * min(common)) + 1))
    yield from (f"{SCALE}usual:{step}" for step in range(round(sum(common) / len(kinds)) + 1))
    yield from (f"{SCALE}fit:{step}" for step in range(_LEAST_FIT, round(_FIT_STEPS * sum(fit) / len(kinds)) + 1))


@lru_cache(maxsize=16384)
def _words(one: ObjectDescription) -> tuple[str, ...]:
    article = "the" if one.definite else "a"
    return (*features_of(replace(one, relation=None)), article, f"{article} {one.kind}")
