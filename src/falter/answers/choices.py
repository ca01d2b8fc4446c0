"""The choices of an item, prepared once: which of them a text is, which it names, and which its letter stands for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from falter.answers.lexicon import NEGATIONS
from falter.answers.normalize import normalize

__all__ = ["EDGES", "Choices", "exactly", "is_denied", "is_listing", "mentioned", "prepare", "words_of"]

EDGES = " \t\r\n.,;:!?\"'()[]{}<>|-–—…*"

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[.,;:!?\n/|…—–]")
_NUMBER = re.compile(r"\d")
_MARK_FIRST = re.compile(r"\s*[(\[]?\w(?:\s*[)\]]|[.:]\s)\s*\S")
_MARGIN = 24
"""So much longer than a choice its spelling may be: articles, number words, punctuation."""
_LABEL = re.compile(r"(?<![\w'])[A-Z](?![\w'])|(?<!.)[a-z](?!.)")
"""A letter in a choice that may tell it from the others: ``Point A``."""
_THINGS = "image picture photo figure caption sentence statement answer description candidate item panel"
_LABELLED = "point box option choice letter circle region dot area marker object label labeled labelled marked"
_AFTER_LABEL = (
    r"(?=\s*(?:$|[.,;:!?/\n)\]\"]|(?:is|are|was|and|or|has|have|does|as|on|in|at|to|with|more|most|better|best"
    r"|accurately|appears|seems|looks|would|which|that|because|since|matches|fits|corresponds|closely|does)\b))"
)
_LETTERS = re.compile(
    r"[(\[\"]\s*(?P<marked>[a-z])\s*[)\]\"]"
    rf"|\b(?:{_THINGS.replace(' ', '|')})s?\s+(?P<thing>[a-z])\b{_AFTER_LABEL}"
    rf"|\b(?:{_LABELLED.replace(' ', '|')})s?(?:\s*[:#]\s*|\s+|(?=[\"'(]))[\"'(]?(?P<labelled>[a-z])(?![\w'])"
    r"|(?<![\w'.$\\-])(?P<bare>[b-hj-z])(?![\w'-])"
    rf"|(?<![\w'.$\\-])(?P<article>[ai]){_AFTER_LABEL}(?! more| most| better| best)"
)
"""Letters that name choices. "a" and "i" are also words, so they count only where no such word could stand."""
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|fifth|sixth|last)\b")
_CLAUSE_START = re.compile(r"[.,;:!?\n]|\b(?:and|but|so)\b")
_DENIALS = frozenset(("isn't", "aren't", "doesn't", "don't", "wasn't"))
_VERBS = frozenset(("is", "are", "does", "do", "was"))
_DENIED_AFTER = re.compile(
    r"[\"')\]]*\s*(?:(?:is|are|was|does|do|did|would|can|could)(?:n't| not)|cannot|can't|(?:is|are|was) (?:\w+ )?"
    r"(?:incorrect|wrong|less|false|untrue|(?:ruled|left) out|eliminated|contradicted)\b)"
)
_MADE_OF = {"wood": "wooden", "metal": "metallic", "wool": "woolen"}
"""What is said of things made of a material, where it is no other choice."""
_DENIAL_REACH = 48
"""How many characters before a letter a negation of its clause may begin. Chosen by hand, not measured."""
_LISTING = re.compile(
    r"(?:both\s+|either\s+)?\(?\b(?:[a-z]|\d)\b\)?(?:\s*(?:,\s*(?:and|or)\b|,|/|&|and|or|\.)\s*(?:both\s+)?\(?\b(?:[a-z]|\d)\b\)?)+\.?"
)


class Choices(NamedTuple):
    """The choices of an item, prepared once."""

    given: tuple[str, ...]
    by_form: dict[str, str | None]
    phrases: tuple[tuple[tuple[str, ...], str], ...]
    polar: dict[str, str]
    letters: dict[str, str]
    """The choices that letters stand for: by the letters in them (``Point A``), else by position."""
    labelled: bool
    """Letters are part of the choices: a letter in a text names one."""
    numbered: bool
    """Numbers may stand for the choices: none of them holds a number."""
    ordinals: dict[str, str]
    """The choices that ordinals in them stand for: the second of "the second image" and "the third image"."""
    counts: bool
    """All choices are numbers."""
    positions: bool
    """The choices are 1, 2 and so on: numbers of captions rather than amounts."""
    ascii: bool
    longest: int
    """How long a text may be that is one of them."""


@lru_cache(maxsize=1 << 12)
def prepare(given: tuple[str, ...]) -> Choices:
    """Prepare choices."""
    labels = _labels(given)
    plain = [choice for choice in given if choice not in labels.values()]
    by_form: dict[str, str | None] = {}
    # Without its article "Point A" would be any point.
    forms = [(normalize(choice), choice) for choice in given if choice in plain or len(normalize(choice)) == 1]
    adjectives = [(_MADE_OF[form], choice) for form, choice in forms if form in _MADE_OF]
    forms += adjectives
    for form, choice in [*((choice.casefold(), choice) for choice in given), *forms]:
        # Two choices of one form (they differ in case or an article) are told apart only by their exact spelling.
        by_form[form] = choice if by_form.get(form, choice) == choice else None
    polar = {form: choice for choice in given if (form := normalize(choice)) in ("yes", "no")}
    named = [*((choice, choice) for choice in plain), *adjectives]
    phrases = [(tuple(words_of(form.lower())[0]), choice) for form, choice in named]
    phrases = [(words, choice) for words, choice in phrases if words]
    several = 2 <= len(given) <= 26
    positions = {chr(ord("a") + index): choice for index, choice in enumerate(given)} if several else {}
    if not labels and any(len(choice.strip()) == 1 and not choice.strip().isdigit() for choice in given):
        positions = {}
    return Choices(
        given=given,
        by_form=by_form,
        phrases=tuple(sorted(phrases, key=lambda phrase: -len(phrase[0]))),
        polar=polar if len(polar) == 2 else {},
        letters=labels if len(labels) == len(given) else positions | labels,
        labelled=bool(labels),
        numbered=several and not any(_NUMBER.search(normalize(choice)) for choice in given),
        ordinals={match[0]: choice for choice in given for match in [_ORDINAL.search(choice.lower())] if match},
        counts=all(normalize(choice).isdigit() for choice in given),
        positions=given == tuple(str(number) for number in range(1, len(given) + 1)),
        ascii=all(choice.isascii() for choice in given),
        longest=max(map(len, given)) * 2 + _MARGIN,
    )


def _labels(given: tuple[str, ...]) -> dict[str, str]:
    """The letters by which choices are told apart that are the same but for a letter."""
    parts = [(choice, match) for choice in given for match in [_LABEL.search(choice)] if match is not None]
    frames = [choice[: match.start()] + choice[match.end() :] for choice, match in parts]
    return {
        match[0].lower(): choice
        for (choice, match), frame in zip(parts, frames, strict=True)
        if frames.count(frame) > 1
    }


def exactly(text: str, choices: Choices) -> str | None:
    """The choice that a text is, but for case, punctuation, articles and number words."""
    trimmed = text.strip(EDGES)
    by_form = choices.by_form
    found = by_form.get(text.strip()) or by_form.get(trimmed)
    if found is not None or len(trimmed) > choices.longest or _MARK_FIRST.match(text):
        return found
    if choices.labelled and len(trimmed) > 1 and trimmed.startswith("a"):
        # Without its article "a/b" would be "b".
        return None
    return by_form.get(normalize(text)) or by_form.get(normalize(trimmed))


def mentioned(text: str, choices: Choices) -> list[str]:
    """The choices that a text names and does not deny; a choice inside a longer one does not count."""
    words, denied = words_of(text)
    found = _find(words, denied, choices)
    if choices.labelled:
        found += [choice for choice in _by_letter(text, choices) if choice not in found]
    if not found and any(word.endswith("s") for word in words):
        # "The second and third images" are not the third image.
        known = {phrase[0] for phrase, _ in choices.phrases if len(phrase) == 1}
        singular = [next((one for one in (word[:-1], word[:-2]) if one in known), word) for word in words]
        found = _find(
            [s if w.endswith("s") and w not in known else w for w, s in zip(words, singular, strict=True)],
            denied,
            choices,
        )
    return found


def _find(words: list[str], denied: list[bool], choices: Choices) -> list[str]:
    taken = [False] * len(words)
    found: dict[str, None] = {}
    for phrase, choice in choices.phrases:
        first, length = phrase[0], len(phrase)
        for start, word in enumerate(words):
            if word != first or (length > 1 and tuple(words[start : start + length]) != phrase):
                continue
            if not any(taken[start : start + length]):
                taken[start : start + length] = [True] * length
                after = words[start + length : start + length + 2]
                if after and (after[0] in _DENIALS or (after[0] in _VERBS and after[-1] == "not")):
                    continue
                if not denied[start] and choice not in choices.polar.values():
                    found[choice] = None
    return list(found)


def _by_letter(text: str, choices: Choices) -> dict[str, None]:
    """The choices whose letters stand in a text, and are not denied there."""
    found: dict[str, None] = {}
    for match in _LETTERS.finditer(text):
        choice = choices.letters.get(match[match.lastgroup or 0])
        if choice is not None and choice not in found and not is_denied(text, match.start(), match.end()):
            found[choice] = None
    return found


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether a negation comes before or after what stands at a position."""
    if _DENIED_AFTER.match(text, end):
        return True
    before = _CLAUSE_START.split(text[max(0, start - _DENIAL_REACH) : start])[-1]
    words = before.split()
    return any(word in NEGATIONS for word in words)


def words_of(text: str) -> tuple[list[str], list[bool]]:
    """The words of a text without articles, numbers as digits; and for each, whether a negation comes before it."""
    words: list[str] = []
    denied: list[bool] = []
    negated = False
    for token in _WORD.findall(text):
        if token in ("a", "an", "the"):
            continue
        if token in ("and", "but") or not token[0].isalnum():
            negated = False
        negated = negated or token in NEGATIONS
        if token[0].isalnum():
            words.append(normalize(token))
            denied.append(negated)
    return words, denied


def is_listing(text: str) -> bool:
    """Whether a text is several letters or numbers in a row: ``a or b``."""
    return _LISTING.fullmatch(text.strip()) is not None
