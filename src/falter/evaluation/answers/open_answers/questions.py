"""What a question asks for, and the words by which the careful rule knows what says nothing of its own in a reply.

An open question asks for a thing, a color, a number, a place: words of a reply that only repeat it say nothing. A
yes-or-no question asks for the existence of things, of all or of any of them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from falter.evaluation.answers.open_answers.phrases import DETERMINERS, plain_words, singular_forms
from falter.evaluation.answers.open_answers.word_relations import names_kind


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


AUXILIARIES = _set(
    "is are was were am be been being has have had does do did can could will would shall should may might"
)
FUNCTION_WORDS = (
    DETERMINERS
    | AUXILIARIES
    | _set(
        "it it's there there's he she he's she's they they're i i'm we we're you that's these those who of in on at"
        " to by with for from into onto photo picture image photograph scene see seen shown visible one's what which"
        " both"
    )
)
POSES = _set(
    "sitting standing lying laying resting located placed positioned situated parked hanging"
    " sits stands lies rests hangs"
)
LINKS = POSES | _set(
    "found contains contain contained includes include shows show displays depicts holds says say reads read"
    " called named appears appear looks look known as made makes playing plays play game match written wrote worn held"
    " taken got carrying carries"
    " very quite really clearly currently actually just only now simply definitely specifically also here outside too"
    " object thing item answer word number label letter text main total"
)
"""Words of a sentence around its answer that say no more than that it is there, or is the answer."""

ANYBODY = _set("person persons people individual individuals")
PEOPLE = ANYBODY | _set("man woman guy lady boy girl kid child he she")
POSITIONS = _set("left right top bottom middle center front back background foreground")
POSITION_FILLERS = _set("side hand part half portion section area to on in at of")
GENERIC = _set(
    "name color kind type brand number material shape size title sort pattern style make model person people"
)
"""Nouns by which a question says what it asks for."""

PLACE_WORDS = _set("in on under behind next beside above below near between over front inside")
POSTURES = _set("sitting standing lying laying")
NEGATIONS = _set("no not none never neither nor isn't aren't doesn't don't without nothing wasn't can't cannot won't")
AMOUNTS = _set("some several many few various multiple other 1 2 3 4 5 6 7 8 9 10 single lot")
PORTIONS = _set(
    "piece pieces slice slices glass glasses cup cups bowl bowls bottle bottles can cans mug plate bit bunch"
    " group groups pair pairs lot lots herd flock couple row pile stack crowd kind type bag basket cluster"
    " ball roll sheet loaf jar pack packet carton pot bar spoonful spoon"
)
"""In "a glass of wine", wine is what is drunk."""

COLOR_QUALITIES = _set("solid plain clear pure bright vivid all entirely completely painted")
"""Words that leave a color the same; "light" and "dark" make another of it."""

RELATIONS = _set(
    "with in on at that which who whose near by behind under above over inside outside for from of"
    " next beside between around along down up through across into onto towards toward against off"
)
"""Words that begin what is said of a thing besides its name: "a man in a coat"."""

ADVERBS = _set("here there outside inside outdoors indoors now today day weather up down together too game match")
WRITTEN = _set("word words letter letters number numbers text name")
"""What may stand right before that which is written."""

DEPICTIONS = _set(
    "picture photo photograph image painting drawing poster statue billboard mural sculpture cartoon logo"
)

IRREGULAR = {
    past: verb
    for verb, forms in (
        *(("wear", "wore worn"), ("hold", "held"), ("eat", "ate eaten"), ("take", "took taken"), ("buy", "bought")),
        *(
            ("sell", "sold"),
            ("drink", "drank drunk"),
            ("drive", "drove driven"),
            ("ride", "rode ridden"),
            ("run", "ran"),
        ),
        *(
            ("write", "wrote written"),
            ("see", "saw seen"),
            ("catch", "caught"),
            ("throw", "threw thrown"),
            ("win", "won"),
        ),
        *(("bring", "brought"), ("make", "made"), ("get", "got"), ("give", "gave given"), ("go", "went gone")),
        *(("stand", "stood"), ("sit", "sat"), ("fly", "flew flown"), ("draw", "drew drawn"), ("build", "built")),
        *(("keep", "kept"), ("leave", "left"), ("lose", "lost"), ("pay", "paid"), ("spend", "spent"), ("hang", "hung")),
    )
    for past in forms.split()
}
"""The pasts of verbs that a question and a reply may use in two tenses."""


_CATEGORY = re.compile(
    r"\b(?:what|which|whose)(?:'s|(?: is| are)(?= the (?:name|color|colour|kind|type|brand|number|material|shape)))?"
    r"((?: (?!(?:of|is|are|was|were|does|do|did|can|could|has|have|will|would|on|in|at)\b)[\w'-]+){1,5}?"
    r"(?: of(?: the| this| that)? [\w'-]+)?)"
    r"(?= (?:is|are|was|were|does|do|did|can|could|has|have|will|would|on|in|at|of)\b|\?|$)"
)
_COUNTED = re.compile(
    r"\bhow many (?:of (?:the|these|those) )?"
    r"(?P<what>(?:[\w'-]+ ){0,3}?[\w'-]+?)(?= (?:is|are|was|were|do|does|did|can|could|has|have|had|will"
    r"|would|in|on|at|of|there|that|who|with|to|near|behind|next|under|above|you)\b|\s*\?|\s*$| \w+ing\b| \w+ed\b)"
)
_COLOR = re.compile(r"\b(?:what|which|of what|of which)\b(?: \w+)?(?: is| are)?(?: the)? colou?rs?\b")
_DOES = re.compile(r"^(?:what|which|who|whom)\b.* (?:does|do|did) ")
_ANCHORED = re.compile(
    r"\b(in|on|under|behind|beside|above|below|near|between|over|inside|of|to)"
    r" (?:the|an?|his|her|its|their|this|that|these|those)\b"
    r"(?! (?:image|picture|photo|photograph|scene))"
)


class OpenQuestion(NamedTuple):
    """A question: its words, those that a reply may say again, and the order of those that carry meaning."""

    text: str
    words: tuple[str, ...]
    known: frozenset[str]
    order: tuple[str, ...]
    verbs: tuple[str, ...]
    """Those among them that are said of somebody named before: the answer is no subject of theirs."""
    counted: tuple[str, ...]
    """What "how many" counts."""
    category: frozenset[str]
    """What kind of thing is asked for, as stems: "animal" in "what kind of animal"."""
    alternatives: frozenset[str]
    doing: bool
    """Whether it says what somebody does, so that what else somebody does is no answer."""
    anchored: frozenset[str]
    """The prepositions that have their own thing in the question: "under" in "what is under the table"."""
    where: bool
    color: bool


@lru_cache(maxsize=1 << 12)
def read_open_question(question: str) -> OpenQuestion:
    """Read a question.

    >>> asked = read_open_question("What kind of animal is behind the man?")
    >>> asked.order, read_open_question("How many red cars are there?").counted
    (('behind', 'man'), ('red', 'cars'))
    """
    text = question.lower().strip()
    words = plain_words(text)
    category = _CATEGORY.search(text)
    passed = {stem(word) for word in plain_words(category[1])} if category else set()
    before, offers, _ = text.rpartition(" or ")
    alternatives = _alternatives(text) if offers else frozenset()
    said = plain_words(before.rpartition(",")[0]) if offers and "," in before else words
    order = tuple(
        stem(word)
        for word in said
        if (word not in FUNCTION_WORDS or word in PLACE_WORDS)
        and word not in GENERIC
        and stem(word) not in passed
        and not word.startswith(("how", "where", "when", "why", "many", "much"))
    )
    counted = _COUNTED.search(text)
    return OpenQuestion(
        text,
        words,
        _known(words) | FUNCTION_WORDS | LINKS,
        order,
        tuple(
            stem(word)
            for word in said
            if not offers and word.endswith("ing") and not names_kind(word) and stem(word) in order[1:]
        ),
        _counted(plain_words(counted["what"])) if counted else (),
        frozenset(passed),
        alternatives,
        any(word.endswith("ing") and not names_kind(word) and word not in POSES for word in words if word not in passed)
        or _DOES.search(text) is not None,
        frozenset(match[1] for match in _ANCHORED.finditer(text)),
        re.search(r"\bwhere\b", text) is not None,
        _COLOR.search(text) is not None,
    )


def _counted(words: tuple[str, ...]) -> tuple[str, ...]:
    """The noun phrase that leads some words: "how many children wear glasses" counts children."""
    kinds = (
        at for at, word in enumerate(words) if names_kind(word) or names_kind(min(singular_forms((word,)), key=len))
    )
    return words[: next(kinds, len(words) - 1) + 1]


def _known(words: tuple[str, ...]) -> frozenset[str]:
    """The words of a question with their forms, and other words for the people in it."""
    words = (*words, *(word.removesuffix("'s") for word in words if word.endswith("'s")))
    known = {form for word in words for form in (*singular_forms((word,)), f"{word}s", stem(word))} | set(words)
    if PEOPLE & set(words) or "who" in words:
        known |= ANYBODY
    if ANYBODY & set(words):
        known |= PEOPLE
    verbs = {stem(word) for word in words if not names_kind(word)}
    if verbs & {"hold", "carry"}:
        known |= {"hand", "hands", "arm", "arms"}
    known |= {past for past, verb in IRREGULAR.items() if stem(verb) in verbs}
    return frozenset(known | {f"{verb}{ending}" for verb in verbs for ending in ("s", "es", "ing", "ed")})


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without the endings of verbs and plurals, roughly: to compare two words of one sentence.

    >>> stem("wearing"), stem("wears"), stem("sitting"), stem("dogs")
    ('wear', 'wear', 'sit', 'dog')
    """
    word = word if word == "left" else IRREGULAR.get(word, word)
    for ending in ("ing", "ies", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl" else word


def _alternatives(text: str) -> frozenset[str]:
    """The words on both sides of an "or"."""
    before, _, after = text.rpartition(" or ")
    return frozenset((*plain_words(before.rpartition(",")[2])[-2:], *plain_words(after)[:3]))


def is_ordered(order: tuple[str, ...], named: list[str]) -> bool:
    """Whether the words that a text says again come in the order of the question."""
    at = 0
    for word in named:
        if word not in order:
            continue
        if word in order[at:]:
            at = order.index(word, at)
        else:
            return False
    return True


_EXISTS = re.compile(
    r"^(?:so,? |and |then )?(?:(?:is|are|was|were) there\b|(?:do|did|can|could) (?:you|we) (?:see|spot|find|notice)\b"
    r"|(?:does|do) (?:the|this|that) (?:image|picture|photo|photograph|scene) (?:have|show|contain|include)\b"
    r"|(?:is|are) (?=(?:any|either)\b.* (?:visible|shown|present|seen)\b))"
)
_TAIL = re.compile(
    r"\s*(?:,? ?(?:anywhere |shown |visible |present |seen |depicted )?"
    r"(?:in|on|of) (?:the|this|that) (?:image|picture|photo|photograph|scene|shot|frame)|\bthere|\bhere"
    r"|\bvisible|\bshown|\bpresent)\s*$"
)
_CLAUSE = re.compile(r"\s+(?:that|which|who)\s+(?:is|are|looks?|has|have|was|were)\b.*$")
_PLACE = re.compile(
    r"\s+(?:on|in|at|near|behind|under|underneath|above|below|beside|by|to|with|around|inside|beneath|next|between"
    r"|along|against|over|across|next to|in front of)\s+.*$"
)
_START = re.compile(r"^(?:(?:either|both|any|a|an|some|the)\s+)+")


class YesNoQuestion(NamedTuple):
    """A question that yes or no answers.

    ``things`` are what it asks the existence of, without articles; ``joined`` says whether one of them is enough
    ("any"), all are needed ("all"), or there is one alone; "no" where it does not ask for existence.
    """

    words: tuple[str, ...]
    things: tuple[tuple[str, ...], ...]
    joined: Literal["one", "any", "all", "no"]
    placed: bool = False
    """Whether it asks for the existence in a place, not in the image."""


@lru_cache(maxsize=1 << 12)
def read_question(question: str) -> YesNoQuestion:
    """Read a question.

    >>> read_question("Are there any mugs or plates in the image?").things
    (('mugs',), ('plates',))
    """
    asked = question.lower().strip().rstrip("?.! ")
    words = plain_words(asked)
    match = _EXISTS.match(asked)
    if match is None:
        return YesNoQuestion(words, (), "no")
    rest = asked[match.end() :].strip()
    while (shorter := _TAIL.sub("", rest)) != rest:
        rest = shorter
    rest = _CLAUSE.sub("", rest)
    placed = _PLACE.search(rest) is not None
    for link, joined in ((" or ", "any"), (" and ", "all")):
        if link in rest:
            parts = [_START.sub("", part.strip()) for part in rest.split(link)]
            things = tuple(plain_words(_PLACE.sub("", part)) for part in parts if part)
            return YesNoQuestion(words, things, "any" if joined == "any" else "all", placed)
    return YesNoQuestion(words, (plain_words(_PLACE.sub("", _START.sub("", rest))),), "one", placed)
