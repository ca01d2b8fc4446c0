"""What became of pairs and replies that are no answers: counts beside the measures, and notes on odd answers.

A note says that a run is mostly unparsed or off the list, or that it always says the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.tables import format_count
from falter.evaluation.measures.catalogue import summaries_for
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes import EXCLUDED, Outcome, OutcomeRows, Outcomes, find_open_questions
from falter.evaluation.measures.outcomes.coding import Bools
from falter.evaluation.measures.outcomes.expressions import (
    CROSSED,
    EVERYTHING,
    FOILS,
    INCLUDED,
    ONE,
    PAIRED,
    is_,
    o,
    v,
)
from falter.evaluation.measures.results import AnsweredPairs, Group, Score

if TYPE_CHECKING:
    from falter.evaluation.answers.open_answers import Oddity


def _holds(outcome: Outcome) -> pl.Expr:
    return is_(o, outcome) | is_(v, outcome)


def _count(
    name: str, description: str, counted: pl.Expr, *, shown: pl.Expr | None = None, better: bool | None = None
) -> Measure:
    return Measure(
        name=name,
        title=name,
        description=description,
        grain="pair",
        where=EVERYTHING,
        sums={"part": counted, "n": ONE},
        scale="count",
        shown="always" if shown is None else shown,
        higher_is_better=better,
    )


PAIRS = _count("pairs", "All pairs of the test, excluded ones included.", PAIRED & ~CROSSED)

QUESTIONS = _count(
    "questions",
    "All single questions of the test, those without variants; excluded ones included.",
    ~PAIRED,
    shown=~PAIRED,
)

TIES = _count(
    "ties",
    "Included pairs whose caption and foil score the same; acc_r does not count them.",
    FOILS & INCLUDED & (pl.col("preference") == "tied"),
    shown=FOILS,
)

UNPARSED = _count(
    "unparsed",
    "Included pairs in which a reply could not be read as an answer; it counts as incorrect.",
    INCLUDED & _holds("unparsed"),
    better=False,
)

TRUNCATED = _count(
    "truncated",
    "Included pairs in which a reply was cut off before it held an answer; it counts as incorrect.",
    INCLUDED & _holds("truncated"),
    shown=_holds("truncated"),
    better=False,
)

UNSUPPORTED = _count(
    "unsupported",
    "Pairs excluded because the model cannot be asked one of the questions.",
    _holds("unsupported"),
    better=False,
)

FAILED = _count(
    "failed",
    "Pairs excluded because one of the questions got no reply.",
    _holds("failed") & ~_holds("unsupported"),
    better=False,
)

MISSING = _count(
    "missing",
    "Pairs excluded because one of the questions has not been asked.",
    _holds("missing") & ~_holds("unsupported") & ~_holds("failed"),
    better=False,
)


def count_by_test(pairs: OutcomeRows) -> list[AnsweredPairs]:
    """How many pairs of each test were answered, from outcomes."""
    excluded = [(one.name, one.sums["part"] * pl.col("number")) for one in (FAILED, MISSING, UNSUPPORTED)]
    table = pairs.cells.with_columns(test_number=pl.Series(pairs.test), number=pl.Series(pairs.number))
    found = (
        table.group_by("test_number")
        .agg(pairs=pl.col("number").sum(), **{name: number.sum() for name, number in excluded})
        .sort("test_number")
    )
    return [
        AnsweredPairs(group=Group(*pairs.tests[row.pop("test_number")]), **row) for row in found.iter_rows(named=True)
    ]


def count_answered(scores: Iterable[Score]) -> list[AnsweredPairs]:
    """How many pairs of each test were answered, from the counts among the scores of a run; by facet where they are.

    A mean over tests has no counts of its own: it has those of the tests it is over.
    """
    scores = list(scores)
    names = {one.name for one in (PAIRS, FAILED, MISSING, UNSUPPORTED)}
    counts: dict[Group, dict[str, Score]] = {}
    for score in scores:
        of_group = counts.setdefault(score.group, {})
        if score.measure in names:
            of_group[score.measure] = score
    found = {group: _answered(group, [own]) for group, own in counts.items() if own}
    for group in counts.keys() - found.keys():
        own = [counts[test] for test in _tests_of(group, list(found))]
        if own:
            found[group] = _answered(group, own)
    return [found[group] for group in counts if group in found]


def _answered(group: Group, counts: Iterable[dict[str, Score]]) -> AnsweredPairs:
    total: Counter[str] = Counter()
    for own in counts:
        total["rows"] += max(one.n for one in own.values())
        total.update({name: int(one.value or 0) for name, one in own.items()})
    return AnsweredPairs(
        group=group,
        pairs=total["rows"],
        failed=total[FAILED.name],
        missing=total[MISSING.name],
        unsupported=total[UNSUPPORTED.name],
    )


def _tests_of(mean: Group, groups: Iterable[Group]) -> list[Group]:
    """The tests that a mean is over: with its facet's value where they are broken down by it, else whole."""
    summaries = {one.name: one for one in summaries_for([mean.suite])}
    named = summaries[mean.test].tests if mean.test in summaries else ()
    tests = [
        group
        for group in groups
        if group.suite == mean.suite and (group.test in named if named else group.test not in summaries)
    ]
    same = [group for group in tests if (group.facet, group.value) == (mean.facet, mean.value)]
    return same or [group for group in tests if group.facet is None]


_FEWEST = 20
"""Fewer replies than this say nothing about a habit."""

_MOST = 0.5
_ALIKE = 0.95
_ODD: dict[Oddity, str] = {
    "empty": "are empty",
    "no answer": "say that there is no answer (none, N/A)",
    "log text": "have text of a log in them, and are not read",
}
_SENSIBLE = 0.8
"""Answers that are all alike and correct more often than this are no habit: the questions are alike."""


def answer_notes(found: Outcomes) -> list[str]:
    """What is odd about the answers of a run, a sentence each; empty where nothing is.

    Failed, missing and unsupported replies are not counted. Answers that are all alike are noted where they are often
    wrong.
    """
    return [*_unclear_notes(found), *_alike_notes(found)]


def note_odd_replies(items: pa.Table, replies: pa.Table) -> Iterator[str]:
    """Odd replies to single open questions: empty, without an answer, or with text of a log in them."""
    asked = find_open_questions(items)
    if not asked.any():
        return
    ids = pc.cast(items["item_id"].filter(pa.array(asked)), pa.string()).combine_chunks()
    rows = np.flatnonzero(pc.is_in(pc.cast(replies["item_id"], pa.string()), value_set=ids).to_numpy())
    from falter.evaluation.answers.open_answers import find_oddity
    from falter.evaluation.measures.outcomes.open_questions import said_texts

    odd = Counter(find_oddity(text) for text in said_texts(replies, rows.tolist()) if text is not None)
    for oddity, what in _ODD.items():
        if odd[oddity]:
            yield f"{odd[oddity]:,} of {format_count(len(rows), 'replies')} to open questions {what}"


def _unclear_notes(found: Outcomes) -> Iterator[str]:
    """Mostly unparsed, or mostly off the list."""
    states = found.states.with_columns(rows=np.bincount(found.codes("state"), minlength=len(found.states)))
    states = states.filter(~pl.col("outcome").is_in(EXCLUDED))
    cut = int(states.filter(pl.col("outcome") == "truncated")["rows"].sum())
    if cut:
        yield (
            f"{cut:,} of {format_count(int(states['rows'].sum()), 'replies')} were cut off before an answer: allow "
            "more tokens"
        )
    unread = pl.col("outcome").is_in(("unparsed", "truncated"))
    yield from _note_share(states, unread, "replies hold no answer that could be read", above=_MOST)
    listed = states.filter(pl.col("choices") > 0)
    yield from _note_share(listed, pl.col("outcome") == "off_list", "answers are not among the choices", above=_MOST)


def _note_share(states: pl.DataFrame, part: pl.Expr, what: str, *, above: float) -> Iterator[str]:
    n, having = int(states["rows"].sum()), int(states.filter(part)["rows"].sum())
    if n >= _FEWEST and having > above * n:
        yield f"{having:,} of {n:,} {what}"


def _alike_notes(found: Outcomes) -> Iterator[str]:
    """All alike, by kind of question."""
    states = found.states
    clear = ~states["outcome"].is_in((*EXCLUDED, "unparsed", "truncated", "rank_only")).to_numpy()
    matching = (found.frame["task"] == "match").to_numpy()
    choices, yes_no = states["choices"].to_numpy() > 0, states["yes_no"].to_numpy()
    for kind, columns in (
        (
            clear & yes_no,
            {"says_yes": "yes/no questions are answered yes", "says_no": "yes/no questions are answered no"},
        ),
        (clear & choices & ~yes_no, {"first": "answers name the first choice"}),
    ):
        rows = kind[found.codes("state")] & ~matching
        for column, what in columns.items():
            yield from _note_alike(found, rows, states[column].to_numpy()[found.codes("state")], what)
    rows = (clear & ~choices)[found.codes("state")] & ~matching
    if rows.any():
        answers = found.codes("answer")
        commonest = np.bincount(answers[rows]).argmax()
        yield from _note_alike(found, rows, answers == commonest, "answers to open questions are the same")
    if "rank" in found.frame.columns:
        ranks = found.frame["rank"].drop_nulls()
        if len(ranks) >= _FEWEST and ranks.n_unique() == 1:
            yield f"all {len(ranks):,} scores of texts and images are the same"


def _note_alike(found: Outcomes, rows: Bools, having: Bools, what: str) -> Iterator[str]:
    n, alike = int(rows.sum()), int((rows & having).sum())
    if n < _FEWEST or alike < _ALIKE * n:
        return
    correct = (found.states["outcome"] == "correct").to_numpy()[found.codes("state")]
    if (rows & correct).sum() <= _SENSIBLE * n:
        yield f"{alike:,} of {n:,} {what}"
