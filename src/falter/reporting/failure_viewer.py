"""The data behind the viewer of failed pairs, kept within the size of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from falter.images.thumbnails import Thumbnail, data_uri, thumbnail
from falter.reporting.report_data import Failure, FailureImage, PairSide, ReportData, SideReply
from falter.reporting.word_diff import Segment, word_diff
from falter.safe import escape_invisible

__all__ = ["MAX_BYTES", "FailureViewer", "build_failure_viewer", "json_for_script"]

MAX_BYTES = 15_000_000
"""The size of a report with the standard number of failures."""

_REPLY_LETTERS = (2000, 600, 200)
_QUALITIES = (76, 62, 48, 34)
_SAMPLE = 24


class FailureViewer(msgspec.Struct):
    """What the page's script reads, and what is not in it."""

    payload: dict[str, Any]
    notes: list[str]
    image_problems: dict[str, int]


def json_for_script(value: Any) -> str:
    """JSON that cannot end the script element around it, nor break a line in an older browser."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def build_failure_viewer(
    data: ReportData, *, limit: int = MAX_BYTES, other_bytes: int = 0, progress: Callable[[], None] = lambda: None
) -> FailureViewer:
    """Texts first, then as many images as the size allows, in the best quality it allows."""
    notes: list[str] = []
    room = max(limit - other_bytes, 0)
    failures, letters = _fitting_texts(data.failures, room * 2 // 3, notes)
    payload: dict[str, Any] = {
        "models": [escape_invisible(model.name, one_line=True) for model in data.models],
        "failures": failures,
        "images": [],
        "letters": letters,
    }
    kept = len(failures)
    room -= len(json_for_script(payload).encode())
    wanted = _images_in_use(data.failures[:kept])
    uris, problems, left_out = _fitting_images(data.images, wanted, room, progress)
    if left_out:
        notes.append(
            f"{left_out:,} of {len(wanted):,} images are not included, to keep the file within {limit / 1e6:.0f} MB."
        )
    payload["images"] = [uris.get(index) for index in range(len(data.images))]
    return FailureViewer(payload, notes, problems)


def _fitting_texts(failures: list[Failure], room: int, notes: list[str]) -> tuple[list[dict[str, Any]], int]:
    for letters in _REPLY_LETTERS:
        packed = [_pack(failure, letters) for failure in failures]
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
        "are not included, to keep the file small."
    )
    return packed[:taken], letters


def _pack(failure: Failure, letters: int) -> dict[str, Any]:
    texts = [_cut(side.text, letters)[0] for side in (failure.original, failure.variant)]
    one, other = word_diff(escape_invisible(texts[0]), escape_invisible(texts[1]))
    return {
        "suite": escape_invisible(failure.suite, one_line=True),
        "test": escape_invisible(failure.test, one_line=True),
        "probe": escape_invisible(_cut(failure.probe_id, 200)[0], one_line=True),
        "number": failure.variant_number,
        "expects": failure.expects,
        "facets": [
            [escape_invisible(name, one_line=True), escape_invisible(_cut(value, 200)[0], one_line=True)]
            for name, value in sorted(failure.facets.items())
        ],
        "sides": [_pack_side(failure.original, one, letters), _pack_side(failure.variant, other, letters)],
        "replies": [
            {
                "model": reply.model,
                "failure_types": list(reply.failure_types),
                "sides": [_pack_reply(reply.original, letters), _pack_reply(reply.variant, letters)],
            }
            for reply in failure.replies
        ],
    }


def _pack_side(side: PairSide, segments: Iterable[Segment], letters: int) -> dict[str, Any]:
    packed: dict[str, Any] = {"text": [[segment.text, int(segment.changed)] for segment in segments]}
    if len(side.text) > letters:
        packed["length"] = len(side.text)
    if side.gold is not None:
        packed["gold"] = escape_invisible(_cut(side.gold, 200)[0], one_line=True)
    if side.choices:
        packed["choices"] = [escape_invisible(_cut(choice, 200)[0], one_line=True) for choice in side.choices[:40]]
    if side.context:
        packed["context"] = [
            [escape_invisible(who, one_line=True), escape_invisible(_cut(said, 400)[0])] for who, said in side.context
        ]
    if side.image is not None:
        packed["image"] = side.image
    return packed


def _pack_reply(reply: SideReply, letters: int) -> dict[str, Any]:
    packed: dict[str, Any] = {"status": reply.status, "correct": reply.correct}
    shown = reply.text if reply.text is not None else reply.error if reply.status == "failed" else None
    if shown is not None:
        text, full = _cut(shown, letters)
        packed["text"] = escape_invisible(text)
        if full is not None:
            packed["length"] = full
    if reply.answer is not None:
        packed["answer"] = escape_invisible(_cut(reply.answer, 200)[0], one_line=True)
    return packed


def _cut(text: str, letters: int) -> tuple[str, int | None]:
    return (text, None) if len(text) <= letters else (text[:letters], len(text))


def _images_in_use(failures: Iterable[Failure]) -> list[int]:
    sides = (side for failure in failures for side in (failure.original, failure.variant))
    return list(dict.fromkeys(side.image for side in sides if side.image is not None))


def _fitting_images(
    images: list[FailureImage], wanted: list[int], room: int, progress: Callable[[], None]
) -> tuple[dict[int, str], dict[str, int], int]:
    quality = _quality_for(images, wanted, room)
    uris: dict[int, str] = {}
    problems: dict[str, int] = {}
    left_out = 0
    for index in wanted:
        made = thumbnail(images[index].path, quality=quality)
        progress()
        if made.jpeg is None:
            if made.problem is not None:
                problems[made.problem] = problems.get(made.problem, 0) + 1
            continue
        uri = data_uri(made.jpeg)
        if len(uri) + 3 > room:
            left_out += 1
            continue
        room -= len(uri) + 3
        uris[index] = uri
    return uris, problems, left_out


def _quality_for(images: list[FailureImage], wanted: list[int], room: int) -> int:
    """The best quality at which a sample of the images, scaled up, fits the room."""
    step = max(len(wanted) // _SAMPLE, 1)
    sample = [images[index].path for index in wanted[::step]]
    for quality in _QUALITIES:
        made: list[Thumbnail] = [thumbnail(path, quality=quality) for path in sample]
        sizes = [len(data_uri(each.jpeg)) + 3 for each in made if each.jpeg is not None]
        if not sizes or sum(sizes) / len(sample) * len(wanted) <= room * 0.97:
            return quality
    return _QUALITIES[-1]
