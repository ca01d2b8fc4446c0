"""The table of the pairs that one run failed; in a notebook with the images beside the questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import msgspec

from falter.core.errors import UsageError
from falter.core.tables import Block, Column, Grid, ResultTable
from falter.core.untrusted_text import escape_invisible
from falter.data.thumbnails import data_uri, thumbnail
from falter.evaluation.runs.failure_records import FAILURE_TYPES, Failure, FailureImage, PairSide, SideReply
from falter.evaluation.runs.failures import FailedPairs, ModelRun, budget_rank, load_failures
from falter.evaluation.runs.scoring import outcomes_of_run
from falter.evaluation.runs.store import Run
from falter.evaluation.runs.table_cells import text_cells
from falter.evaluation.score_options import PLAIN, ScoreOptions

_SHOWN = 20
"""Rows that are printed and shown: chosen by hand, some screens of them."""
_LETTERS = 300
"""Longer texts are cut where they are shown: chosen by hand, some lines of a cell."""
_SIDE, _QUALITY = 160, 70
"""Size of the images: 40 of them take about 0.3 MB in a notebook's file."""


class FailedPair(msgspec.Struct, frozen=True, kw_only=True):
    """A pair that a run failed, or a question by itself, which has no variant: a row of :class:`FailureTable`."""

    suite: str
    test: str
    probe_id: str
    variant: int
    failure: str
    """How it failed, as the report says it."""
    question: str
    gold: str | None
    reply: str | None
    outcome: str
    image: str | None
    variant_question: str | None = None
    variant_gold: str | None = None
    variant_reply: str | None = None
    variant_outcome: str | None = None
    variant_image: str | None = None

    def sides(self) -> Iterator[tuple[str, str | None, str | None, str, str | None]]:
        """Question, gold, reply, outcome and image of the original and, where there is one, of the variant."""
        yield self.question, self.gold, self.reply, self.outcome, self.image
        if self.variant_question is not None:
            outcome = self.variant_outcome or ""
            yield self.variant_question, self.variant_gold, self.variant_reply, outcome, self.variant_image


class FailureTable(ResultTable[FailedPair]):
    """The pairs that a run failed: the first of every test first, with how many it failed in all."""

    noun = "failed pairs"

    def __init__(
        self, rows: Iterable[FailedPair], *, failed: int | None = None, sha256s: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(rows)
        self.failed = len(self.rows) if failed is None else failed
        """How many there are, of which the rows may be the first."""
        self._sha256s = sha256s or {}

    def replace_rows(self, rows: Sequence[FailedPair]) -> FailureTable:
        return FailureTable(rows, sha256s=self._sha256s)

    def blocks(self) -> Iterable[Block]:
        if not self.rows:
            yield "no failed pairs"
            return
        lines = [(row, side, number) for row in self.rows[:_SHOWN] for number, side in enumerate(row.sides())]
        firsts = [not number for _, _, number in lines]
        keys = [
            Column(name, text_cells(text if first else "" for text, first in zip(texts, firsts, strict=True)), wrap=24)
            for name, texts in {
                "test": [row.test for row, *_ in lines],
                "probe": [row.probe_id for row, *_ in lines],
                "failure": [row.failure for row, *_ in lines],
            }.items()
        ]
        values = [
            Column(name, text_cells(_cut(side[place]) for _, side, _ in lines), wrap=40)
            for place, name in enumerate(("question", "gold", "reply", "outcome"))
        ]
        yield Grid((), [*keys, *values], frozenset(index for index, first in enumerate(firsts) if first))
        yield self._count()

    def _count(self) -> str:
        shown = min(len(self.rows), _SHOWN)
        more = self.failed - shown
        return f"{shown:,} of {self.failed:,} failed pairs; {more:,} more" if more else f"{shown:,} failed pairs"

    def _repr_html_(self) -> str:
        if not self.rows:
            return "<p>no failed pairs</p>"
        names = ("test", "failure", "image", "question", "gold", "reply", "outcome")
        head = "".join(f'<th style="text-align: left">{name}</th>' for name in names)
        body = "\n".join(self._html_row(row) for row in self.rows[:_SHOWN])
        table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        return f"{table}\n<p>{escape(self._count())}</p>"

    def _html_row(self, row: FailedPair) -> str:
        sides = list(row.sides())
        lines = []
        for number, (question, gold, reply, outcome, image) in enumerate(sides):
            cells = []
            if not number:
                cells += [_html_cell(text, len(sides)) for text in (row.test, row.failure)]
            if not number or image != row.image:
                same = not number and all(side[-1] == image for side in sides)
                cells.append(_html(self._html_image(image), len(sides) if same else 1))
            cells += [_html_cell(text) for text in (question, gold, reply, outcome)]
            lines.append(f"<tr>{''.join(cells)}</tr>")
        return "\n".join(lines)

    def _html_image(self, image: str | None) -> str:
        if image is None:
            return ""
        made = thumbnail(Path(image), side=_SIDE, quality=_QUALITY, sha256=self._sha256s.get(image))
        if made.data is None:
            return f"image {made.problem}"
        return f'<img src="{data_uri(made.data)}" alt="">'


def _html_cell(text: str | None, rows: int = 1) -> str:
    return _html(escape(escape_invisible(_cut(text))), rows)


def _html(content: str, rows: int) -> str:
    span = f' rowspan="{rows}"' if rows > 1 else ""
    return f'<td{span} style="text-align: left; vertical-align: top">{content}</td>'


def _cut(text: str | None) -> str:
    shown = text or ""
    return shown if len(shown) <= _LETTERS else f"{shown[:_LETTERS]}…"


def failures_of_run(run: Run, options: ScoreOptions = PLAIN, *, limit: int = 1000) -> FailureTable:
    """The pairs that the report shows as failed, and those with a reply that failed; as many of every test."""
    if limit < 1:
        raise UsageError(f"limit is {limit}; give 1 or more")
    outcomes = outcomes_of_run(run, options, facets=[])
    failed = FailedPairs()
    failed.add(0, outcomes, unanswered=True)
    images: list[FailureImage] = []
    sample = failed.sample(budget_rank([failed.ranks], limit, limit))
    failures = load_failures(run.suite(), [ModelRun(run, 0)], sample, images, options)
    rows = [_row(failure, images) for failure in sorted(failures, key=lambda failure: failure.rank)]
    sha256s = {str(image.path): image.sha256 for image in images if image.sha256 is not None}
    return FailureTable(rows[:limit], failed=len(failed.ranks), sha256s=sha256s)


def _row(failure: Failure, images: Sequence[FailureImage]) -> FailedPair:
    (reply,) = failure.replies
    statuses = (reply.original.status, reply.variant.status)
    kinds = [FAILURE_TYPES[kind] for kind in reply.failure_types]
    kinds = kinds or [status for status in ("failed", "unsupported") if status in statuses]
    if not failure.variant_number:
        kinds = [_outcome(reply.original)]
    original = failure.original
    row = FailedPair(
        suite=failure.suite,
        test=failure.test,
        probe_id=failure.probe_id,
        variant=failure.variant_number,
        failure=", ".join(kinds),
        question=original.text,
        gold=original.gold,
        reply=_text(reply.original),
        outcome=_outcome(reply.original),
        image=_path(original, images),
    )
    if not failure.variant_number:
        return row
    variant = failure.variant
    return msgspec.structs.replace(
        row,
        variant_question=variant.text,
        variant_gold=variant.gold,
        variant_reply=_text(reply.variant),
        variant_outcome=_outcome(reply.variant),
        variant_image=_path(variant, images),
    )


def _path(side: PairSide, images: Sequence[FailureImage]) -> str | None:
    path = None if side.image is None else images[side.image].path
    return None if path is None else str(path)


def _text(reply: SideReply) -> str | None:
    return reply.error if reply.text is None else reply.text


def _outcome(reply: SideReply) -> str:
    if reply.status != "ok":
        return reply.status
    return "scored" if reply.correct is None else "correct" if reply.correct else "incorrect"
