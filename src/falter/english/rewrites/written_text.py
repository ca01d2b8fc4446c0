"""The text that a rewrite writes: fixed words, slots of the question that was read, and an answer.

``{s}`` is a slot as it was read, ``{answer}`` the answer, ``{a answer}`` with its article, ``{a answer s}`` with the
slot after it, ``{answers}`` in the plural, ``{counted n}`` a number and what is counted, ``{each r}`` what each of
several has; ``{is}``, ``{does}`` and ``{has}`` agree with the number. The slot ``r`` is said of what is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from falter.english.placeholders import AGREEMENT, TemplateError
from falter.english.rewrites.conditions import is_plural_noun, with_article
from falter.english.rewrites.said_of_one import each_has, noun_of_one, said_of_one
from falter.english.rewrites.word_patterns import is_optional, slot_regex, word_class
from falter.english.words import number_to_word, pluralize, singularize, word_to_number

__all__ = ["WrittenText"]

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
