"""The VQA v2 normalization of answers: punctuation, case, number words, articles, contractions.

Which word without its apostrophe stands for which contraction is as the VQA evaluation has it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ONE_APOSTROPHE = {
    "n't": "ai are ca could did does do had has have is might must need ought sha should was were wo would",
    "'ve": "could might must not should they we what where who would you",
    "'d": "he how it someone something there they where who you",
    "'ll": "how it somebody someone something they what who why you",
    "'s": "he how somebody someone that there what when where who why",
    "'re": "there they what why you",
    "'clock": "o",
    "'am": "ma",
    "'all": "y",
    "'twas": "",
}
_TWO_APOSTROPHES = {
    ("'d", "'ve"): "he it she somebody someone something there they we who you",
    ("n't", "'ve"): "could had might should would",
    ("'all", "'ll"): "y",
    ("'all'd", "'ve"): "y",
}
_ODD_CONTRACTIONS = {
    "yall'd've": "y'all'd've",
    "y'alld've": "y'all'd've",
    "ow's'at": "'ow's'at",
    "'ows'at": "'ow's'at",
    "'ow'sat": "'ow's'at",
    # The evaluation has this one the wrong way round; results must be the same.
    "somebody'd": "somebodyd",
}


def _build_contractions() -> dict[str, str]:
    table: dict[str, str] = {}
    for ending, stems in _ONE_APOSTROPHE.items():
        for stem in stems.split(" "):
            table[(stem + ending).replace("'", "")] = stem + ending
    for (first, second), stems in _TWO_APOSTROPHES.items():
        for stem in stems.split(" "):
            whole = stem + first + second
            table[stem + first.replace("'", "", 1) + second] = whole
            table[stem + first + second.replace("'", "")] = whole
    return table | _ODD_CONTRACTIONS


CONTRACTIONS = _build_contractions()
"""From the word as written to the contraction it stands for."""


ANSWERS_VERSION = "vqa-v2.2"
"""Changes whenever the same answer would be normalized differently; part of signatures."""

_PLAIN_FORMS = str.maketrans(
    {
        **dict.fromkeys("’‘´", "'"),
        **dict.fromkeys("“”„«»「」『』", '"'),
        "。": ".",
        "、": ",",
        "\u2044": "/",
        "\u00a0": " ",
        "\u2028": "\n",
        "\u2029": "\n",
        "\r": "\n",
        "\t": " ",
    }
)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_FRACTION_AFTER_DIGIT = re.compile(r"(?<=\d)(?=[\u00bc-\u00be\u2150-\u215f\u2189])")
_POWER_AFTER_DIGIT = re.compile(r"(?<=[0-9])(?=[\u00b2\u00b3\u00b9\u2070\u2074-\u2079])")

_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_GROUPED_NUMBER = re.compile(r"\d,\d")
_LOOSE_PERIOD = re.compile(r"\.(?!\d)")
_ANY_MARK = re.compile(r"[^\w\s']")
_NUMBERS_TO_TEN = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_NUMBERS_TO_TEN)} | {"none": "0"}
_ARTICLES = frozenset(("a", "an", "the"))

_OFFICIAL_PERIODS = 32
"""The evaluation removes at most this many periods (a flag stands where a count belongs in its call)."""


@lru_cache(maxsize=1 << 14)
def normalize(text: str) -> str:
    """The form in which two answers are compared.

    It is the VQA evaluation's, but for letters that Unicode writes in several ways, which are the same letter; for
    answers that are nothing but articles or nothing but marks, which stay (the answer "A" is not nothing, nor is "?");
    and for texts of more than 32 periods, of which all are removed, so that normalizing twice is the same as once.

    >>> normalize("The two dogs.")
    '2 dogs'
    >>> normalize("A"), normalize("-"), normalize("10 m²") == normalize("10 m2")
    ('a', '-', True)
    """
    if not text.isascii():
        folded = fold(text)
        text = drop_symbols(folded)
        text = text if text.strip() else folded
    return (
        _normalize(text, periods=0)
        or " ".join(_without_marks(text, periods=0).lower().split())
        or " ".join(text.lower().split())
    )


def fold(text: str) -> str:
    """A text in which every letter is written in one way: composed, in one width, with plain quotes and blanks.

    >>> fold("e\\u0301"), fold("１½ ㎡"), fold("10²"), fold("\\u200b“dog”")
    ('é', '1 1/2 m2', '10^2', '"dog"')
    """
    if not text.isascii():
        text = _INVISIBLE.sub("", text)
        # Without these "1½" would be 11/2, and "10²" 102.
        text = _POWER_AFTER_DIGIT.sub("^", _FRACTION_AFTER_DIGIT.sub(" ", text))
        text = unicodedata.normalize("NFKC", text)
    return text.translate(_PLAIN_FORMS)


def drop_symbols(text: str) -> str:
    """A text without pictures and other signs that are no letters.

    >>> drop_symbols("dog 🐕")
    'dog '
    """
    if text.isascii():
        return text
    return "".join(one for one in text if one in "°\n" or unicodedata.category(one) not in ("So", "Sk", "Cc"))


def normalize_vqa(text: str) -> str:
    """What the official VQA v2 evaluation makes of an answer, to the letter.

    >>> normalize_vqa("1,000 dont's"), normalize_vqa("$2.50."), normalize_vqa("A")
    ("1000 dont's", '$2.50', '')
    """
    return _normalize(text, periods=_OFFICIAL_PERIODS)


def _normalize(text: str, *, periods: int) -> str:
    words = _without_marks(text, periods=periods).lower().split()
    numbered = (_NUMBER_WORDS.get(word, word) for word in words)
    return " ".join(CONTRACTIONS.get(word, word) for word in numbered if word not in _ARTICLES)


def _without_marks(text: str, *, periods: int) -> str:
    """A mark vanishes if it stands beside a space anywhere (or a number has grouped digits), else it parts words."""
    text = text.replace("\n", " ").replace("\t", " ").strip()
    if not _ANY_MARK.search(text) and "_" not in text:
        return text
    joined = _GROUPED_NUMBER.search(text) is not None
    result = text
    for mark in _MARKS:
        if mark in text:
            vanishes = joined or f"{mark} " in text or f" {mark}" in text
            result = result.replace(mark, "" if vanishes else " ")
    return _LOOSE_PERIOD.sub("", result, count=periods)
