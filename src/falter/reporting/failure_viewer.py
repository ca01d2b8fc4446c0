"""The data of the report's section on failed pairs, with images and replies, reduced to fit the size of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from falter.images.thumbnails import Thumbnail, data_uri, thumbnail
from falter.reporting.packed_failures import FailurePacker
from falter.reporting.report_data import Failure, FailureImage, ReportData
from falter.safe import escape_invisible
from falter.tables import format_count

__all__ = ["MAX_BYTES", "FailureViewer", "ShownFailures", "build_failure_viewer", "json_for_script"]

MAX_BYTES = 15_000_000
"""The size of a report with the standard number of failures."""

_SPARE = 1 / 5
"""The share of the room for images by which their size is chosen smaller: a page stays well within its size."""

_REPLY_LETTERS = (2000, 600, 200)
_ENOUGH = 10
"""Shorter replies are preferred to fewer pairs than this per test and model."""
_LARGE = ((800, 80), (560, 78))
_LARGE_BYTES = 5_000_000
"""Few images are shown large: so many bytes of them at most."""
_SIZES = ((320, 76), (320, 62), (320, 48), (240, 48), (200, 40), (160, 34))
"""Longer side and quality of images, the best first."""
_SAMPLE = 24
_ROUGH = 2000
"""Room for the rest of the payload."""


class ShownFailures(NamedTuple):
    """How many pairs a model failed on a test, and how many of these the viewer shows."""

    suite: str
    test: str
    model: int
    failed: int
    shown: int


class FailureViewer(msgspec.Struct):
    """What the page's script reads, and what is not in it."""

    payload: dict[str, Any]
    notes: list[str]
    image_problems: dict[str, int]
    shown: list[ShownFailures] = []
    """By test and model."""
    failed: int = 0
    """How many distinct pairs at least one model failed."""


def json_for_script(value: Any) -> str:
    """JSON that cannot end the script element around it, nor break a line in an older browser."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def build_failure_viewer(
    data: ReportData, *, limit: int = MAX_BYTES, other_bytes: int = 0, progress: Callable[[], None] = lambda: None
) -> FailureViewer:
    """Texts first, then as many images as the size allows, in the best quality it allows.

    Where the texts of all pairs do not fit, those of the lowest ranks stay: as many of every test and model.
    """
    notes: list[str] = []
    failed = max(sum(one.failed for one in data.failed_tests), len(data.failures))
    room = max(limit - other_bytes, 0)
    kept, packed = _fitting_texts(data.failures, max(room * 2 // 3 - _ROUGH, 0), notes)
    shown = _count_shown(data, kept)
    payload: dict[str, Any] = {
        "models": [escape_invisible(model.name, one_line=True) for model in data.models],
        **packed.shared(),
        "failures": packed.failures,
        "images": [],
        "counts": [
            [escape_invisible(one.suite, one_line=True), escape_invisible(one.test, one_line=True), *one[2:]]
            for one in shown
        ],
        "failed": [
            [escape_invisible(name, one_line=True) for name in one.test] + [one.failed] for one in data.failed_tests
        ],
    }
    room -= len(json_for_script(payload).encode())
    wanted = _images_in_use(kept)
    uris, problems, left_out = _fitting_images(data.images, wanted, room, progress)
    if left_out:
        notes.append(
            f"{left_out:,} of {format_count(len(wanted), 'images')} are not included, to keep the file within "
            f"{limit / 1e6:.0f} MB."
        )
    payload["images"] = [uris.get(index) for index in range(len(data.images))]
    return FailureViewer(payload, notes, problems, shown, failed)


def _fitting_texts(failures: list[Failure], room: int, notes: list[str]) -> tuple[list[Failure], FailurePacker]:
    """The failures whose texts fit, in their order, and what they are packed to."""
    order = sorted(range(len(failures)), key=lambda index: failures[index].rank)
    for letters in _REPLY_LETTERS:
        packer = FailurePacker(letters)
        fitting = []
        for index in order:
            if not packer.add(failures[index], room, json_for_script):
                break
            fitting.append(index)
        cut = order[len(fitting) :]
        if not cut or failures[cut[0]].rank >= _ENOUGH:
            break
    place = {index: number for number, index in enumerate(fitting)}
    packer.failures = [packer.failures[place[index]] for index in sorted(fitting)]
    if letters != _REPLY_LETTERS[0]:
        notes.append(f"Replies are cut after {letters:,} characters to keep the file small.")
    return [failures[index] for index in sorted(fitting)], packer


def _count_shown(data: ReportData, kept: Iterable[Failure]) -> list[ShownFailures]:
    shown = Counter(
        (failure.suite, failure.test, reply.model)
        for failure in kept
        for reply in failure.replies
        if reply.failure_types
    )
    return [
        ShownFailures(one.suite, one.test, one.model, one.failed, shown[one.suite, one.test, one.model])
        for one in data.failure_counts
    ]


def _images_in_use(failures: Iterable[Failure]) -> list[int]:
    """The images of pairs, those of the lowest ranks first."""
    ordered = sorted(failures, key=lambda failure: failure.rank)
    sides = (side for failure in ordered for side in (failure.original, failure.variant))
    return list(dict.fromkeys(side.image for side in sides if side.image is not None))


def _fitting_images(
    images: list[FailureImage], wanted: list[int], room: int, progress: Callable[[], None]
) -> tuple[dict[int, str], dict[str, int], int]:
    side, quality = _size_for(images, wanted, int(room * (1 - _SPARE)))
    uris: dict[int, str] = {}
    problems: dict[str, int] = {}
    left_out = 0
    for index in wanted:
        made = thumbnail(images[index].path, side=side, quality=quality, sha256=images[index].sha256)
        progress()
        if made.data is None:
            if made.problem is not None:
                problems[made.problem] = problems.get(made.problem, 0) + 1
            continue
        uri = data_uri(made.data)
        if len(uri) + 3 > room:
            left_out += 1
            continue
        room -= len(uri) + 3
        uris[index] = uri
    return uris, problems, left_out


def _size_for(images: list[FailureImage], wanted: Sequence[int], room: int) -> tuple[int, int]:
    """The best size and quality at which a sample of the images, scaled up, fits the room."""
    step = max(len(wanted) // _SAMPLE, 1)
    sample = [images[index].path for index in wanted[::step]]
    for side, quality in (*_LARGE, *_SIZES):
        most = min(room, _LARGE_BYTES) if (side, quality) in _LARGE else room
        made: list[Thumbnail] = [thumbnail(path, side=side, quality=quality) for path in sample]
        sizes = [len(data_uri(each.data)) + 3 for each in made if each.data is not None]
        if not sizes or sum(sizes) / len(sample) * len(wanted) <= most * 0.97:
            break
    return side, quality
