"""Words that phrases are built with: determiners, verbs that link, and what says where in the image something is."""

from __future__ import annotations

import re

from falter.english.words import IMAGE_WORDS
from falter.scene.description import Side

__all__ = [
    "BE",
    "DEFINITE",
    "EMPTY",
    "INDEFINITE",
    "IN_IMAGE",
    "LINKS",
    "MADE",
    "NOT_BE",
    "ON_SIDE",
    "OWNERS",
    "PASSIVES",
    "SEEM",
    "SIDES",
]

DEFINITE = frozenset({"the", "this", "that", "these", "those"})
INDEFINITE = frozenset({"a", "an", "any", "some"})
OWNERS = {"her": "woman", "his": "man", "their": "person"}
BE = frozenset({"is", "are", "was", "were"})
NOT_BE = frozenset({"isn't", "aren't", "wasn't", "weren't"})
SEEM = frozenset({"look", "looks", "seem", "seems", "appear", "appears"})
LINKS = frozenset({"that", "which", "who"})
EMPTY = frozenset({"here", "there", "shown", "visible", "pictured", "today"})
_IMAGE = "|".join(sorted(IMAGE_WORDS))
IN_IMAGE = re.compile(
    rf"(?:that (?:is|are) )?(?:shown |visible |seen )?(?:in|of|on) (?:the|this|that) (?:{_IMAGE})(?= |$)"
)
ON_SIDE = re.compile(
    r"(?:that (?:is|are) |who (?:is|are) )?(?:on|in|at|to) the (left|right|top|bottom|middle|center)"
    rf"(?: hand)?(?: (?:side|part|half|corner))?(?: (?:of|in) (?:the|this) (?:{_IMAGE}))?(?= |$)(?! of )"
)
SIDES: dict[str, Side] = {
    "left": "left", "right": "right", "top": "top", "bottom": "bottom", "middle": "middle", "center": "middle",
}  # fmt: skip
MADE = (("made", "out", "of"), ("made", "of"), ("made", "from"))
PASSIVES = {
    "held": "holding", "worn": "wearing", "ridden": "riding", "carried": "carrying", "used": "using",
    "pulled": "pulling", "pushed": "pushing", "eaten": "eating", "driven": "driving", "thrown": "throwing",
    "flown": "flying",
    "watched": "watching", "surrounded": "surrounding", "covered": "covering", "followed": "following",
}  # fmt: skip
"""The relations of verbs in the passive, which hold from what follows "by"."""
