"""The data of the report's section on failed pairs, with images and replies, reduced to fit the size of the file.

It is packed as the page's script reads it: every text once, replies as short lists of numbers. A link to failed pairs
within the report holds the filters of that script.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, get_args
from urllib.parse import urlencode

import msgspec

from falter.core.tables import format_count
from falter.core.untrusted_text import escape_invisible
from falter.data.thumbnails import Thumbnail, data_uri, thumbnail
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.word_diff import Segment, word_diff
from falter.evaluation.runs.failure_records import (
    FAILURE_TYPES,
    Failure,
    FailureImage,
    PairSide,
    ReplyClass,
    SideReply,
)

_STATUSES: tuple[str, ...] = get_args(ReplyClass)
_TYPES = tuple(FAILURE_TYPES)
_CORRECT = {None: -1, False: 0, True: 1}
_LONGEST_NAME = 200
"""Names in the page are cut after so many characters."""
_MOST_CHOICES = 40
_LONGEST_TURN = 400


class FailurePacker:
    """Packs failures one by one as long as they fit; replies that many models give are stored once."""

    def __init__(self, letters: int) -> None:
        self._letters = letters
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self._sizes = 0
        self.failures: list[dict[str, Any]] = []

    def shared(self) -> dict[str, Any]:
        """What packed replies refer to by number."""
        return {"letters": self._letters, "statuses": _STATUSES, "types": _TYPES, "texts": self._texts}

    def add(self, failure: Failure, room: int, encode: Callable[[Any], str]) -> bool:
        """Pack a failure; False, and nothing changes, where it takes more than is left of the room."""
        known = len(self._texts)
        packed = self._pack(failure)
        new = self._texts[known:]
        size = self._sizes + len(encode([packed, *new]).encode())
        if size > room:
            del self._texts[known:]
            for text in new:
                del self._numbers[text]
            return False
        self._sizes = size
        self.failures.append(packed)
        return True

    def _pack(self, failure: Failure) -> dict[str, Any]:
        texts = [_cut_text(side.text, self._letters)[0] for side in (failure.original, failure.variant)]
        one, other = word_diff(escape_invisible(texts[0]), escape_invisible(texts[1]))
        packed = {
            "suite": escape_invisible(failure.suite, one_line=True),
            "test": escape_invisible(failure.test, one_line=True),
            "probe": _shown_name(failure.probe_id),
            "number": failure.variant_number,
            "expects": failure.expects,
            "facets": [
                [escape_invisible(name, one_line=True), _shown_name(value)]
                for name, value in sorted(failure.facets.items())
            ],
            "sides": [self._side(failure.original, one), self._side(failure.variant, other)],
            "replies": [
                [
                    reply.model,
                    [_TYPES.index(each) for each in reply.failure_types],
                    self._reply(reply.original),
                    self._reply(reply.variant),
                ]
                for reply in failure.replies
            ],
        }
        if failure.image_change:
            packed["image_change"] = _shown_name(failure.image_change)
        return packed

    def _side(self, side: PairSide, segments: Iterable[Segment]) -> dict[str, Any]:
        packed: dict[str, Any] = {"text": [[segment.text, int(segment.changed)] for segment in segments]}
        if len(side.text) > self._letters:
            packed["length"] = len(side.text)
        if side.gold is not None:
            packed["gold"] = _shown_name(side.gold)
        if side.choices:
            packed["choices"] = [_shown_name(choice) for choice in side.choices[:_MOST_CHOICES]]
        if side.context:
            packed["context"] = [
                [escape_invisible(who, one_line=True), escape_invisible(_cut_text(said, _LONGEST_TURN)[0])]
                for who, said in side.context
            ]
        if side.image is not None:
            packed["image"] = side.image
        return packed

    def _reply(self, reply: SideReply) -> list[int]:
        """Status, correctness, text and answer as numbers of texts, and the length of a text that was cut.

        What is not there is -1, and left out at the end.
        """
        shown = reply.text if reply.text is not None else reply.error if reply.status == "failed" else None
        text, full = (None, None) if shown is None else _cut_text(shown, self._letters)
        packed = [
            _STATUSES.index(reply.status),
            _CORRECT[reply.correct],
            -1 if text is None else self._number(escape_invisible(text)),
            -1 if reply.answer is None else self._number(_shown_name(reply.answer)),
            -1 if full is None else full,
        ]
        while packed[-1] == -1 and len(packed) > 2:
            packed.pop()
        return packed

    def _number(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        return number


def _shown_name(text: str) -> str:
    return escape_invisible(_cut_text(text, _LONGEST_NAME)[0], one_line=True)


def _cut_text(text: str, letters: int) -> tuple[str, int | None]:
    return (text, None) if len(text) <= letters else (text[:letters], len(text))


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


def failure_link(
    *,
    suite: str = "",
    test: str = "",
    wrong: str = "",
    right: str = "",
    outcome: str = "",
    facet: str = "",
    value: str = "",
) -> str:
    """The failed pairs that these filters leave; models by name.

    >>> failure_link(test="negation", wrong="B", right="A")
    '#failures?test=negation&wrong=B&right=A'
    """
    given = {"suite": suite, "test": test, "wrong": wrong, "right": right, "outcome": outcome}
    given |= {"facet": facet, "value": value} if facet else {}
    shown = {
        name: escape_invisible(text[:_LONGEST_NAME] if name == "value" else text, one_line=True)
        for name, text in given.items()
        if text
    }
    return "#failures" + (f"?{urlencode(shown)}" if shown else "")
