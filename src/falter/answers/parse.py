"""Parsing a model's text as an answer: one of the choices, a clear answer off the list, or neither."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from falter.answers.lexicon import ANSWER_MARK, CLAUSE_END, LEAD_INS, NEGATIONS, PROSE_WORDS, UNSURE
from falter.answers.normalize import normalize
from falter.answers.yes_no import parse_polarity

__all__ = ["READER_VERSION", "Parsed", "parse_answer"]

READER_VERSION = "1"
"""Changes whenever the same text would be read differently; part of signatures. A run that another version read is read
anew when it is scored."""

MAX_CHARACTERS = 20_000
"""Of a longer text only the two ends are read: answers stand at the start or the end, and time must be bounded."""

_SHORT = 4
_SHORT_OPEN = 8
_MARKUP = re.compile(r"[*_`#~]+(?=\S)|(?<=\S)[*_`#~]+|^\s*[>#]+\s*|</?[a-z]+>", re.MULTILINE)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_LETTER = re.compile(r"^[(\[{<]?\s*([a-z])\s*[)\]}>]?\s*[.:,;!)]*$")
_LETTERED = re.compile(r"^(?:[(\[]\s*([a-z])\s*[)\]]|([a-z])\s*[).:])\s*[-:.]?\s*(\S.*)$", re.DOTALL)
_EDGES = " \t\r\n.,;:!?\"'()[]{}<>-–—…"
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})
_ARTICLE = re.compile(r"^(?:an?|the|some)\s+(?=\S)")
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[.,;:!?\n/|…—–]")


_ALL_OR_NONE = ("neither", "0", "nothing", "nobody", "both")


class Parsed(NamedTuple):
    """The result of parsing a text.

    ``choice``: ``answer`` is one of the choices, as the item writes it. ``off_list``: a clear answer that is not among
    them, or an answer to a question without choices. ``unparsed``: nothing that could be called an answer.
    """

    kind: Literal["choice", "off_list", "unparsed"]
    answer: str | None = None

    @property
    def status(self) -> Literal["ok", "unparsed"]:
        """The status of a reply with this text."""
        return "unparsed" if self.kind == "unparsed" else "ok"


UNPARSED = Parsed("unparsed")


class _Choices(NamedTuple):
    """The choices of an item, prepared once."""

    given: tuple[str, ...]
    by_form: dict[str, str | None]
    phrases: tuple[tuple[tuple[str, ...], str], ...]
    polar: dict[str, str]
    lettered: bool


@lru_cache(maxsize=1 << 12)
def _prepare(given: tuple[str, ...]) -> _Choices:
    by_form: dict[str, str | None] = {}
    for form, choice in [*((choice.casefold(), choice) for choice in given), *((normalize(c), c) for c in given)]:
        # Two choices of one form (they differ in case or an article) are told apart only by their exact spelling.
        by_form[form] = choice if by_form.get(form, choice) == choice else None
    polar = {form: choice for choice in given if (form := normalize(choice)) in ("yes", "no")}
    phrases = [(tuple(_words(choice.lower())[0]), choice) for choice in given]
    phrases = [(words, choice) for words, choice in phrases if words]
    return _Choices(
        given=given,
        by_form=by_form,
        phrases=tuple(sorted(phrases, key=lambda phrase: -len(phrase[0]))),
        polar=polar if len(polar) == 2 else {},
        lettered=len(polar) < 2 and 2 <= len(given) <= 26 and all(len(choice.strip()) > 1 for choice in given),
    )


def parse_answer(text: str, choices: Sequence[str] | None = None) -> Parsed:
    """Parse a model's free text as an answer.

    >>> parse_answer("Yes, there is.", ("yes", "no"))
    Parsed(kind='choice', answer='yes')
    >>> parse_answer("The answer is B", ("cat", "dog")).answer
    'dog'
    >>> parse_answer("a horse", ("cat", "dog"))
    Parsed(kind='off_list', answer='horse')
    >>> parse_answer("Maybe.", ("yes", "no")).kind
    'unparsed'
    """
    if choices and text in choices:
        return Parsed("choice", text)
    plain = _plain(text)
    if not plain.strip(_EDGES):
        return UNPARSED
    if not choices:
        return _read_open(plain)
    prepared = _prepare(tuple(choices))
    found = _exactly(plain, prepared)
    if found is not None:
        return Parsed("choice", found)
    announced = {_read(part, prepared) for part in _announced(plain)} - {UNPARSED}
    if len(announced) == 1:
        return announced.pop()
    return UNPARSED if announced else _read(plain, prepared)


def _read(text: str, choices: _Choices) -> Parsed:
    """Read a text, or the part of it that announces the answer."""
    core = _core(text)
    for part in (text, core):
        found = _exactly(part, choices)
        if found is not None:
            return Parsed("choice", found)
    if choices.lettered and (lettered := _by_letter(core, choices)) is not None:
        return lettered
    if choices.polar:
        polarity = parse_polarity(text) or parse_polarity(core)
        if polarity is not None:
            return Parsed("choice", choices.polar[polarity])
    mentioned = _mentioned(text, choices)
    if len(mentioned) == 1 and not UNSURE.search(text):
        return Parsed("choice", mentioned[0])
    if mentioned:
        return UNPARSED
    # To a yes-or-no question "there is a dog" is a statement; where things are asked for, it names one.
    return _read_short(text if choices.polar else core)


def _read_open(text: str) -> Parsed:
    """Read an answer to a question without choices."""
    parts = _announced(text)
    text = parts[-1] if parts else text
    core = _core(text)
    first = CLAUSE_END.split(text.strip(_EDGES), maxsplit=1)[0]
    if first in ("yes", "no") and parse_polarity(text) is not None:
        return Parsed("off_list", first)
    if UNSURE.search(text):
        return UNPARSED
    answer = _tidy(core)
    return Parsed("off_list", answer) if answer and len(answer.split()) <= _SHORT_OPEN else UNPARSED


def _read_short(text: str) -> Parsed:
    """A short text that names something is an answer off the list; a statement or a doubt is not."""
    words, _ = _words(text)
    if not words or len(words) > _SHORT or UNSURE.search(text):
        return UNPARSED
    if words[0] not in _ALL_OR_NONE and any(word in PROSE_WORDS for word in words):
        return UNPARSED
    return Parsed("off_list", _tidy(text))


def _exactly(text: str, choices: _Choices) -> str | None:
    """The choice that a text is, but for case, punctuation, articles and number words."""
    trimmed = text.strip(_EDGES)
    for form in (text.strip(), trimmed, normalize(text), normalize(trimmed)):
        found = choices.by_form.get(form)
        if found is not None:
            return found
    return None


def _by_letter(core: str, choices: _Choices) -> Parsed | None:
    """Read "B", "(b)", "b. a dog"; a letter whose text names another choice is a contradiction."""
    if match := _LETTER.match(core):
        index = ord(match[1]) - ord("a")
        return Parsed("choice", choices.given[index]) if index < len(choices.given) else None
    if match := _LETTERED.match(core):
        index = ord(match[1] or match[2]) - ord("a")
        if index >= len(choices.given):
            return None
        named = _exactly(match[3], choices) or _exactly(_core(match[3]), choices)
        others = {named} if named is not None else set(_mentioned(match[3], choices))
        return Parsed("choice", choices.given[index]) if others <= {choices.given[index]} else UNPARSED
    return None


def _mentioned(text: str, choices: _Choices) -> list[str]:
    """The choices that a text names and does not deny; a choice inside a longer one does not count."""
    words, denied = _words(text)
    taken = [False] * len(words)
    found: dict[str, None] = {}
    for phrase, choice in choices.phrases:
        for start in range(len(words) - len(phrase) + 1):
            end = start + len(phrase)
            if tuple(words[start:end]) == phrase and not any(taken[start:end]):
                taken[start:end] = [True] * len(phrase)
                if not denied[start] and choice not in choices.polar.values():
                    found[choice] = None
    return list(found)


def _words(text: str) -> tuple[list[str], list[bool]]:
    """The words of a text without articles, numbers as digits; and for each, whether a negation comes before it."""
    words: list[str] = []
    denied: list[bool] = []
    negated = False
    for token in _TOKEN.findall(text):
        if token in ("a", "an", "the"):
            continue
        if token in ("and", "but") or not token[0].isalnum():
            negated = False
        negated = negated or token in NEGATIONS
        if token[0].isalnum():
            words.append(normalize(token))
            denied.append(negated)
    return words, denied


def _plain(text: str) -> str:
    """Lower case, straight quotes, without markup and without what a model thought before it answered."""
    if len(text) > MAX_CHARACTERS:
        text = f"{text[: MAX_CHARACTERS // 2]}\n{text[-MAX_CHARACTERS // 2 :]}"
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    text = _THOUGHT.sub(" ", text).lower()
    return _MARKUP.sub("", text).strip()


def _core(text: str) -> str:
    """A text without what leads up to the answer."""
    while True:
        shorter = LEAD_INS.sub("", text.lstrip(_EDGES.replace("(", "").replace("[", "")), count=1)
        if shorter == text:
            return text
        text = shorter


def _announced(text: str) -> list[str]:
    """What follows each "the answer is"."""
    marks = list(ANSWER_MARK.finditer(text))
    stops = [mark.start() for mark in marks[1:]] + [len(text)]
    parts = [text[mark.end() : stop].split("\n", 1)[0] for mark, stop in zip(marks, stops, strict=False)]
    return [part for part in parts if part.strip(_EDGES)]


def _tidy(text: str) -> str:
    """An answer off the list, as it is kept: trimmed, without its article."""
    trimmed = " ".join(text.split()).strip(_EDGES)
    return _ARTICLE.sub("", trimmed) or trimmed
