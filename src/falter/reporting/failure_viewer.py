"""The data behind the browser of failed pairs, kept within the size of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from falter.images.thumbnails import Thumbnail, data_uri, thumbnail
from falter.reporting.data import Failure, Picture, ReportData, Side, SideReply
from falter.reporting.diff import Segment, word_diff
from falter.reporting.escape_text import visible

__all__ = ["BYTES", "Browser", "build_browser", "json_for_script"]

BYTES = 15_000_000
"""The size of a report with the standard number of failures."""

_REPLY_LETTERS = (2000, 600, 200)
_QUALITIES = (76, 62, 48, 34)
_SAMPLE = 24


class Browser(msgspec.Struct):
    """What the page's script reads, and what had to be left out."""

    payload: dict[str, Any]
    notes: list[str]
    troubles: dict[str, int]


def json_for_script(value: Any) -> str:
    """JSON that cannot end the script element it stands in, nor break a line in an older browser."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def build_browser(
    data: ReportData, *, limit: int = BYTES, other_bytes: int = 0, tick: Callable[[], None] = lambda: None
) -> Browser:
    """Texts first, then as many and as good pictures as the size allows."""
    notes: list[str] = []
    room = max(limit - other_bytes, 0)
    failures, letters = _fitting_texts(data.failures, room * 2 // 3, notes)
    payload: dict[str, Any] = {
        "models": [visible(model.name, one_line=True) for model in data.models],
        "failures": failures,
        "pictures": [],
        "letters": letters,
    }
    kept = len(failures)
    room -= len(json_for_script(payload).encode())
    wanted = _pictures_in_use(data.failures[:kept])
    uris, troubles, left_out = _fitting_pictures(data.pictures, wanted, room, tick)
    if left_out:
        notes.append(
            f"{left_out:,} of {len(wanted):,} pictures are left out to keep the file within {limit / 1e6:.0f} MB."
        )
    payload["pictures"] = [uris.get(place, None) for place in range(len(data.pictures))]
    return Browser(payload, notes, troubles)


def _fitting_texts(failures: list[Failure], room: int, notes: list[str]) -> tuple[list[dict[str, Any]], int]:
    for letters in _REPLY_LETTERS:
        packed = [_packed(failure, letters) for failure in failures]
        sizes = [len(json_for_script(entry).encode()) + 1 for entry in packed]
        if sum(sizes) <= room:
            if letters != _REPLY_LETTERS[0]:
                notes.append(f"Replies are cut after {letters:,} characters to keep the file small.")
            return packed, letters
    taken, used = 0, 0
    while taken < len(sizes) and used + sizes[taken] <= room:
        used += sizes[taken]
        taken += 1
    notes.append(
        f"Replies are cut after {letters:,} characters, and {len(packed) - taken:,} of {len(packed):,} failed pairs "
        "are left out, to keep the file small."
    )
    return packed[:taken], letters


def _packed(failure: Failure, letters: int) -> dict[str, Any]:
    texts = [_cut(side.text, letters)[0] for side in (failure.original, failure.variant)]
    one, other = word_diff(visible(texts[0]), visible(texts[1]))
    return {
        "suite": visible(failure.suite, one_line=True),
        "test": visible(failure.test, one_line=True),
        "probe": visible(_cut(failure.probe_id, 200)[0], one_line=True),
        "number": failure.variant_number,
        "expects": failure.expects,
        "facets": [
            [visible(name, one_line=True), visible(_cut(value, 200)[0], one_line=True)]
            for name, value in sorted(failure.facets.items())
        ],
        "sides": [_packed_side(failure.original, one, letters), _packed_side(failure.variant, other, letters)],
        "replies": [
            {
                "model": reply.model,
                "outcomes": list(reply.outcomes),
                "sides": [_packed_reply(reply.original, letters), _packed_reply(reply.variant, letters)],
            }
            for reply in failure.replies
        ],
    }


def _packed_side(side: Side, segments: Iterable[Segment], letters: int) -> dict[str, Any]:
    packed: dict[str, Any] = {"text": [[segment.text, int(segment.changed)] for segment in segments]}
    if len(side.text) > letters:
        packed["length"] = len(side.text)
    if side.gold is not None:
        packed["gold"] = visible(_cut(side.gold, 200)[0], one_line=True)
    if side.choices:
        packed["choices"] = [visible(_cut(choice, 200)[0], one_line=True) for choice in side.choices[:40]]
    if side.context:
        packed["context"] = [[visible(who, one_line=True), visible(_cut(said, 400)[0])] for who, said in side.context]
    if side.picture is not None:
        packed["picture"] = side.picture
    return packed


def _packed_reply(reply: SideReply, letters: int) -> dict[str, Any]:
    packed: dict[str, Any] = {"status": reply.status, "right": reply.right}
    said = reply.text if reply.text is not None else reply.error if reply.status == "failed" else None
    if said is not None:
        text, full = _cut(said, letters)
        packed["text"] = visible(text)
        if full is not None:
            packed["length"] = full
    if reply.answer is not None:
        packed["answer"] = visible(_cut(reply.answer, 200)[0], one_line=True)
    return packed


def _cut(text: str, letters: int) -> tuple[str, int | None]:
    return (text, None) if len(text) <= letters else (text[:letters], len(text))


def _pictures_in_use(failures: Iterable[Failure]) -> list[int]:
    sides = (side for failure in failures for side in (failure.original, failure.variant))
    return list(dict.fromkeys(side.picture for side in sides if side.picture is not None))


def _fitting_pictures(
    pictures: list[Picture], wanted: list[int], room: int, tick: Callable[[], None]
) -> tuple[dict[int, str], dict[str, int], int]:
    quality = _quality_for(pictures, wanted, room)
    uris: dict[int, str] = {}
    troubles: dict[str, int] = {}
    left_out = 0
    for place in wanted:
        made = thumbnail(pictures[place].path, quality=quality)
        tick()
        if made.jpeg is None:
            if made.problem is not None:
                troubles[made.problem] = troubles.get(made.problem, 0) + 1
            continue
        uri = data_uri(made.jpeg)
        if len(uri) + 3 > room:
            left_out += 1
            continue
        room -= len(uri) + 3
        uris[place] = uri
    return uris, troubles, left_out


def _quality_for(pictures: list[Picture], wanted: list[int], room: int) -> int:
    """The best quality at which a sample of the pictures, scaled up, fits the room."""
    step = max(len(wanted) // _SAMPLE, 1)
    sample = [pictures[place].path for place in wanted[::step]]
    for quality in _QUALITIES:
        made: list[Thumbnail] = [thumbnail(path, quality=quality) for path in sample]
        sizes = [len(data_uri(each.jpeg)) + 3 for each in made if each.jpeg is not None]
        if not sizes or sum(sizes) / len(sample) * len(wanted) <= room * 0.97:
            return quality
    return _QUALITIES[-1]
