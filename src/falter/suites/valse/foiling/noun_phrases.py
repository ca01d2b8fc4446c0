"""Noun phrases of a caption whose number can be changed, and what captions say in the singular and plural.

A phrase gets a quantifier in the place of its determiner. A man rides a skateboard and men stand on a beach, but men do
not ride a skateboard, and he does not stand on beaches. A *frame* is a noun phrase's number together with one neighbor
in the tree of dependencies; a foil is plausible where captions of other images have its frames.

Some words come after a noun of one number only: several people sit around a table, and one does not; one person is
seldom separated by a distance. What a caption says of its first noun phrase is counted by the number of that phrase, a
word and two words at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from falter.data.word_forms import singularize, word_to_number
from falter.generation.english import default_grammar
from falter.generation.nlp.parsing import NounChunk, ParsedText, Token
from falter.suites.valse.foiling.candidates import Skipped
from falter.suites.valse.foiling.caption_words import noun_class, word_list

Number = Literal["sg", "pl"]

_SINGULAR_DETERMINERS = frozenset({"a", "an", "the", "one", "this", "that"})
_PLURAL_DETERMINERS = frozenset({"the", "some", "several", "many", "these", "those", "multiple", "numerous"})
_NUMBER_WORDS = word_list("number_modifiers")
_NOT_COUNTED = word_list("not_counted")
SCENES = word_list("scenes")
_VIEWS = word_list("views")
_NOT_SHOWN = word_list("not_shown")
_SINGULARS = {"people": "person", "persons": "person", "children": "child", "kids": "kid", "guys": "guy"}


class NounPhrase(NamedTuple):
    """A noun phrase: its tokens, its head, its number, and where its determiner ends and the rest begins."""

    chunk: NounChunk
    number: Number
    singular: str
    """The singular of its head, in lower case."""
    rest: int
    """The index of the first token after the determiner."""

    @property
    def head(self) -> int:
        """The index of its noun."""
        return self.chunk.head


def singular_of(plural: str) -> str | None:
    """The singular of a plural noun in lower case."""
    return _SINGULARS.get(plural) or singularize(plural)


def noun_number(parsed: ParsedText, index: int) -> tuple[Number, str] | None:
    """The number of a noun and its singular; None for other words, names, and plurals without a singular."""
    token = parsed.tokens[index]
    if token.tag == "NNS" or token.lower in _SINGULARS:
        single = singular_of(token.lower)
        return None if single is None else ("pl", single)
    return ("sg", token.lower) if token.tag == "NN" and token.text.isalpha() else None


def find_noun_phrases(parsed: ParsedText) -> Iterator[NounPhrase | Skipped]:
    """Every noun phrase that is not a pronoun, or why its number is not changed."""
    for chunk in parsed.chunks:
        if parsed.tokens[chunk.head].pos not in ("NOUN", "PROPN"):
            continue
        found = _read(parsed, chunk)
        yield found if isinstance(found, NounPhrase) else Skipped(found, parsed.span_text(chunk.start, chunk.end))


def _read(parsed: ParsedText, chunk: NounChunk) -> NounPhrase | str:
    read = noun_number(parsed, chunk.head)
    if read is None or chunk.end != chunk.head + 1:
        return "a name, or a noun without a singular"
    number, singular = read
    if singular in _NOT_COUNTED:
        return "a noun that counts or places other things"
    first = parsed.tokens[chunk.start].lower
    has_determiner = chunk.start < chunk.head and (
        parsed.tokens[chunk.start].dep in ("det", "nummod", "poss", "predet", "quantmod")
        or first in _PLURAL_DETERMINERS
    )
    rest = chunk.start + has_determiner
    problem = _determiner_problem(number, first if has_determiner else "")
    if problem:
        return problem
    after = parsed.tokens[chunk.head + 1] if chunk.head + 1 < len(parsed) else None
    then = parsed.tokens[chunk.head + 2] if chunk.head + 2 < len(parsed) else None
    if after is not None and (after.lower in ("and", "or", "-", "/", "&", "'s", "'") or _is_noun(after, then)):
        return "a noun that another one follows"
    modifiers = parsed.tokens[rest : chunk.head]
    if any(one.lower in _NUMBER_WORDS or one.tag in ("CD", "PRP$", "POS", "DT", "CC", ",") for one in modifiers):
        return "a modifier that says how many, or whose"
    if _is_counted_by_another(parsed, chunk.start - 1):
        return "a noun that another one counts"
    over = parsed.tokens[chunk.head].head
    if over == chunk.start - 1 and parsed.tokens[over].lower in _NOT_SHOWN:
        return "a noun of what is not there, or of a comparison"
    return NounPhrase(chunk, number, singular, rest)


def _is_noun(token: Token, after: Token | None) -> bool:
    """Whether a token is a noun, or one that the parser took for a verb: "a microwave oven sitting"."""
    if token.tag in ("VBD", "VBN") and after is not None and after.tag in ("VBG", "VBZ"):
        lexeme = default_grammar().ontology.lexeme(token.lower)
        return lexeme is not None and lexeme[1] == "singular"
    return token.tag in ("NN", "NNS")


def _determiner_problem(number: Number, determiner: str) -> str:
    if number == "sg" and not determiner:
        return "a singular without an article"
    if number == "sg" and determiner not in _SINGULAR_DETERMINERS:
        return "a determiner that no quantifier can replace"
    if number == "pl" and determiner and determiner not in _PLURAL_DETERMINERS:
        counted = word_to_number(determiner)
        return "" if counted is not None and counted > 1 else "a determiner that no quantifier can replace"
    return ""


def _is_counted_by_another(parsed: ParsedText, before: int) -> bool:
    """Whether the word before a phrase is "of", but for what a picture is of."""
    return before >= 1 and parsed.tokens[before].lower == "of" and parsed.tokens[before - 1].lower not in _VIEWS


Frame = tuple[str, ...]
_FRAME_SHARE = 0.25
"""Of the images that have a noun somewhere in one number, the share that must have it there in the other one."""
_SUBJECTS = ("nsubj", "nsubjpass")


class NumberFrames:
    """Counts over the captions of a source: images with a frame, forms of nouns, and nouns of every image."""

    def __init__(self, captions: Iterable[tuple[str, ParsedText]]) -> None:
        self.frames: Counter[Frame] = Counter()
        self.plurals: dict[str, Counter[str]] = {}
        self.with_article: Counter[str] = Counter()
        self._in_image: dict[str, set[tuple[str, Number]]] = {}
        seen: set[tuple[str, Frame]] = set()
        for image_id, parsed in captions:
            for index, token in enumerate(parsed.tokens):
                read = noun_number(parsed, index)
                if read is None:
                    continue
                number, noun = read
                self._in_image.setdefault(image_id, set()).add((noun, number))
                if number == "pl":
                    self.plurals.setdefault(noun, Counter())[token.lower] += 1
                elif any(parsed.tokens[one].lower in ("a", "an", "one") for one in parsed.children(index, "det")):
                    self.with_article[noun] += 1
                for frame in frames_of(parsed, index, number, noun):
                    if (image_id, frame) not in seen:
                        seen.add((image_id, frame))
                        self.frames[frame] += 1

    def is_in_image(self, image_id: str, noun: str, number: Number) -> bool:
        """Whether a caption of the image has the noun in a number."""
        return (noun, number) in self._in_image.get(image_id, ())

    def plural(self, noun: str, fewest: int = 2) -> str | None:
        """The plural that captions use most, where they use one."""
        found = self.plurals.get(noun)
        if not found:
            return None
        plural, count = min(found.items(), key=lambda form: (-form[1], form[0]))
        return plural if count >= fewest else None

    def are_usual(self, frames: Iterable[Frame], others: Iterable[Frame], fewest: int = 2) -> bool:
        """Whether images have all of the frames, and not much more seldom than those of the other number."""
        return all(
            self.frames[frame]
            >= max(fewest + (frame[0] == "object" and frame[-1] == "pl"), _FRAME_SHARE * self.frames[other])
            for frame, other in zip(frames, others, strict=True)
        )


def frames_of(parsed: ParsedText, index: int, number: Number, noun: str) -> Iterator[Frame]:
    """The frames of a noun, as if it had the number given."""
    kind = noun_class(noun)
    token = parsed.tokens[index]
    over = parsed.tokens[token.head]
    if token.dep == "pobj":
        governor = over.head
        yield ("after", *_describe(parsed, governor), over.lower, noun, number)
    elif token.dep == "dobj":
        yield ("object", over.lemma, _subject_number(parsed, token.head), noun, number)
    verbs = [token.head] if token.dep in _SUBJECTS else []
    for verb in (*verbs, *parsed.children(index, "acl", "relcl")):
        yield from _verb_frames(parsed, verb, number)
    for preposition in parsed.children(index, "prep"):
        for other in parsed.children(preposition, "pobj"):
            yield ("before", kind, number, parsed.tokens[preposition].lower, *_noun(parsed, other))


def _verb_frames(parsed: ParsedText, verb: int, number: Number) -> Iterator[Frame]:
    lemma = parsed.tokens[verb].lemma
    for other in parsed.children(verb, "dobj"):
        yield ("subject", number, lemma, *_noun(parsed, other))
    for preposition in parsed.children(verb, "prep"):
        for other in parsed.children(preposition, "pobj"):
            yield ("subject", number, lemma, parsed.tokens[preposition].lower, *_noun(parsed, other))


def _noun(parsed: ParsedText, index: int) -> tuple[str, str]:
    read = noun_number(parsed, index)
    return (parsed.tokens[index].lower, "") if read is None else (noun_class(read[1]), read[0])


def _describe(parsed: ParsedText, index: int) -> tuple[str, str]:
    """A noun with its number, or a verb with that of its subject."""
    if noun_number(parsed, index) is not None:
        return _noun(parsed, index)
    return parsed.tokens[index].lemma, _subject_number(parsed, index)


def _subject_number(parsed: ParsedText, verb: int) -> str:
    token = parsed.tokens[verb]
    subjects = parsed.children(verb, *_SUBJECTS)
    if not subjects and token.dep in ("acl", "relcl"):
        subjects = [token.head]
    if not subjects and token.dep in ("conj", "advcl", "xcomp") and token.head != verb:
        return _subject_number(parsed, token.head)
    read = noun_number(parsed, subjects[0]) if subjects else None
    return "sg" if read is None else read[0]


_KNOWN = 20
"""Images that must say something of one number before its lack in the other tells."""
_SAID_OF_BOTH = 0.04
"""What they say as often of the other number, in proportion, is said of both."""


class NumberCompany:
    """Counts over the captions of a source: images in which words come after a first noun of either number."""

    def __init__(self, captions: Iterable[tuple[str, ParsedText]]) -> None:
        seen: set[tuple[str, Number, tuple[str, ...]]] = set()
        subjects: set[tuple[str, Number]] = set()
        for image_id, parsed in captions:
            head = _first_head(parsed)
            read = None if head is None else noun_number(parsed, head)
            if head is None or read is None:
                continue
            subjects.add((image_id, read[0]))
            seen.update((image_id, read[0], words) for words in _after(parsed, head))
        self._images = Counter((number, words) for _, number, words in seen)
        self._subjects = Counter(number for _, number in subjects)

    def find_odd(self, parsed: ParsedText, phrase: NounPhrase, target: Number) -> str | None:
        """The first words after a caption's first noun phrase that are hardly said of the other number."""
        if phrase.head != _first_head(parsed):
            return None
        scale = self._subjects[target] / max(self._subjects[phrase.number], 1)
        for words in _after(parsed, phrase.head):
            often = self._images[phrase.number, words]
            if often >= _KNOWN and self._images[target, words] < _SAID_OF_BOTH * often * scale:
                return " ".join(words)
        return None


def _first_head(parsed: ParsedText) -> int | None:
    return parsed.chunks[0].head if parsed.chunks else None


def _after(parsed: ParsedText, head: int) -> Iterator[tuple[str, ...]]:
    """The words after a noun, and each two of them, but for verbs whose form tells the number."""
    words = [one.lower for one in parsed.tokens[head + 1 :] if one.tag not in ("VBZ", "VBP") and one.text.isalpha()]
    yield from ((word,) for word in words)
    yield from pairwise(words)
