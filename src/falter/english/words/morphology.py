"""Morphology: plurals, articles by sound, lists."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

__all__ = ["article", "join_list", "pluralize"]

_AN = ("hour", "honest", "honor", "honour", "heir")
_SPELLED_AN = frozenset({"mp3", "lcd", "led", "suv", "rv", "atm", "fbi", "hdtv", "x"})
"""Words spoken letter by letter; "led" among them, "ledge" not."""

_LETTERS_AN = "aefhilmnorsx"
_A = ("uni", "use", "usu", "utensil", "ufo", "eu", "ewe", "one", "once", "ukulele", "uranium", "utility", "urinal")
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
    if first.startswith(_AN) or first in _SPELLED_AN:
        return "an"
    if first.startswith(_A) and not first.startswith(_BUT_AN):
        return "a"
    return "an" if first[:1] in tuple("aeiou") or first in ("8", "11", "18") else "a"


_IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "foot": "feet", "tooth": "teeth",
    "goose": "geese", "mouse": "mice", "ox": "oxen", "die": "dice", "cactus": "cacti", "octopus": "octopuses",
    "sheep": "sheep", "fish": "fish", "deer": "deer", "moose": "moose", "aircraft": "aircraft", "bison": "bison",
    "series": "series", "species": "species", "salmon": "salmon", "shrimp": "shrimp", "squid": "squid",
}  # fmt: skip
_VES = (
    "leaf",
    "loaf",
    "calf",
    "half",
    "shelf",
    "wolf",
    "elf",
    "self",
    "knife",
    "wife",
    "life",
    "thief",
    "scarf",
    "hoof",
)
_OES = ("tomato", "potato", "mango", "hero", "echo", "torpedo", "volcano", "tornado", "mosquito")
_IN_MEN = ("fireman", "policeman", "fisherman", "snowman", "salesman", "postman", "doorman", "gentleman", "mailman")
_FIRST_WORD = (" of ", " in ", " on ", "-in-", " with ")


@lru_cache(maxsize=65536)
def pluralize(noun: str) -> str:
    """The plural of a singular noun; where the rules would be wrong, the ontology says it.

    >>> [pluralize(noun) for noun in ("dog", "traffic light", "bench", "cherry", "piece of cake", "snowman")]
    ['dogs', 'traffic lights', 'benches', 'cherries', 'pieces of cake', 'snowmen']
    """
    for link in _FIRST_WORD:
        head, found, rest = noun.partition(link)
        if found:
            return f"{pluralize(head)}{link}{rest}"
    before, space, word = noun.rpartition(" ")
    return f"{before}{space}{_plural_of_word(word)}"


def _plural_of_word(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _IN_MEN or word.endswith("woman"):
        return f"{word[:-2]}en"
    if word.endswith(_VES):
        return f"{word.removesuffix('e')[:-1]}ves"
    if word.endswith(("s", "x", "z", "ch", "sh")) and not word.endswith(("stomach", "monarch")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word in _OES else f"{word}s"


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
