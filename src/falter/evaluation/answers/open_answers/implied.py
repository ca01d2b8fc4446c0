"""Answers that imply a yes or a no: ``Neither``, ``No mugs``, ``Only berries``, ``Brown`` where blue was asked."""

from __future__ import annotations

import re

from falter.evaluation.answers.open_answers.implied_amounts import by_amount, by_comparison, by_count
from falter.evaluation.answers.open_answers.phrases import (
    describing_families,
    is_quality,
    plain_words,
    same_kind,
    singular_forms,
)
from falter.evaluation.answers.open_answers.questions import YesNoQuestion, read_question
from falter.evaluation.answers.open_answers.word_relations import (
    are_disjoint,
    exclude,
    families_by_word,
    is_a,
    kinds_named,
    names_kind,
)
from falter.evaluation.answers.yes_no import Polarity

_STATES = re.compile(r"^(?:there (?:is|are|was|were)|there's|i (?:can )?see|(?:the|this) (?:image|picture) shows)\s+")
_TAIL = re.compile(
    r"\s+(?:in|on) (?:the|this) (?:image|picture|photo|photograph|scene)$"
    r"|\s+at all$|\s+(?:(?:is|are) )?(?:visible|present|shown|there|seen)$"
)
_NO = re.compile(r"^(?:no|neither|not any|without(?: any)?)\s+")
_ONLY = re.compile(r"^(?:only|just)\s+|\s+only$")
_AND = re.compile(r"\s*(?:[,;&]|\band\b|\bor\b|\bnor\b)+\s*")
_BUT = re.compile(r"\s*[,;]?\s*\bbut\b\s*(?:there (?:is|are) )?")
_OPPOSITES = (
    ("left", "right"),
    ("indoors", "outdoors"),
    ("same", "different"),
    ("open", "closed"),
    ("behind", "front"),
    ("top", "bottom"),
    ("above", "below"),
    ("day", "night"),
    ("hot", "cold"),
    ("fast", "slow"),
    ("awake", "asleep"),
    ("cheap", "expensive"),
    ("loud", "quiet"),
    ("good", "bad"),
    ("sunny", "cloudy"),
    ("raining", "sunny"),
    ("raining", "dry"),
)
_FORMS = {"indoor": "indoors", "inside": "indoors", "outdoor": "outdoors", "outside": "outdoors"}
_FORMS |= {"seated": "sitting", "shut": "closed"}
_FORMS |= {"daytime": "day", "nighttime": "night"}
_LITTLE = frozenset(
    (
        *("side", "part", "color", "colors", "to", "on", "in", "of", "at", "by", "with", "a", "an", "the", "any"),
        *(
            "it",
            "it's",
            "they",
            "they're",
            "he",
            "she",
            "he's",
            "she's",
            "there",
            "you",
            "is",
            "are",
            "was",
            "were",
            "be",
            "being",
        ),
        *("does", "do", "has", "have", "appear", "appears", "look", "looks", "see", "seem", "seems"),
    )
)
_ANYTHING = (("anything",), ("something",))
_AMOUNTS = frozenset(("several", "some", "few", "many", "multiple", "couple", "of", "various", "lots", "plenty"))
_INTENSIFIERS = frozenset(
    (
        *("wide", "very", "quite", "really", "fully", "completely", "totally", "clearly", "indeed", "definitely"),
        *("all", "entirely", "turned", "switched"),
    )
)
_IS_EMPTY = re.compile(r"(?P<place>the [\w ]+) (?:is|are) (?:completely )?(?:empty|deserted)")
_HAS_NONE = re.compile(r"(?:he|she|it|they) (?:doesn't|don't|does not|do not|isn't|aren't) (?:\w+ )?(?:one|any)")
_BASIC_COLORS = frozenset(
    ("black", "white", "red", "green", "yellow", "blue", "brown", "orange", "pink", "purple", "gray")
)
"""Who says one of these where another was asked for means no, though a thing may be called by two of them."""
_WHERE = re.compile(r" (?:on|in|at|by|near|next|behind|under|with) .*$")
_NOT_OF_ONE = frozenset(["both", "and", "or", "either", "not", "isn't", "aren't"])
_AUXILIARIES = frozenset(
    (
        *("is", "are", "was", "were", "am", "do", "does", "did", "can", "could", "has", "have", "will", "would"),
        *("so", "and", "then"),
    )
)
_PRONOUN = re.compile(r"(?:he|she|it|they)\b")
_NOT_ANY = re.compile(
    r"^(?:there (?:is|are|was|were)(?:n't| not)|i (?:do not|don't|cannot|can't|can not) (?:see|spot|find)"
    r"|(?:the|this) (?:image|picture|photo|scene) (?:does not|doesn't) (?:show|contain|have|include)) (?:an? |any )"
)
_NOT = re.compile(r"\bnot\b|n't\b")


def implied_polarity(question: str, reply: str) -> Polarity | None:
    """The yes or no that a reply (in lower case, without a yes or no of its own) implies, or None.

    >>> implied_polarity("Do you see mugs?", "no mugs"), implied_polarity("Are there mugs or cups?", "cups")
    ('no', 'yes')
    >>> implied_polarity("Is it clean?", "not sure")
    """
    asked = read_question(question)
    said = reply.strip(" .!\"'").replace("there's ", "there is ")
    if not asked.words or asked.words[0] not in _AUXILIARIES:
        return None
    while (shorter := _TAIL.sub("", said)) != said:
        said = shorter
    said = _without_place(asked, said)
    said = _NOT_ANY.sub("no ", said)
    if re.fullmatch(r"i (?:can|do)", said) and asked.words[:2] in (("can", "you"), ("do", "you")):
        return "yes"
    if _HAS_NONE.fullmatch(said) and asked.joined == "no" and not {"not", "no", "or"} & set(asked.words):
        return "no"
    emptied = _IS_EMPTY.fullmatch(said)
    if emptied is not None and asked.placed and set(plain_words(emptied["place"])) <= set(asked.words):
        return "no"
    implied = by_count(question, said) or by_amount(asked, said) or by_comparison(question, said)
    if implied is not None:
        return implied
    if asked.joined != "no":
        return _by_existence(asked, _STATES.sub("", said))
    return (
        _by_denial(question, asked, _HAS.sub("", _STATES.sub("", said)))
        or _by_alternative(question, asked, said)
        or _by_property(asked, _STATES.sub("", said))
        or _by_kind(question, said)
        or _by_repeating(asked, said)
    )


_HAVING = r"(?:have|has|wearing|wears?|holding|holds?|carrying|carry|carries|eating|riding|using|playing)"
_OWNS = re.compile(
    rf"^(?:does|do|is|are|has|have) (?:the |this |that |his |her )?[\w' ]+? {_HAVING} (?:either )?(?:an? |any |the )?"
    r"(?P<first>[\w' -]+) or (?:an? |any |the )?(?P<second>[\w' -]+?)\s*\??$"
)
_HAS = re.compile(rf"^(?:he|she|it|they|the [\w ]+?) (?:is |are )?{_HAVING}\s+")


def _by_alternative(question: str, asked: YesNoQuestion, said: str) -> Polarity | None:
    """``A beard``, where the question is whether there is a beard or a mustache."""
    owned = _OWNS.match(question.lower())
    if owned is None:
        return None
    things = tuple(plain_words(owned[name]) for name in ("first", "second"))
    return _by_existence(asked._replace(things=things, joined="any"), _HAS.sub("", said))


_IS_A = re.compile(
    r"^(?:is|are|was) (?:this|that|it|these|those|(?:the|this|that) [\w ]+?) (?:really )?an? (?P<what>[\w' -]+?)\s*\??$"
)
_IT_IS_A = re.compile(r"^(?:(?:it|this|that|he|she)(?:'s| is) |the \w+ is )?an? (?P<what>[\w' -]+)$")


def _by_kind(question: str, said: str) -> Polarity | None:
    """``It is a bathroom``, where the question is whether it is a kitchen."""
    asked, answer = _IS_A.match(question.lower()), _IT_IS_A.match(said)
    if asked is None or answer is None:
        return None
    wanted, named = plain_words(asked["what"]), plain_words(answer["what"])
    if wanted == named or same_kind(wanted, named):
        return "yes"
    kinds, others = (kinds_named(" ".join(words)) for words in (wanted, named))
    apart = kinds and others and all(are_disjoint(one, two) for one in kinds for two in others)
    return "no" if apart else None


def _by_existence(asked: YesNoQuestion, said: str) -> Polarity | None:
    """What naming or denying things implies where the question asks whether they are there."""
    named: set[int] = set()
    denied: set[int] = set()
    alone = _ONLY.search(said) is not None
    # "No cups or plates" denies both, "no cups but plates" the first alone.
    for clause in _BUT.split(_ONLY.sub("", said.removeprefix("both "))):
        denying = False
        for part in filter(None, _AND.split(clause)):
            denying = _NO.match(part) is not None or (denying and not named)
            thing = _thing(asked, _NO.sub("", part))
            if thing is None and not denying:
                thing = _more_special(asked, part)
            if thing is None and denying:
                continue
            if thing is None:
                return "no" if alone and asked.joined in ("one", "any") and _names_one(part) else None
            (denied if denying else named).add(thing)
    everything = set(range(len(asked.things)))
    if asked.joined == "all":
        if denied or (alone and named != everything):
            return "no"
        return "yes" if named == everything else None
    if named and not (alone and denied):
        return "yes"
    return "no" if denied and denied == everything else None


def _names_one(part: str) -> bool:
    words = plain_words(part)
    return len(words) == 1 and names_kind(next(iter(singular_forms(words))))


def _more_special(asked: YesNoQuestion, part: str) -> int | None:
    """Which of the asked things a phrase names by a more special word: a dog, where animals are asked for."""
    words = tuple(word for word in plain_words(_ONLY.sub("", part)) if not is_quality(word) and not word.isdigit())
    named = kinds_named(" ".join(words))
    for number, thing in enumerate(asked.things):
        if any(is_a(kind, other) for kind in named for other in kinds_named(" ".join(thing))):
            return number
    return None


def _thing(asked: YesNoQuestion, part: str) -> int | None:
    """Which of the asked things a phrase names: its noun, alone or with other words of the question."""
    words = plain_words(_ONLY.sub("", part))
    if not words:
        return None
    if words == ("1",) and asked.joined == "one":
        return 0
    counted = False
    while len(words) > 1 and (words[0] in _AMOUNTS or words[0].isdigit()) and words[0] != "0":
        words, counted = words[1:], True
    for number, thing in enumerate(asked.things):
        if thing in _ANYTHING and words not in _ANYTHING:
            return number if names_kind(words[-1]) or names_kind(min(singular_forms(words[-1:]), key=len)) else None
        if not thing or not (
            singular_forms(words[-1:]) & singular_forms(thing[-1:]) or same_kind(words[-1:], thing[-1:])
        ):
            continue
        known = {*asked.words, *thing, "any"}
        # "A red mug" is a mug; a blue one is none where the question is about red ones.
        free = len(thing) == 1
        described = not (counted and len(words) == 1 < len(thing)) and all(
            word in known or (free and is_quality(word)) for word in words[:-1]
        )
        if described and not _is_other(asked, words, number):
            return number
    return None


def _is_other(asked: YesNoQuestion, words: tuple[str, ...], number: int) -> bool:
    """Whether the words are rather those of another thing that is asked about."""
    return any(words == thing for other, thing in enumerate(asked.things) if other != number)


_PLACED = re.compile(
    r"^(?P<what>.+?) (?:on|in|at|near|next to|behind|under|beside|to|by) (?P<where>(?:the|this|that|his|her|a|an) .+)$"
)


def _without_place(asked: YesNoQuestion, said: str) -> str:
    """A statement that there are things somewhere without the place, where the question names it or names none."""
    match = _PLACED.match(said)
    if asked.joined == "no" or match is None or re.search(r"\b(?:and|or|but)\b|,", match["where"]):
        return said
    placed = asked.placed
    if placed and not set(plain_words(match["where"])) <= set(asked.words):
        return said
    return re.sub(r" (?:is|are)$", "", match["what"])


def _by_denial(question: str, asked: YesNoQuestion, said: str) -> Polarity | None:
    """``No bird`` where the question is about a relation to a bird: there is none to be related to."""
    match = _NO.match(said)
    if match is None:
        return None
    noun = plain_words(said[match.end() :])
    indefinite = re.search(r"\b(?:a|an|any)\s+([\w' -]+?)\s*\??$", question.lower())
    if not noun or indefinite is None or {"different", "same", "or"} & set(asked.words):
        return None
    return "no" if singular_forms(noun) & singular_forms(plain_words(indefinite[1])) else None


def _by_property(asked: YesNoQuestion, said: str) -> Polarity | None:
    """Naming the property that is asked for, or one that excludes it."""
    raw = [_FORMS.get(word, word) for word in plain_words(said)]
    asked_words = [_FORMS.get(word, word) for word in asked.words]
    denied = re.fullmatch(r"(?:.+,\s*)?(?:but )?not (?:the |an? )?(\w+)", said)
    if denied is not None and denied[1] in asked_words and not {"not", "or"} & set(asked_words):
        return "no"
    words = [word for word in raw if word not in _LITTLE and word not in _INTENSIFIERS]
    if words and len(words) > 1 and words[0] not in asked_words and (place := _WHERE.search(said)) is not None:
        # "He is sitting on a chair" is not standing, wherever he sits.
        placed = [_FORMS.get(word, word) for word in plain_words(said[: place.start()])]
        rest = [word for word in placed if word not in _LITTLE and word not in _INTENSIFIERS]
        if len(rest) == 1:
            return "no" if _by_family(asked_words, rest[0]) == "no" else None
    if " ".join(words) in families_by_word() and not set(words) & set(asked_words):
        words = [" ".join(words)]
    if len(words) > 1:
        words = [word for word in words if word not in asked_words]
    if len(words) == 1:
        if words[0] in asked_words[1:-1] and set(asked_words[: asked_words.index(words[0])]) <= _LITTLE | {"like"}:
            # "Very busy", where the question is whether it is a busy street.
            return None if _NOT_OF_ONE & set(asked_words) or not is_quality(words[0]) else "yes"
        by_opposite = _by_opposite(asked_words, words[0])
        if by_opposite is not None:
            return by_opposite
        return _by_family(asked_words, words[0])
    return None


def _by_repeating(asked: YesNoQuestion, said: str) -> Polarity | None:
    """A sentence of the question's own words agrees with it, or denies it with a "not"."""
    if {"or", "not", "no"} & set(asked.words):
        return None
    words, wanted = (set(plain_words(text)) - _LITTLE for text in (_NOT.sub("", said), " ".join(asked.words)))
    # A pronoun may stand for what the question is about.
    left_out = {asked.words[1]} if len(asked.words) > 1 and _PRONOUN.match(said) else set()
    denied = _NOT.search(said) is not None
    extra = words - wanted
    asked_families = {family for word in wanted for family in describing_families(word)}
    # "He is wearing a red hat" is wearing a hat; that he wears no red hat says nothing.
    if denied or not all(is_quality(word) and not describing_families(word) & asked_families for word in extra):
        extra = set() if not extra else {""}
    else:
        extra = set()
    if not words or extra or not wanted - left_out <= words:
        return None
    return "no" if denied else "yes"


def _by_opposite(asked_words: list[str], word: str) -> Polarity | None:
    for one, two in _OPPOSITES:
        here = {one, two} & set(asked_words)
        several = _NOT_OF_ONE - ({"and", "both"} if one == "same" else set())
        if word in (one, two) and len(here) == 1 and not several & set(asked_words):
            if word in ("left", "right") and asked_words.count(next(iter(here))) > 1:
                return None
            return "yes" if word in here else "no"
    return None


def _by_family(asked_words: list[str], word: str) -> Polarity | None:
    """A color for a color: ``brown`` where the question is whether the pants are blue."""
    wanted = asked_words[-1]
    if _NOT_OF_ONE & set(asked_words):
        return None
    families = families_by_word()
    if not set(families.get(word, ())) & set(families.get(wanted, ())):
        return None
    if word == wanted:
        return "yes"
    return "no" if exclude(word, wanted) or {word, wanted} <= _BASIC_COLORS else None
