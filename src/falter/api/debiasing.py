"""Repairing a suite of captions and foils: pairs that text alone gives away are dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, SuiteLike, as_suite
from falter.core.tables import PIPE_WIDTH, Block, Column, Grid, ResultTable, format_count, wrap_lines
from falter.generation.inspection.debias import NOT_CHOSEN, DebiasedTest

if TYPE_CHECKING:
    from falter.data.blind_checks import BlindCheck
    from falter.generation.inspection.debias import PairSubset


class Debiasing(ResultTable[DebiasedTest]):
    """By test how many pairs stayed, and what scorers and judges reach before and after."""

    noun = "tests"

    def blocks(self) -> Iterator[Block]:
        """What ``falter debias`` prints."""
        from rich.text import Text

        def column(heading: str, cells: Sequence[str]) -> Column:
            return Column(heading, [Text(cell) for cell in cells], right=True)

        rows = self.rows
        dropped_by = list(dict.fromkeys(name for row in rows for name in row.scorers_before))
        judges = list(dict.fromkeys(name for row in rows for name in _reached(row.before)))
        yield "captions preferred without the image, in per cent: before and after"
        yield Grid(
            [Column("test", [Text(row.test) for row in rows])],
            [
                column("pairs", [f"{row.pairs:,}" for row in rows]),
                column("kept", [f"{row.kept:,} ({100 * row.share:.0f} %)" for row in rows]),
                *(column(f"chosen by\n{name}", [_scorer(row, name) for row in rows]) for name in dropped_by),
                *(column(f"judged by\n{name}", [_judge(row, name) for row in rows]) for name in judges),
                column("JS of words", [_divergence(row) for row in rows]),
                Column("above 60 %", [Text(_flag(row)) for row in rows]),
            ],
            most=PIPE_WIDTH,
        )
        exempt: dict[str, list[str]] = {}
        for row in rows:
            if row.exempt and row.exempt != NOT_CHOSEN:
                exempt.setdefault(row.exempt, []).append(row.test)
        for reason, tests in exempt.items():
            yield wrap_lines(
                f"left as {'it is' if len(tests) == 1 else 'they are'}: {', '.join(tests)} ({reason})", PIPE_WIDTH
            )
        not_taken = sum(row.not_taken for row in rows)
        if not_taken:
            pairs, are = format_count(not_taken, "further pairs"), "is" if not_taken == 1 else "are"
            yield f"{pairs} {are} not of the subset and {are} not in the new suite"


def debias(
    suite: SuiteLike,
    *,
    out: PathOrStr,
    scorers: Sequence[str] = ("common-sense",),
    judges: Sequence[str] = (),
    min_kept: float = 0.5,
    subset: PairSubset = "valid",
    tests: Sequence[str] = (),
    overwrite: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Debiasing:
    """Write a suite without the pairs of caption and foil that text alone gives away, and give what was dropped.

    Pairs are chosen by the words in which captions and foils differ, and by ``scorers``: ``common-sense``, or language
    models such as ``lm:smollm2``; ``()`` is the words alone. The result is judged by others: n-grams, length, common
    sense where it chose nothing, and further ``judges``.
    ``falter.load(out)`` opens the new suite.
    """
    from falter.generation.inspection.adversarial_filter import WORDS
    from falter.generation.inspection.debias import debias_suite
    from falter.generation.inspection.text_scorers import load_scorer

    chosen_by = [spec for spec in dict.fromkeys(scorers) if spec != WORDS]
    loaded = {spec: load_scorer(spec) for spec in dict.fromkeys((*chosen_by, *judges))}
    return Debiasing(
        debias_suite(
            as_suite(suite),
            Path(out),
            scorers=[loaded[spec] for spec in chosen_by],
            judges=[loaded[spec] for spec in dict.fromkeys(judges)],
            min_kept=min_kept,
            subset=subset,
            tests=tests,
            overwrite=overwrite,
            progress=progress or (lambda _: None),
        )
    )


def _reached(check: BlindCheck | None) -> dict[str, float]:
    """By judge the share of captions that it prefers."""
    if check is None:
        return {}
    reached = {"n-grams": check.accuracy}
    reached |= {name: one.accuracy for name, one in check.scorers.items()}
    if check.common_sense is not None:
        reached["common sense"] = check.common_sense.accuracy
    return reached


def _scorer(row: DebiasedTest, name: str) -> str:
    return _change(row.scorers_before.get(name), row.scorers_after.get(name))


def _judge(row: DebiasedTest, name: str) -> str:
    return _change(_reached(row.before).get(name), _reached(row.after).get(name))


def _change(before: float | None, after: float | None) -> str:
    return f"{_percent(before)} to {_percent(after)}" if before is not None or after is not None else "-"


def _divergence(row: DebiasedTest) -> str:
    both = (row.js_before, row.js_after)
    return "-" if None in both else " to ".join(f"{one:.3f}" for one in both)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _flag(row: DebiasedTest) -> str:
    if row.after is None:
        return "not judged"
    return f"yes, by {row.after.solved_by}" if row.after.flagged else "no"
