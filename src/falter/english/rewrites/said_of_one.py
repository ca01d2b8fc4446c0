"""What is said of several things, said of one of them: "people who are wearing hats", "person who is wearing a hat"."""

from __future__ import annotations

import re

from falter.english.grammar import default_grammar
from falter.english.rewrites.word_patterns import is_plural_phrase, word_class
from falter.english.words import SINGULAR_AUXILIARIES, article, singularize

__all__ = ["each_has", "noun_of_one", "said_of_one"]

_HAS_EACH = re.compile(
    r"((?:not )?(?:wear|hold|rid|carry|us|read)ing|with|have|wear|hold|ride|carry|use|read) (.+)", re.IGNORECASE
)
_IS_IN_EACH = re.compile(r"((?:[a-z]+ing )?(?:in|on|with)) (.+)", re.IGNORECASE)
_IN = {"in": ("clothing", "one_is_on"), "on": ("one_is_on",), "with": ("clothing", "carried")}
_RELATIVE = re.compile(r"(?:^|(?P<before>\S+) )(?P<who>who|that|which) (?P<verb>\S+)", re.IGNORECASE)
_OF_SEVERAL = re.compile(
    r"\b(?:theirs?|them|themselves|together|each other|one another"
    r"|(?:hold|shak)ing hands|side by side|in a row|in rows)\b",
    re.IGNORECASE,
)
_NOT_COUNTED = ("different ", "total ", "separate ")
"""What is said of how many there are, and not of one."""
_DIFFER = ("colored ", "coloured ", "sized ", "shaped ")
"""How several differ: of one nothing is left to be said ("different colored hats")."""


def said_of_one(words: str) -> str | None:
    """Words after a noun, where one is counted instead of several; None where they can be said of several alone.

    >>> said_of_one("wearing hats"), said_of_one("wearing glasses"), said_of_one("that are brown")
    ('wearing a hat', 'wearing glasses', 'that is brown')
    >>> said_of_one("using their trunks"), said_of_one("that say stop"), said_of_one("that you see")
    (None, 'that says stop', 'that you see')
    """
    if _OF_SEVERAL.search(words):
        return None
    agreeing = _agree_clause(words)
    if agreeing is None:
        return None
    found = _HAS_EACH.fullmatch(agreeing)
    among: tuple[str, ...] = ()
    if found is None and (found := _IS_IN_EACH.fullmatch(agreeing)) is not None:
        among = _IN[found[1].lower().rpartition(" ")[2]]
    if found is None:
        return _kind_of_one(agreeing)
    singular = each_has(found[2], *among)
    return None if singular is None else f"{found[1]} {singular}"


def _kind_of_one(words: str) -> str:
    """What several are, of one: "women", "a woman"; other words as they are."""
    ontology = default_grammar().ontology
    single = singularize(words.lower()) if words.count(" ") < 2 else None
    known = single is not None and ontology.grammatical_number(words.lower()) == "plural" and ontology.knows(single)
    return f"{article(single)} {single}" if known and single is not None else words


def each_has(words: str, *among: str) -> str | None:
    """What each of several has, where one has it: "a red hat on"; None where that cannot be told.

    >>> each_has("red hats on"), each_has("horns"), each_has("hats and glasses")
    ('a red hat on', 'horns', None)
    """
    tokens = words.split()
    if not tokens or _OF_SEVERAL.search(words):
        return None if tokens else ""
    if len(tokens) > 1 and tokens[0].lower() in word_class("place"):
        rest = each_has(" ".join(tokens[1:]), *among)
        return None if rest is None else f"{tokens[0]} {rest}"
    end = next((place for place, one in enumerate(tokens) if place and _ends_phrase(one)), len(tokens))
    single = singularize(tokens[end - 1].lower())
    if single is None or tokens[0].lower() in word_class("determiner") or any(map(_is_verbal, tokens[:end])):
        return words
    if end < len(tokens) and tokens[end].lower() in ("and", "or"):
        return None
    names = {single, " ".join([*tokens[max(0, end - 2) : end - 1], single]).lower()}
    known = (word_class(name) for name in (among or ("clothing", "one_is_on", "carried")))
    if names.isdisjoint(frozenset[str]().union(*known)):
        return words
    phrase = " ".join([*tokens[: end - 1], single])
    return " ".join([article(phrase), phrase, *tokens[end:]])


def _ends_phrase(word: str) -> bool:
    lowered = word.lower()
    links = ("and", "or", "that", "who", "which", "of", "up", "out", "down", "away")
    return lowered in links or lowered in word_class("place")


def _is_verbal(word: str) -> bool:
    lowered = word.lower()
    return lowered in ("to", "be", "not") or (lowered.endswith("ing") and lowered not in word_class("counted_in_ing"))


def _agree_clause(words: str) -> str | None:
    """A relative clause with its verb in the singular, where it is about what is counted."""
    found = _RELATIVE.search(words)
    before = "" if found is None else (found["before"] or "").lower()
    # "on that sofa" has no clause.
    if found is None or (before and is_plural_phrase(before)) or before in word_class("place") | {"of", "to"}:
        return words
    verb = found["verb"].lower()
    if verb in SINGULAR_AUXILIARIES:
        return f"{words[: found.start('verb')]}{SINGULAR_AUXILIARIES[verb]}{words[found.end('verb') :]}"
    if verb in word_class("clause_verb"):
        return f"{words[: found.start('verb')]}{_third_person(verb)}{words[found.end('verb') :]}"
    other = any(verb in word_class(name) for name in ("determiner", "pronoun", "auxiliary"))
    return words if other or verb.endswith(("s", "ed", "n't")) else None


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"


def noun_of_one(phrase: str) -> str | None:
    """A phrase of several things as that of one; None where it has no singular.

    >>> noun_of_one("types of animals"), noun_of_one("people riding bikes"), noun_of_one("different colored hats")
    ('type of animal', 'person riding a bike', None)
    """
    beginning = next((one for one in _NOT_COUNTED if phrase.startswith(one)), "")
    phrase = phrase.removeprefix(beginning)
    if (beginning and phrase.startswith(_DIFFER)) or "s' " in phrase:
        return None
    tokens = phrase.split()
    head, after = phrase, ""
    for place in range(1, len(tokens)):
        before = " ".join(tokens[:place])
        if _begins_more(tokens[place]) and is_plural_phrase(before):
            head, after = before, " ".join(tokens[place:])
            break
    single = _singular(head)
    if single is None or not after:
        return single
    said = said_of_one(after)
    return None if said is None else f"{single} {said}"


def _begins_more(word: str) -> bool:
    """Whether a word may begin what is said of a noun, rather than belong to it."""
    lowered = word.lower()
    return lowered in ("who", "that", "which") or lowered in word_class("place") or lowered.endswith("ing")


def _singular(noun: str) -> str | None:
    single = singularize(noun)
    if any(one in noun.split() for one in ("and", "or")) and _joins_several(noun):
        return None
    if single is not None:
        head, of, rest = single.partition(" of ")
        single = f"{head}{of}{singularize(rest) or rest}" if of and head in word_class("sort_noun") else single
        return None if single.endswith("people") and not of else single
    same = noun.rsplit(maxsplit=1)[-1].lower() in word_class("same_plural") - {"people"}
    return noun if same else None


def _joins_several(noun: str) -> bool:
    """Whether two things are counted at once: "cats and dogs", but not "black and white cats"."""
    before = re.split(r" (?:and|or) ", noun)[0].rpartition(" ")[2].lower()
    return singularize(before) is not None
