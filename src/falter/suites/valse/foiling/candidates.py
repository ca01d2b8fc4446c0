"""A caption of a source, and what a foiling function makes of it: candidates, and what it skips with the reason.

A funnel counts how many captions became candidates, how many of these were kept, and why the others were not, with a
sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any, NamedTuple

import msgspec

from falter.generation.inspection.foil_pairs import jensen_shannon

Spans = tuple[tuple[int, int], ...]
"""Beginnings and ends of changed words in a text, in characters; the first is that of the phrase that was foiled."""


class SourceCaption(NamedTuple):
    """A caption with its id in the source and its image; question and answer where the source has them."""

    id: str
    image_id: str
    text: str
    question: str = ""
    answer: str = ""


class FoilCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A caption as it is shown and a foil of it.

    ``word`` and ``foil_word`` are the words in which the two differ, as the release's ``classes`` name them.
    """

    caption: str
    foil: str
    caption_spans: Spans
    foil_spans: Spans
    word: str
    foil_word: str
    facets: dict[str, str] = msgspec.field(default_factory=dict)
    caption_meaning: str | None = None
    """The query that the caption was written from, as JSON; None where it was not."""
    foil_meaning: str | None = None

    def show(self) -> str:
        """Both texts, changed words in brackets.

        >>> spans = {"caption_spans": ((6, 8),), "foil_spans": ((6, 11),)}
        >>> texts = {"caption": "A cat on a mat", "foil": "A cat under a mat"}
        >>> FoilCandidate(**texts, **spans, word="on", foil_word="under").show()
        'A cat [on] a mat / A cat [under] a mat'
        """
        return f"{mark_spans(self.caption, self.caption_spans)} / {mark_spans(self.foil, self.foil_spans)}"


class Skipped(NamedTuple):
    """A phrase, or a whole caption, of which no foil is made, and why."""

    reason: str
    text: str


class Edit(NamedTuple):
    """Characters of a text that are replaced."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: Iterable[Edit]) -> tuple[str, Spans]:
    """The text with the edits made, and where the new words are, in the order of the edits.

    >>> apply_edits("A dog is big", [Edit(0, 1, "Some"), Edit(2, 5, "dogs"), Edit(6, 8, "are")])
    ('Some dogs are big', ((0, 4), (5, 9), (10, 13)))
    """
    given = list(edits)
    places: dict[Edit, tuple[int, int]] = {}
    parts: list[str] = []
    last = length = 0
    for edit in sorted(given):
        parts += [text[last : edit.start], edit.new]
        length += edit.start - last
        places[edit] = (length, length + len(edit.new))
        length += len(edit.new)
        last = edit.end
    parts.append(text[last:])
    return "".join(parts), tuple(places[edit] for edit in given)


def mark_spans(text: str, spans: Spans) -> str:
    """The text with brackets around the spans."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


_SAMPLE = 3
_MOST_WORDS = 40
"""Words of candidates that a manifest holds, for a chart."""


class Funnel:
    """Counts for one instrument; the sample of a reason is drawn without favor from the seed."""

    def __init__(self, test: str, seed: int = 0) -> None:
        self.test = test
        self.captions = 0
        self.candidates = 0
        self.kept = 0
        self.skipped: Counter[str] = Counter()
        """Phrases and captions without a candidate, by reason."""
        self.rejected: Counter[str] = Counter()
        """Candidates that were given up, by the filter or rule that did."""
        self._samples: dict[str, list[str]] = {}
        self._words: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self._rng = Random(f"{seed}|{test}|funnel")

    def skip(self, skipped: Skipped) -> None:
        """Count a phrase or a caption without a candidate."""
        self.skipped[skipped.reason] += 1
        self._sample(skipped.reason, skipped.text, self.skipped[skipped.reason])

    def propose(self, number: int = 1) -> None:
        """Count candidates."""
        self.candidates += number

    def reject(self, reason: str, candidate: FoilCandidate) -> None:
        """Count a candidate that is given up."""
        self.rejected[reason] += 1
        self._count_words(candidate)
        self._sample(reason, candidate.show(), self.rejected[reason])

    def keep(self, candidate: FoilCandidate) -> None:
        """Count a pair of the suite."""
        self.kept += 1
        self._count_words(candidate)
        self._sample("kept", candidate.show(), self.kept)

    def _count_words(self, candidate: FoilCandidate) -> None:
        # A candidate without a foil of its own is shown as it is.
        if candidate.caption != candidate.foil:
            for words, word in zip(self._words, (candidate.word, candidate.foil_word), strict=True):
                words[word] += 1

    def _before(self) -> dict[str, Any]:
        """The words of all candidates, before any filter and any balance."""
        captions, foils = self._words
        together = captions + foils
        most = sorted(together, key=lambda word: (-together[word], word))[:_MOST_WORDS]
        return {
            "candidates": captions.total(),
            "lexical_items": len(together),
            "js": jensen_shannon(captions, foils),
            "captions": {word: captions[word] for word in most},
            "foils": {word: foils[word] for word in most},
        }

    def _sample(self, reason: str, text: str, count: int) -> None:
        drawn = self._samples.setdefault(reason, [])
        if len(drawn) < _SAMPLE:
            drawn.append(text)
        elif (place := self._rng.randrange(count)) < _SAMPLE:
            drawn[place] = text

    def to_dict(self) -> dict[str, Any]:
        """As a suite's manifest holds it."""
        return {
            "captions": self.captions,
            "candidates": self.candidates,
            "kept": self.kept,
            "skipped": dict(self.skipped.most_common()),
            "rejected": dict(self.rejected.most_common()),
            "before": self._before(),
            "samples": dict(sorted(self._samples.items())),
        }
