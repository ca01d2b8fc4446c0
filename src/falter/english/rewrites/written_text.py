"""The text that a rewrite writes: fixed words, slots of the question that was read, and an answer.

``{s}`` is a slot as it was read, ``{answer}`` the answer, ``{a answer}`` with its article, ``{a answer s}`` with the
slot after it, ``{answers}`` in the plural, ``{counted n}`` a number and what is counted; ``{is}``, ``{does}`` and
``{has}`` agree with the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from falter.english.placeholders import AGREEMENT, TemplateError
from falter.english.rewrites.conditions import is_plural_noun, with_article
from falter.english.rewrites.counted_nouns import one_each
from falter.english.rewrites.word_patterns import slot_regex, word_class
from falter.english.words import join_list, number_to_word, pluralize, singularize, word_to_number

__all__ = ["WrittenText"]

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
        return _capital(made)

    def render_list(self, question: str, answers: Sequence[str]) -> str | None:
        """A question with answers to choose from, said as the text says one."""
        said: list[str] = []
        for one in answers:
            words = _write(self._parts[0], {}, one, None, "") if isinstance(self._parts[0], tuple) else None
            if words is None:
                return None
            said.append(words)
        return f"{question}, {join_list(said)}?" if len(set(said)) == len(said) else None

    def answers(self, text: str, slots: Mapping[str, str]) -> Iterator[str]:
        """The answers with which these slots may give a text."""
        each = {name: one_each(words) for name, words in slots.items()} if self._counts else slots
        tried = [(slots, False)] if not self._counts else [(each, True), (slots, True), (slots, False)]
        for said, one in tried if each != slots else tried[-2:]:
            before, after, field = self._around(said, one=one)
            if len(text) > len(before) + len(after) and text.startswith(before) and text.endswith(after):
                yield from _unwrite(text[len(before) : len(text) - len(after)], field)

    def _around(self, slots: Mapping[str, str], *, one: bool) -> tuple[str, str, str]:
        """What is said before the answer and after it, and how it is said itself."""
        sides, place, said = ["", ""], 0, "answer"
        for part in self._parts:
            if isinstance(part, str):
                sides[place] += part
            elif "answer" in part[1:] or part[0] in ("answer", "counted", "answers", "number"):
                said, place = part[0], 1
                if part[0] == "counted":
                    noun = slots[part[1]]
                    sides[1] = f" {(_agreeing(noun, 1) or noun) if one else noun}"
                elif part[0] == "a" and len(part) == 3:
                    sides[1] = f" {slots[part[2]]}"
            elif part[0] in AGREEMENT:
                sides[place] += AGREEMENT[part[0]][not one]
            else:
                words = slots[part[-1]]
                words = _base(words) if part[0] == "base" else words
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
    if part[0] in ("counted", "base"):
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
            noun = _agreeing(slots[slot], number)
            # "Zero dogs" are exactly none, and nobody says so.
            before = before_number if number else ""
            return None if noun is None else f"{before}{number_to_word(number)} {noun}"
        case ("base", slot):
            return _base(slots[slot])
        case (word,) if word in AGREEMENT:
            return AGREEMENT[word][number != 1]
        case (slot,):
            return one_each(slots[slot]) if number == 1 else slots[slot]
    raise TemplateError(f"{{{' '.join(part)}}} cannot be written")


def _agreeing(noun: str, number: int) -> str | None:
    """The noun in the number that is asked about; None where it has no singular."""
    if number != 1:
        return noun
    noun = noun.removeprefix("different ")
    single = singularize(noun)
    if single is not None:
        head, of, rest = single.partition(" of ")
        return f"{head}{of}{singularize(rest) or rest}" if of and head in word_class("sort_noun") else single
    same = noun.rsplit(maxsplit=1)[-1].lower() in word_class("same_plural") - {"people"}
    return noun if same else None


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
        return f"(?: (?P<{name}>{regex}))?" if types[name] == "rest" else f"(?P<{name}>{regex})"

    match part:
        case ("answer",) | ("answers",):
            return r"(?P<answer>[^?]+?)"
        case ("a", "answer"):
            return r"(?:an? )?(?P<answer>[^?]+?)"
        case ("a", "answer", name):
            return rf"(?:an? )?(?P<answer>[^?]+) {slot(name)}"
        case ("counted", name):
            return rf"(?:exactly )?(?P<answer>{_NUMBER}) (?P<{name}>[^\s,?]+(?: [^\s,?]+)*?)"
        case ("base", name):
            return slot(name)
        case (word,) if word in AGREEMENT:
            return f"(?:{'|'.join(AGREEMENT[word])})"
    return slot(part[0])
