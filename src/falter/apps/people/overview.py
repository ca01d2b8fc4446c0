"""What the person in charge sees: progress, agreement, time, who fails controls, and what people disagree on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import msgspec
import numpy as np

from falter.apps.people.store import QUALIFICATION, AnswerStore
from falter.apps.people.study import Study
from falter.data.agreement import CategoryCounts, krippendorff_alpha

CONTROL_SHARE = 0.7
"""Who gets fewer of five or more controls right is flagged."""
_FEWEST_CONTROLS = 5
_MOST_DISAGREEMENTS = 40


class AnnotatorRow(msgspec.Struct, kw_only=True):
    """How someone is doing."""

    name: str
    answers: int = 0
    tasks: int = 0
    controls: int = 0
    controls_right: int = 0
    seconds: float | None = None
    """The median time of an answer."""
    agreement: float | None = None
    """The share of others who gave the same answer, over the questions that others answered too."""
    commonest: str = ""
    """The answer given most often, and its share; what always gives one answer is not looking."""
    commonest_share: float = 0.0
    qualified: bool = False
    revoked: bool = False
    excluded: bool = False
    fails_controls: bool = False


class Disagreement(msgspec.Struct, frozen=True, kw_only=True):
    """A question on which people differ, with how often each answer was given."""

    question_id: str
    text: str
    second: str | None
    image: str | None
    test: str
    expected: str | None
    votes: dict[str, int]


class Overview(msgspec.Struct, kw_only=True):
    """The state of a study."""

    title: str
    suite: str
    answers: int
    """Answers that count towards the goal."""
    goal: int
    tasks_done: int
    tasks_open: int
    tasks_goal: int
    complete_questions: int
    questions: int
    alpha: float | None = None
    alpha_low: float | None = None
    alpha_high: float | None = None
    unanimous: float | None = None
    """The share of questions with two or more answers on which all agree."""
    seconds: float | None = None
    controls_right: float | None = None
    annotators: list[AnnotatorRow] = []
    disagreements: list[Disagreement] = []
    events: list[tuple[float, str, str, str]] = []


def make_overview(study: Study, store: AnswerStore) -> Overview:
    """Count everything in one pass over the answers; those of excluded people count for their own rows alone."""
    rows = {
        one.name: AnnotatorRow(name=one.name, qualified=one.qualified, revoked=one.revoked, excluded=one.excluded)
        for one in store.annotators()
    }
    with store.reader() as connection:
        given = connection.execute(
            "SELECT question_id, annotator, answer FROM answers INDEXED BY answers_by_question "
            "WHERE task_id NOT LIKE ? AND annotator IN (SELECT name FROM annotators)",
            (f"{QUALIFICATION}%",),
        ).fetchall()
        times = _median_seconds(connection)
        claims = connection.execute(
            "SELECT annotator, state, COUNT(*) FROM claims WHERE task_id NOT LIKE ? GROUP BY annotator, state",
            (f"{QUALIFICATION}%",),
        ).fetchall()
    votes = _count(study, given, rows)
    done = {name: number for name, state, number in claims if state == "done"}
    for name, row in rows.items():
        row.tasks = done.get(name, 0)
        row.seconds = times.get(name)
        row.fails_controls = row.controls >= _FEWEST_CONTROLS and row.controls_right < CONTROL_SHARE * row.controls
    counting = {name for name, row in rows.items() if not row.excluded}
    per_item = study.manifest.per_item
    totals = votes.counts.sum(1)
    overview = Overview(
        title=study.form.title,
        suite=study.manifest.suite,
        answers=int(np.minimum(totals, per_item).sum()),
        goal=per_item * len(study.judged),
        tasks_done=sum(number for name, number in done.items() if name in counting),
        tasks_open=sum(number for name, state, number in claims if state == "open" and name in counting),
        tasks_goal=per_item * len(study.tasks),
        complete_questions=int((totals >= per_item).sum()),
        questions=len(study.judged),
        annotators=sorted(rows.values(), key=lambda row: (-row.answers, row.name)),
        events=store.events(30),
    )
    _add_agreement(overview, votes)
    overview.disagreements = _disagreements(study, votes)
    known = [(row.controls, row.controls_right) for row in rows.values() if not row.excluded]
    if sum(all_ for all_, _ in known):
        overview.controls_right = sum(right for _, right in known) / sum(all_ for all_, _ in known)
    spent = [times[name] for name in counting if name in times]
    overview.seconds = float(np.median(spent)) if spent else None
    return overview


def _count(study: Study, given: Sequence[tuple[str, str, str]], rows: dict[str, AnnotatorRow]) -> CategoryCounts:
    """Votes by question and answer, without those of excluded people; what each person said is added to their row."""
    questions = {name: index for index, name in enumerate(study.judged)}
    people = {name: index for index, name in enumerate(rows)}
    answers: dict[str, int] = {}
    asked = np.array([questions.get(one, -1) for one, _, _ in given], dtype=np.int64)
    who = np.array([people[one] for _, one, _ in given], dtype=np.int64)
    said = np.array([answers.setdefault(one, len(answers)) for _, _, one in given], dtype=np.int64)
    width = max(len(answers), 1)
    judged = asked >= 0
    out = np.array([row.excluded for row in rows.values()], dtype=bool)
    counting = judged & ~out[who]
    cells = np.bincount(asked[counting] * width + said[counting], minlength=len(questions) * width)
    counts = cells.reshape(len(questions), width).astype(np.float64)
    own = counting[judged].astype(np.float64)
    others = counts.sum(1)[asked[judged]] - own
    same = (counts[asked[judged], said[judged]] - own) / np.maximum(others, 1)
    shared = np.bincount(who[judged], weights=same * (others > 0), minlength=len(people))
    compared = np.bincount(who[judged], weights=others > 0, minlength=len(people))
    spoken = np.bincount(who[judged] * width + said[judged], minlength=len(people) * width).reshape(-1, width)
    names = list(answers)
    for (name, row), words in zip(rows.items(), spoken, strict=True):
        index = people[name]
        row.answers = int(words.sum())
        if row.answers:
            best = min(range(width), key=lambda one: (-words[one], names[one]))
            row.commonest, row.commonest_share = names[best], float(words[best] / row.answers)
        if compared[index]:
            row.agreement = float(shared[index] / compared[index])
    for position in np.flatnonzero(~judged):
        question_id, name, answer = given[int(position)]
        question = study.questions.get(question_id)
        if question is not None and question.control:
            rows[name].controls += 1
            rows[name].controls_right += answer == question.expected_as_shown
    return CategoryCounts(list(questions), names, counts)


def _median_seconds(connection: sqlite3.Connection) -> dict[str, float]:
    """By person, to a tenth of a second: counting in the database is faster than reading every time."""
    rows = connection.execute(
        "SELECT annotator, CAST(10 * seconds + 0.5 AS INTEGER), COUNT(*) FROM answers GROUP BY 1, 2 ORDER BY 1, 2"
    ).fetchall()
    found = {}
    for name, group in groupby(rows, key=itemgetter(0)):
        tenths, numbers = zip(*((value, number) for _, value, number in group), strict=True)
        middle = np.searchsorted(np.cumsum(numbers), sum(numbers) / 2)
        found[name] = tenths[int(middle)] / 10
    return found


def _add_agreement(overview: Overview, votes: CategoryCounts) -> None:
    table = votes.counts[votes.counts.sum(1) > 1]
    if not len(table):
        return
    overview.unanimous = float(np.mean((table > 0).sum(1) == 1))
    alpha = krippendorff_alpha(table)
    if alpha is not None:
        overview.alpha, overview.alpha_low, overview.alpha_high = alpha.value, alpha.low, alpha.high


def _disagreements(study: Study, votes: CategoryCounts) -> list[Disagreement]:
    """The most divided first: those whose commonest answer has the smallest share."""
    split = np.flatnonzero((votes.counts > 0).sum(1) > 1)
    totals = votes.counts[split].sum(1)
    shares = votes.counts[split].max(1) / totals
    shown = []
    for row in split[np.lexsort((split, -totals, shares))][:_MOST_DISAGREEMENTS]:
        question = study.questions[votes.items[row]]
        found = {name: int(number) for name, number in zip(votes.categories, votes.counts[row], strict=True) if number}
        shown.append(
            Disagreement(
                question_id=question.question_id,
                text=question.text,
                second=question.second,
                image=question.image,
                test=question.test,
                expected=question.expected_as_shown,
                votes=dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))),
            )
        )
    return shown
