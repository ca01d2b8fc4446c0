"""A caption of a source, and what a foiling function makes of it: candidates, and what it skips with the reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

__all__ = ["Edit", "FoilCandidate", "Skipped", "SourceCaption", "Spans", "apply_edits"]

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
