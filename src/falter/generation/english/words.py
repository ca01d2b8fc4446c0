"""Articles by sound, lists, forms of verbs, and words for the image itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_AN = ("hour", "honest", "honor", "honour", "heir")
_SPELLED_AN = frozenset({"mp3", "lcd", "led", "suv", "rv", "atm", "fbi", "hdtv", "x"})
"""Words spoken letter by letter; "led" among them, "ledge" not."""

_LETTERS_AN = "aefhilmnorsx"
_A = ("uni", "use", "usu", "utensil", "ufo", "eu", "ewe", "one", "once", "ukulele", "uranium", "utility", "urinal")
_NUMBER_AN = re.compile(r"8|1[18]\b")
_SOUNDED = re.compile(r".*[aeiouy].*|hm+|sh+|mrs?|ms|dr|st|ft|lbs?|sm")
"""What is no abbreviation that is spoken letter by letter."""
_BUT_AN = ("unim", "unin", "unid", "uniron")
"""Beginnings that are spoken with a vowel although they start like "uniform": "an unlit lamp", "an uninflated ball"."""


@lru_cache(maxsize=65536)
def article(phrase: str) -> str:
    """The indefinite article of a phrase, by how its first word sounds.

    >>> [article(word) for word in ("hour", "uniform", "unlit lamp", "apple", "European")]
    ['an', 'a', 'an', 'an', 'a']
    """
    first = phrase.split(maxsplit=1)[0].lower() if phrase.strip() else ""
    if first[1:2] == "-":
        # "an x-ray", "an l-shaped sofa", "a t-shirt", "a u-turn"
        return "an" if first[0] in _LETTERS_AN else "a"
    if first.startswith(_AN) or first in _SPELLED_AN or first.startswith("xb"):
        return "an"
    if first.startswith(_A) and not first.startswith(_BUT_AN):
        return "a"
    if first.isalpha() and first.isascii() and len(first) < 5 and not _SOUNDED.fullmatch(first):
        # "an hp laptop", "a tv"
        return "an" if first[0] in _LETTERS_AN else "a"
    return "an" if first[:1] in tuple("aeiou") or _NUMBER_AN.match(first) else "a"


def join_list(words: Sequence[str], conjunction: str = "or") -> str:
    """Words as a spoken list, with the comma before the last of three or more.

    >>> join_list(["wood", "metal", "plastic"])
    'wood, metal, or plastic'
    >>> join_list(["cow", "horse"])
    'cow or horse'
    """
    if len(words) <= 2:
        return f" {conjunction} ".join(words)
    return f"{', '.join(words[:-1])}, {conjunction} {words[-1]}"


_IRREGULAR_VERBS = {"have": "has", "be": "is", "do": "does", "go": "goes"}


def third_person(verb: str) -> str:
    """The third person singular of an infinitive.

    >>> [third_person(verb) for verb in ("chase", "push", "carry", "play", "go", "tattoo")]
    ['chases', 'pushes', 'carries', 'plays', 'goes', 'tattoos']
    """
    if verb in _IRREGULAR_VERBS:
        return _IRREGULAR_VERBS[verb]
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return f"{verb[:-1]}ies"
    hisses = verb.endswith(("s", "x", "z", "ch", "sh")) or (verb.endswith("o") and not verb.endswith("oo"))
    return f"{verb}es" if hisses else f"{verb}s"


PLURAL_AUXILIARIES = {"is": "are", "was": "were", "does": "do", "has": "have"}
"""By form of the singular that of the plural."""
SINGULAR_AUXILIARIES = {bare: inflected for inflected, bare in PLURAL_AUXILIARIES.items()}
PLURAL_VERBS = {**PLURAL_AUXILIARIES, "looks": "look", "seems": "seem", "appears": "appear"}
"""With verbs that link a subject to what is said of it."""
SINGULAR_VERBS = {bare: inflected for inflected, bare in PLURAL_VERBS.items()}


IMAGE_WORDS = frozenset({"picture", "photo", "photograph", "image", "scene", "shot", "snapshot"})
"""After "the", these mean the image itself, never an object in it: "in the picture" is no relation."""
