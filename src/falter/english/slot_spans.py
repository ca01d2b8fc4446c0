"""Where the values of a template's slots stand in a sentence that the template reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from falter.english.placeholders import AGREEMENT, Placeholder, Segments
from falter.english.slot_type import SlotValue
from falter.english.templates import Parse

__all__ = ["Span", "slot_spans"]

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
