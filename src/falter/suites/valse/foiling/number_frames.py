"""Where captions use a noun in the singular and where in the plural: with which verbs, prepositions and other nouns.

A man rides a skateboard and men stand on a beach, but men do not ride a skateboard, and he does not stand on beaches.
A *frame* is a noun phrase's number together with one neighbor in the tree of dependencies; a foil is plausible where
captions of other images have its frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.noun_phrases import Number, noun_number
from falter.suites.valse.foiling.people import noun_class

__all__ = ["Frame", "NumberFrames", "frames_of"]

Frame = tuple[str, ...]
_SHARE = 0.25
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
            >= max(fewest + (frame[0] == "object" and frame[-1] == "pl"), _SHARE * self.frames[other])
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
