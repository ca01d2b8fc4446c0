"""Singular and plural of nouns, and numbers in words: what writing questions and reading answers share."""

from __future__ import annotations

from functools import lru_cache

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
