"""Whether two phrases name the same: by their letters, as plural and singular, or as synonyms."""

from __future__ import annotations

import re
from functools import lru_cache

from falter.answers.open_answers.open_question import read_open_question
from falter.answers.open_answers.phrases import (
    are_listed_synonyms,
    in_one,
    plain_words,
    same_kind,
    same_where_asked,
    singular_forms,
)

__all__ = ["same_phrase"]

_ASKS_OF_MATTER = re.compile(r"\bmade (?:out )?of\b|\bmaterial\b|\bmakes? up\b")
_ASKS_OF_WEAR = re.compile(r"\b(?:wear|wears|wearing|worn|has on|glasses|eyes?|face)\b")
_FULL = {f"{word}'s": f"{word}is" for word in ("he", "she", "it", "that", "there", "this")}
_FULL |= {"they're": "theyare", "we're": "weare", "i'm": "iam", "you're": "youare"}


@lru_cache(maxsize=1 << 15)
def same_phrase(asked: str, gold: tuple[str, ...], reply: tuple[str, ...]) -> bool:
    if gold == reply or in_one(gold) == in_one(reply):
        return bool(gold)
    if not gold or not reply:
        return False
    if read_open_question(asked).color:
        # The color orange is no oranges.
        return are_listed_synonyms(" ".join(gold), " ".join(reply))
    if {gold[-1], reply[-1]} == {"glass", "glasses"}:
        drinking = gold[-1] == "glass" and not _ASKS_OF_MATTER.search(asked) and not _ASKS_OF_WEAR.search(asked)
        return drinking and gold[:-1] == reply[:-1]
    singular, other = singular_forms(gold), singular_forms(reply)
    if singular & other or {in_one((form,)) for form in singular} & {in_one((form,)) for form in other}:
        return True
    if _letters(gold) == _letters(reply):
        return True
    if same_where_asked(read_open_question(asked).words, gold, reply):
        return True
    # Where the question names both words, it means two things by them.
    if _is_offered(asked, other):
        return False
    return same_kind(gold, reply)


def _letters(words: tuple[str, ...]) -> str:
    """Words without what is left to taste: "don't" is "do not", and "Joe's" may be "Joes"."""
    full = (_FULL.get(word) or (f"{word[:-3]}not" if word.endswith("n't") else word.replace("'", "")) for word in words)
    return in_one(tuple(full))


def _is_offered(asked: str, forms: frozenset[str]) -> bool:
    """Whether a question that offers alternatives offers one of these."""
    if not re.search(r"\bor\b", asked):
        return False
    words = f" {' '.join(plain_words(asked))} "
    return any(f" {form} " in words for form in forms)
