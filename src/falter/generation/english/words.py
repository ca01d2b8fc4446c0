"""Single words and their forms: plurals, articles by sound, lists, numbers, verbs, and words for the image itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

__all__ = [
    "IMAGE_WORDS",
    "PLURAL_AUXILIARIES",
    "PLURAL_VERBS",
    "SINGULAR_AUXILIARIES",
    "SINGULAR_VERBS",
    "article",
    "join_list",
    "number_to_word",
    "pluralize",
    "singularize",
    "third_person",
    "word_to_number",
]

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


_IRREGULAR_PLURALS = {
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
    if word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word]
    if word in _IN_MEN or word.endswith("woman"):
        return f"{word[:-2]}en"
    if word.endswith(_VES):
        return f"{word.removesuffix('e')[:-1]}ves"
    if word.endswith(("s", "x", "z", "ch", "sh")) and not word.endswith(("stomach", "monarch")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word in _OES else f"{word}s"


_SINGULAR = {plural: singular for singular, plural in _IRREGULAR_PLURALS.items()} | {
    "buses": "bus", "busses": "bus", "gases": "gas", "lenses": "lens", "axes": "axe", "shoes": "shoe",
    "canoes": "canoe", "toes": "toe", "horseshoes": "horseshoe", "ties": "tie", "pies": "pie", "neckties": "necktie",
    "cookies": "cookie", "movies": "movie", "selfies": "selfie", "smoothies": "smoothie", "brownies": "brownie",
    "veggies": "veggie", "zombies": "zombie", "hoodies": "hoodie", "quiches": "quiche", "caches": "cache",
    "headaches": "headache", "toothaches": "toothache", "niches": "niche", "skis": "ski", "kiwis": "kiwi",
    "taxis": "taxi", "bikinis": "bikini",
    "zucchinis": "zucchini", "menus": "menu", "olives": "olive", "mustaches": "mustache", "hibiscuses": "hibiscus",
    "emus": "emu", "gnus": "gnu", "tiramisus": "tiramisu", "cruises": "cruise",
}  # fmt: skip
_PLURAL_ONLY = frozenset(
    {"pants", "glasses", "scissors", "shorts", "jeans", "sunglasses", "trousers", "tongs", "binoculars", "pliers",
     "clothes", "goggles", "pajamas", "tights", "leggings", "bleachers"}
)  # fmt: skip
_ENDS_IN_S = frozenset(
    {"gas", "canvas", "christmas", "texas", "kansas", "vegas", "atlas", "alas", "lens", "news", "gps", "adidas", "bias",
     "pancreas", "pajamas", "overseas", "means", "crossroads", "headquarters", "afterwards", "towards", "always"}
)  # fmt: skip
"""Singulars that look like plurals."""


@lru_cache(maxsize=65536)
def singularize(noun: str) -> str | None:
    """The singular of a plural noun; None for a noun that is not a plural, or has no singular.

    >>> [singularize(noun) for noun in ("dogs", "boxes", "cherries", "pieces of cake", "wine glasses", "dog", "pants")]
    ['dog', 'box', 'cherry', 'piece of cake', 'wine glass', None, None]
    """
    for link in _FIRST_WORD:
        head, found, rest = noun.partition(link)
        if found:
            single = "glass" if (head, link) == ("glasses", " of ") else singularize(head)
            return None if single is None else f"{single}{link}{rest}"
    before, space, word = noun.rpartition(" ")
    single = None if noun in _PLURAL_ONLY else _singular_of_word(word)
    return None if single is None else f"{before}{space}{single}"


def _singular_of_word(word: str) -> str | None:
    if word in _SINGULAR:
        return _SINGULAR[word]
    if word in _ENDS_IN_S:
        return None
    if word.endswith("men"):
        return f"{word[:-2]}an"
    if word.endswith("ves"):
        for ending in ("f", "fe", "ve"):
            if f"{word[:-3]}{ending}".endswith(_VES):
                return f"{word[:-3]}{ending}"
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")) or word[:-2] in _OES:
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else None


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


_SMALL = tuple(
    word
    for line in (
        "zero one two three four five six seven eight nine ten",
        "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    )
    for word in line.split()
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def number_to_word(number: int) -> str:
    """A number in words, up to 99; beyond, in digits.

    >>> [number_to_word(number) for number in (0, 12, 20, 42, 120)]
    ['zero', 'twelve', 'twenty', 'forty-two', '120']
    """
    if not 0 <= number < 100:
        return str(number)
    if number < 20:
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] if ones == 0 else f"{_TENS[tens]}-{_SMALL[ones]}"


_NUMBERS = {number_to_word(number): number for number in range(100)}


def word_to_number(word: str) -> int | None:
    """The number of a word or of digits, or None."""
    word = word.lower()
    if word.isascii() and word.isdigit():
        return int(word)
    return _NUMBERS.get(word)


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
