"""The text that a rewrite writes: fixed words, slots of the question that was read, and an answer.

``{s}`` is a slot as it was read, ``{answer}`` the answer, ``{a answer}`` with its article, ``{a answer s}`` with the
slot after it, ``{answers}`` in the plural, ``{counted n}`` a number and what is counted, ``{each r}`` what each of
several has; ``{is}``, ``{does}`` and ``{has}`` agree with the number. The slot ``r`` is said of what is counted: what
is said of several things becomes what is said of one, "people who are wearing hats" and "person who is wearing a hat".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from falter.data.word_forms import number_to_word, pluralize, singularize, word_to_number
from falter.generation.english.grammar import default_grammar
from falter.generation.english.rewrites.conditions import is_plural_noun, with_article
from falter.generation.english.rewrites.word_patterns import is_optional, is_plural_phrase, slot_regex, word_class
from falter.generation.english.slots import AGREEMENT, TemplateError
from falter.generation.english.words import SINGULAR_AUXILIARIES, article

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


_WAS = ("was", "were")
_NUMBER = r"[a-z]+(?:-[a-z]+)?|\d+"


class WrittenText:
    """A text with slots and an answer; what it has written it reads back."""

    def __init__(self, text: str, types: Mapping[str, str] = MappingProxyType({})) -> None:
        self.text = text
        self._types = types
        self._parts = _split(text)
        fields = [part for part in self._parts if isinstance(part, tuple)]
        self.slots = {slot for part in fields if (slot := _slot_of(part))}
        self._counts = any(part[0] in AGREEMENT or part[0] == "counted" for part in fields)

    def render(self, slots: Mapping[str, str], answer: str, before_number: str = "") -> str | None:
        """The text for these slots and this answer; None where a noun has not the number that it needs."""
        words = self.phrase(slots, answer, before_number)
        return None if words is None else _capital(words)

    def phrase(self, slots: Mapping[str, str], answer: str, before_number: str = "") -> str | None:
        """The same as it stands inside a sentence."""
        number = word_to_number(answer) if self._counts else None
        if self._counts and number is None:
            return None
        made = ""
        for part in self._parts:
            if isinstance(part, str):
                made += part
                continue
            words = _write(part, slots, answer, number, before_number)
            if words is None:
                return None
            made = made + words if words else made.removesuffix(" ")
        return made

    def answers(self, text: str, slots: Mapping[str, str]) -> Iterator[str]:
        """The answers with which these slots may give a text."""
        for one in (True, False) if self._counts else (False,):
            around = self._around(slots, one=one)
            if around is None:
                continue
            before, after, field = around
            if len(text) > len(before) + len(after) and text.startswith(before) and text.endswith(after):
                yield from _unwrite(text[len(before) : len(text) - len(after)], field)

    def _around(self, slots: Mapping[str, str], *, one: bool) -> tuple[str, str, str] | None:
        """What is said before the answer and after it, and how it is said itself; None where it cannot be said."""
        sides, place, said = ["", ""], 0, "answer"
        for part in self._parts:
            if isinstance(part, str):
                sides[place] += part
            elif "answer" in part[1:] or part[0] in ("answer", "counted", "answers", "number"):
                said, place = part[0], 1
                if part[0] == "counted":
                    noun = noun_of_one(slots[part[1]]) if one else slots[part[1]]
                    if noun is None:
                        return None
                    sides[1] = f" {noun}"
                elif part[0] == "a" and len(part) == 3:
                    sides[1] = f" {slots[part[2]]}"
            else:
                words = _write(part, slots, "", 1 if one else 2, "")
                if words is None:
                    return None
                sides[place] = sides[place] + words if words else sides[place].removesuffix(" ")
        return _capital(sides[0]), sides[1], said

    def readings(self, text: str) -> Iterator[tuple[dict[str, str], str]]:
        """Slots and answer of a text of this form, whoever wrote it."""
        found = self._reader.fullmatch(text)
        if found is not None:
            slots = {name: words or "" for name, words in found.groupdict().items() if name != "answer"}
            for answer in _unwrite(found["answer"].lower(), "number" if self._counts else "answer"):
                yield slots, answer

    @cached_property
    def _reader(self) -> re.Pattern[str]:
        made = "".join(re.escape(part) if isinstance(part, str) else _regex(part, self._types) for part in self._parts)
        return re.compile(made.replace(r"\ (?:\ ", "(?: ").replace(r"\ (?: ", "(?: "), re.IGNORECASE)

    @cached_property
    def first_words(self) -> frozenset[str]:
        """The words that a text of this form can begin with, in lower case."""
        first = self._parts[0]
        if isinstance(first, str):
            return frozenset({first.split()[0].lower()})
        return frozenset(AGREEMENT[first[0]]) if first[0] in AGREEMENT else word_class(self._types[first[0]])


_Part = str | tuple[str, ...]


def _split(text: str) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    position = 0
    for found in re.finditer(r"\{([^{}]*)\}", text):
        if found.start() > position:
            parts.append(text[position : found.start()])
        words = tuple(found[1].split())
        if not words or len(words) > 3:
            raise TemplateError(f"{{{found[1]}}} in {text!r} says nothing")
        parts.append(words)
        position = found.end()
    if position < len(text):
        parts.append(text[position:])
    return tuple(parts)


def _slot_of(part: tuple[str, ...]) -> str:
    if part[0] in ("counted", "base", "each"):
        return part[1]
    if part[0] == "a":
        return part[2] if len(part) == 3 else ""
    return "" if part[0] in AGREEMENT or part[0] in ("answer", "answers", "number") else part[0]


def _write(
    part: tuple[str, ...], slots: Mapping[str, str], answer: str, number: int | None, before_number: str
) -> str | None:
    match part:
        case ("answer",):
            return answer
        case ("answers",):
            return answer if is_plural_noun(answer) else pluralize(answer)
        case ("number",):
            value = word_to_number(answer)
            return None if value is None else number_to_word(value)
        case ("a", "answer"):
            return None if is_plural_noun(answer) else with_article(answer, *slots.values())
        case ("a", "answer", slot):
            return with_article(f"{answer} {slots[slot]}", slots[slot])
        case ("counted", slot) if number is not None:
            noun = noun_of_one(slots[slot]) if number == 1 else slots[slot]
            # "Zero dogs" are exactly none, and nobody says so.
            before = before_number if number else ""
            return None if noun is None else f"{before}{number_to_word(number)} {noun}"
        case ("base", slot):
            return _base(slots[slot])
        case (word,) if word in AGREEMENT:
            was = word == "is" and slots.get("v", "").lower() in _WAS
            return (_WAS if was else AGREEMENT[word])[number != 1]
        case ("each", slot):
            return each_has(slots[slot]) if number == 1 else slots[slot]
        case (slot,):
            return said_of_one(slots[slot]) if number == 1 and slot == "r" else slots[slot]
    raise TemplateError(f"{{{' '.join(part)}}} cannot be written")


def _base(verb: str) -> str:
    return verb.removesuffix("s")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _unwrite(words: str, field: str) -> Iterator[str]:
    """The answers that words may say."""
    if field in ("counted", "number"):
        number = word_to_number(words.removeprefix("exactly "))
        if number is not None:
            yield str(number)
        return
    yield words
    if field == "a":
        first, _, rest = words.partition(" ")
        if first in ("a", "an") and rest:
            yield rest
    if field == "answers":
        single = singularize(words)
        if single is not None:
            yield single


def _regex(part: tuple[str, ...], types: Mapping[str, str]) -> str:
    def slot(name: str) -> str:
        # An answer that follows is short.
        regex = slot_regex(types[name]).replace("*?", "*")
        return f"(?: (?P<{name}>{regex}))?" if is_optional(types[name]) else f"(?P<{name}>{regex})"

    match part:
        case ("answer",) | ("answers",):
            return r"(?P<answer>[^?]+?)"
        case ("a", "answer"):
            return r"(?:an? )?(?P<answer>[^?]+?)"
        case ("a", "answer", name):
            return rf"(?:an? )?(?P<answer>[^?]+) {slot(name)}"
        case ("counted", name):
            return rf"(?:exactly )?(?P<answer>{_NUMBER}) (?P<{name}>[^\s,?]+(?: [^\s,?]+)*?)"
        case ("base" | "each", name):
            return slot(name)
        case (word,) if word in AGREEMENT:
            return f"(?:{'|'.join(AGREEMENT[word])})"
    return slot(part[0])
