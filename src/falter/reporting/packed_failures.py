"""Failed pairs as the page's script reads them: every text once, replies as short lists of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, get_args

from falter.reporting.report_data import FAILURE_TYPES, Failure, PairSide, ReplyClass, SideReply
from falter.reporting.word_diff import Segment, word_diff
from falter.safe import escape_invisible

__all__ = ["FailurePacker"]

_STATUSES: tuple[str, ...] = get_args(ReplyClass)
_TYPES = tuple(FAILURE_TYPES)
_CORRECT = {None: -1, False: 0, True: 1}
_LONGEST_NAME = 200
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
        texts = [_cut(side.text, self._letters)[0] for side in (failure.original, failure.variant)]
        one, other = word_diff(escape_invisible(texts[0]), escape_invisible(texts[1]))
        packed = {
            "suite": escape_invisible(failure.suite, one_line=True),
            "test": escape_invisible(failure.test, one_line=True),
            "probe": _name(failure.probe_id),
            "number": failure.variant_number,
            "expects": failure.expects,
            "facets": [
                [escape_invisible(name, one_line=True), _name(value)] for name, value in sorted(failure.facets.items())
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
            packed["image_change"] = _name(failure.image_change)
        return packed

    def _side(self, side: PairSide, segments: Iterable[Segment]) -> dict[str, Any]:
        packed: dict[str, Any] = {"text": [[segment.text, int(segment.changed)] for segment in segments]}
        if len(side.text) > self._letters:
            packed["length"] = len(side.text)
        if side.gold is not None:
            packed["gold"] = _name(side.gold)
        if side.choices:
            packed["choices"] = [_name(choice) for choice in side.choices[:_MOST_CHOICES]]
        if side.context:
            packed["context"] = [
                [escape_invisible(who, one_line=True), escape_invisible(_cut(said, _LONGEST_TURN)[0])]
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
        text, full = (None, None) if shown is None else _cut(shown, self._letters)
        packed = [
            _STATUSES.index(reply.status),
            _CORRECT[reply.correct],
            -1 if text is None else self._number(escape_invisible(text)),
            -1 if reply.answer is None else self._number(_name(reply.answer)),
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


def _name(text: str) -> str:
    return escape_invisible(_cut(text, _LONGEST_NAME)[0], one_line=True)


def _cut(text: str, letters: int) -> tuple[str, int | None]:
    return (text, None) if len(text) <= letters else (text[:letters], len(text))
