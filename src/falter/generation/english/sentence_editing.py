"""Replaces the words for one thing in a sentence in place; determiners and verbs follow its number.

The rest of the sentence stays word for word; where the value of a slot is in it, its template tells. Whoever changes a
question reads the result back: these are rules about words, and only the reader knows what a sentence means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from falter.generation.english.lexicon import BE, IN_IMAGE, INDEFINITE, LINKS, OWNERS
from falter.generation.english.ontology import Ontology
from falter.generation.english.open_slots import SlotValue
from falter.generation.english.slots import AGREEMENT, Placeholder, Segments
from falter.generation.english.templates import Parse
from falter.generation.english.words import PLURAL_VERBS, SINGULAR_VERBS, article
from falter.generation.scene import ObjectDescription

Span = tuple[int, int]


def slot_spans(parse: Parse, sentence: str) -> dict[str, Span] | None:
    """By slot the first and last place of its words in a sentence; None where the template does not read it so."""
    lowered = sentence.lower()
    for spans in _splits(parse.template.segments, lowered, 0, 0):
        if all(_says(parse, placeholder, lowered[start:end]) for placeholder, start, end in spans):
            return {placeholder.slot: (start, end) for placeholder, start, end in reversed(spans)}
    return None


_Found = tuple[tuple[Placeholder, int, int], ...]


def _splits(segments: Segments, text: str, place: int, position: int) -> Iterator[_Found]:
    """Every way to divide the rest of a sentence among the rest of the segments."""
    if place == len(segments):
        if position == len(text):
            yield ()
        return
    segment = segments[place]
    if isinstance(segment, str):
        if text.startswith(segment, position):
            yield from _splits(segments, text, place + 1, position + len(segment))
        return
    if segment.word in AGREEMENT:
        for form in AGREEMENT[segment.word]:
            if text.startswith(form, position):
                yield from _splits(segments, text, place + 1, position + len(form))
        return
    following = segments[place + 1] if place + 1 < len(segments) else ""
    ends = _ends(text, following, position) if isinstance(following, str) and following else [len(text)]
    for end in ends:
        for rest in _splits(segments, text, place + 1, end):
            yield ((segment, position, end), *rest)


def _ends(text: str, following: str, position: int) -> list[int]:
    found, end = [], text.find(following, position + 1)
    while end != -1:
        found.append(end)
        end = text.find(following, end + 1)
    return found


def _says(parse: Parse, placeholder: Placeholder, text: str) -> bool:
    slots: Mapping[str, SlotValue] = parse.slots
    return slots[placeholder.slot] in parse.template.parser.values(placeholder, text)


_WORD = re.compile(r"[\w'-]+")
_BEFORE_SUBJECT = frozenset({*BE, "does", "do"})
_AFTER_VERB = frozenset({"there", "either"})
_DEFINITE = {"the": "the", "this": "these", "that": "those"}
_DEFINITE_SINGULAR = {plural: singular for singular, plural in _DEFINITE.items()}
_OWNERS = frozenset({*OWNERS, "its"})
_ARTICLES = frozenset({"a", "an"})
_ASKED_FOR = frozenset({"there", "see", "either"})
_TAIL = re.compile(rf" {IN_IMAGE.pattern}$| (?:there|here)$", re.IGNORECASE)
"""What a noun phrase may end with that says nothing of the thing."""


class _Word(NamedTuple):
    start: int
    end: int
    text: str


class SentenceEditor:
    """Changes sentences over the vocabulary of one ontology."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._patterns: dict[tuple[str, str], re.Pattern[str]] = {}
        self._forms: dict[tuple[str, str], list[str]] = {}
        for form, meanings in ontology.nouns.items():
            for meaning in meanings:
                self._forms.setdefault(meaning, []).append(form)

    def names(self, sentence: str, one: ObjectDescription) -> bool:
        """Whether the noun for a thing stands in the sentence once, in the thing's number."""
        known = (one.kind, one.number) in self._forms
        return known and len(self._pattern(one.kind, one.number).findall(sentence)) == 1

    def replace_noun(self, sentence: str, old: ObjectDescription, new: ObjectDescription) -> str | None:
        """The sentence with another noun; None where the old one does not stand there once, or a verb would be wrong.

        What is said of the thing besides stays, so the two descriptions differ in kind and number alone.
        """
        found = list(self._pattern(old.kind, old.number).finditer(sentence))
        if len(found) != 1:
            return None
        start, end = found[0].span()
        words = _words(sentence)
        place = next((number for number, word in enumerate(words) if word.start >= start), len(words))
        said = {word for value in old.attributes for word in (*value.split(), "wooden")} | {"and"}
        first = place
        while first > 0 and words[first - 1].text in said:
            first -= 1
        if first > 0 and _is_determiner(words[first - 1].text):
            first -= 1
        after = next((number for number, word in enumerate(words) if word.start >= end), len(words))
        before_noun = sentence[words[first].start : start] if first < place else ""
        return _edited(sentence, words, (first, after), f"{before_noun}{self._noun(new)}", old, new, end)

    def replace_phrase(self, sentence: str, span: Span, old: ObjectDescription, new: ObjectDescription) -> str | None:
        """The sentence with another noun phrase: the new one's attributes and noun, with "the" where it is definite."""
        start, end = span
        tail = _TAIL.search(sentence[start:end])
        end -= len(tail.group()) if tail else 0
        words = _words(sentence)
        first = next(number for number, word in enumerate(words) if word.start >= start)
        after = next((number for number, word in enumerate(words) if word.start >= end), len(words))
        determiner = words[first].text if _is_determiner(words[first].text) else ""
        if new.definite:
            determiner = "the" if determiner not in _DEFINITE and determiner not in _DEFINITE_SINGULAR else determiner
        elif determiner in _DEFINITE or determiner in _OWNERS:
            determiner = "a"
        phrase = " ".join(filter(None, (determiner, *new.attributes, self._noun(new))))
        return _edited(sentence, words, (first, after), phrase, old, new, end)

    @staticmethod
    def replace_words(sentence: str, old: str, new: str) -> str | None:
        """The sentence with other words for an attribute or a relation; None where the old ones do not stand once."""
        found = list(re.finditer(rf"\b{re.escape(old)}\b", sentence, re.IGNORECASE))
        if len(found) != 1:
            return None
        start, end = found[0].span()
        return _with_articles(f"{sentence[:start]}{new}{sentence[end:]}", start, start + len(new))

    def _noun(self, one: ObjectDescription) -> str:
        return self._ontology.plural(one.kind) if one.number == "plural" else one.kind

    def _pattern(self, kind: str, number: str) -> re.Pattern[str]:
        key = (kind, number)
        known = self._patterns.get(key)
        if known is None:
            forms = sorted(self._forms.get(key, [kind]), key=lambda form: (-len(form), form))
            known = self._patterns[key] = re.compile(rf"\b(?:{'|'.join(map(re.escape, forms))})\b", re.IGNORECASE)
        return known


def _words(sentence: str) -> list[_Word]:
    return [_Word(*found.span(), found.group().lower()) for found in _WORD.finditer(sentence)]


def _is_determiner(word: str) -> bool:
    return word in INDEFINITE or word in _DEFINITE or word in _DEFINITE_SINGULAR or word in _OWNERS


def _edited(
    sentence: str,
    words: Sequence[_Word],
    place: tuple[int, int],
    phrase: str,
    old: ObjectDescription,
    new: ObjectDescription,
    end: int,
) -> str | None:
    """The sentence with the words from a determiner to a noun replaced by a phrase, whose determiner is repaired."""
    first, after = place
    verbs = _verbs(words, first, after, old, new)
    if verbs is None:
        return None
    start = words[first].start
    phrase = _with_determiner(phrase, words[first - 1].text if first else "", old, new)
    if start == 0:
        phrase = phrase[:1].upper() + phrase[1:]
    edits = sorted([(start, end, phrase), *verbs], reverse=True)
    for begin, stop, text in edits:
        sentence = sentence[:begin] + text + sentence[stop:]
    return sentence


def _verbs(
    words: Sequence[_Word], first: int, after: int, old: ObjectDescription, new: ObjectDescription
) -> list[tuple[int, int, str]] | None:
    """The verbs that follow the number of a thing, in their new form; None where one cannot be found."""
    plural = new.number == "plural"
    if plural == (old.number == "plural"):
        return []
    forms = PLURAL_VERBS if plural else SINGULAR_VERBS
    found: list[_Word] = []
    before = first - 1
    while before >= 0 and words[before].text in _AFTER_VERB:
        before -= 1
    is_subject = before < 0 or words[before].text == "think"
    if before >= 0 and words[before].text in _BEFORE_SUBJECT:
        found.append(words[before])
    elif is_subject and not (after < len(words) and words[after].text in forms):
        return None
    clause = after + (after < len(words) and words[after].text in LINKS)
    if clause < len(words) and words[clause].text in forms and (is_subject or clause > after):
        found.append(words[clause])
    edits = []
    for word in found:
        form = forms.get(word.text, word.text)
        edits.append((word.start, word.end, form.capitalize() if word.start == 0 else form))
    return edits


def _with_determiner(phrase: str, before: str, old: ObjectDescription, new: ObjectDescription) -> str:
    """A phrase with the determiner that its noun takes."""
    first, _, rest = phrase.partition(" ")
    determiner = first.lower() if rest and _is_determiner(first.lower()) else ""
    if not determiner:
        counted = new.number == "singular" and old.number != "singular"
        return f"{article(phrase)} {phrase}" if counted and not new.definite else phrase
    plural = new.number == "plural"
    if determiner in _DEFINITE or determiner in _DEFINITE_SINGULAR:
        forms = _DEFINITE if plural else _DEFINITE_SINGULAR
        return f"{forms.get(determiner, determiner)} {rest}"
    if determiner in _OWNERS:
        return phrase
    if new.number == "singular":
        keeps = determiner == "any" and old.number == "singular"
        return f"any {rest}" if keeps else f"{article(rest)} {rest}"
    if determiner in _ARTICLES:
        return f"any {rest}" if before in _ASKED_FOR else rest
    return f"{determiner} {rest}"


def _with_articles(sentence: str, start: int, end: int) -> str:
    """A sentence with the article right before changed words repaired."""
    found = re.search(r"\b(an?) $", sentence[:start], re.IGNORECASE)
    if found is None:
        return sentence
    right = article(sentence[start:end])
    right = right.capitalize() if found[1][0].isupper() else right
    return f"{sentence[: found.start()]}{right} {sentence[start:]}"
