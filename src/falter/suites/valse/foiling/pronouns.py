"""Pronouns that refer to a noun phrase, found by number and gender: where two phrases fit, none is changed."""

from __future__ import annotations

from collections.abc import Iterator

from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.candidate import Edit
from falter.suites.valse.foiling.noun_phrases import NounPhrase, Number, noun_number
from falter.suites.valse.foiling.people import FEMALE, MALE, is_person

__all__ = ["agree_pronouns"]

_HE, _SHE, _IT = ("he", "him", "his", "himself"), ("she", "her", "her", "herself"), ("it", "it", "its", "itself")
_THEY = ("they", "them", "their", "themselves")
_SINGULAR = {*_HE, *_SHE, *_IT}
_OWNED_IN_SINGULAR = ("NN", "NNP")


def agree_pronouns(
    parsed: ParsedText, phrase: NounPhrase, target: Number, problem: type[Exception]
) -> Iterator[tuple[Edit, int | None]]:
    """The edits of pronouns that refer to a phrase, each with the verb that it is the subject of."""
    for index, token in enumerate(parsed.tokens):
        if token.tag not in ("PRP", "PRP$") or not _fits(token.lower, parsed, phrase.head):
            continue
        others = (one.head for one in parsed.chunks if one.head not in (phrase.head, index))
        if index < phrase.head or any(other < index and _fits(token.lower, parsed, other) for other in others):
            raise problem("a pronoun that may refer to it, or to something else")
        if token.tag == "PRP$" and (parsed.tokens[token.head].tag in _OWNED_IN_SINGULAR) == (target == "pl"):
            raise problem("what it has would change in number as well")
        new = _pronoun(phrase, target)[_case(parsed, index)]
        is_subject = token.dep in ("nsubj", "nsubjpass")
        text = new.capitalize() if token.text[0].isupper() else new
        yield Edit(token.start, token.end, text), token.head if is_subject else None


def _pronoun(phrase: NounPhrase, target: Number) -> tuple[str, str, str, str]:
    if target == "pl":
        return _THEY
    if phrase.singular in MALE:
        return _HE
    if phrase.singular in FEMALE:
        return _SHE
    return _THEY if is_person(phrase.singular) else _IT


def _case(parsed: ParsedText, index: int) -> int:
    token = parsed.tokens[index]
    if token.lower.endswith(("self", "selves")):
        return 3
    if token.tag == "PRP$":
        return 2
    return 0 if token.dep in ("nsubj", "nsubjpass") else 1


def _fits(pronoun: str, parsed: ParsedText, head: int) -> bool:
    """Whether a pronoun may refer to a noun."""
    read = noun_number(parsed, head)
    if read is None:
        return pronoun in _SINGULAR and parsed.tokens[head].tag in ("NNP", "NN")
    number, noun = read
    if pronoun in _THEY:
        return number == "pl" or is_person(noun)
    if number == "pl" or pronoun not in _SINGULAR:
        return False
    if pronoun in _HE:
        return (is_person(noun) and noun not in FEMALE) or noun in ("dog", "cat", "bear")
    if pronoun in _SHE:
        return (is_person(noun) and noun not in MALE) or noun in ("dog", "cat", "bear")
    return not is_person(noun) or noun in ("baby", "child")
