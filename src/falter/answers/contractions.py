"""Which word without its apostrophe stands for which contraction, as the VQA evaluation has it."""

from __future__ import annotations

__all__ = ["CONTRACTIONS"]

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
_ODD = {
    "yall'd've": "y'all'd've",
    "y'alld've": "y'all'd've",
    "ow's'at": "'ow's'at",
    "'ows'at": "'ow's'at",
    "'ow'sat": "'ow's'at",
    # The evaluation has this one the wrong way round; results must be the same.
    "somebody'd": "somebodyd",
}


def _build() -> dict[str, str]:
    table: dict[str, str] = {}
    for ending, stems in _ONE_APOSTROPHE.items():
        for stem in stems.split(" "):
            table[(stem + ending).replace("'", "")] = stem + ending
    for (first, second), stems in _TWO_APOSTROPHES.items():
        for stem in stems.split(" "):
            whole = stem + first + second
            table[stem + first.replace("'", "", 1) + second] = whole
            table[stem + first + second.replace("'", "")] = whole
    return table | _ODD


CONTRACTIONS = _build()
"""From the word as written to the contraction it stands for."""
