"""What the person in charge sees: progress, agreement, time, who fails controls, and what people disagree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

import msgspec
import numpy as np

from falter.measures.statistics.agreement import krippendorff_alpha
from falter.people.store import QUALIFICATION, AnswerStore
from falter.people.study import Study

__all__ = ["AnnotatorRow", "Disagreement", "Overview", "make_overview"]

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
    """Count everything in one pass over the answers, in the order of questions; excluded annotators count apart."""
    people = {one.name: one for one in store.annotators()}
    rows = {
        name: AnnotatorRow(name=name, qualified=one.qualified, revoked=one.revoked, excluded=one.excluded)
        for name, one in people.items()
    }
    with store.reader() as connection:
        counted = connection.execute(
            "SELECT question_id, annotator, answer FROM answers INDEXED BY answers_by_question "
            "WHERE task_id NOT LIKE ? ORDER BY question_id",
            (f"{QUALIFICATION}%",),
        )
        votes = _count(study, counted, rows)
        times = _median_seconds(connection.execute("SELECT annotator, seconds FROM answers ORDER BY annotator"))
        claims = connection.execute(
            "SELECT annotator, state, COUNT(*) FROM claims WHERE task_id NOT LIKE ? GROUP BY annotator, state",
            (f"{QUALIFICATION}%",),
        ).fetchall()
    done = {name: number for name, state, number in claims if state == "done"}
    for name, row in rows.items():
        row.tasks = done.get(name, 0)
        row.seconds = times.get(name)
        row.fails_controls = row.controls >= _FEWEST_CONTROLS and row.controls_right < CONTROL_SHARE * row.controls
    counting = {name for name, row in rows.items() if not row.excluded}
    per_item = study.manifest.per_item
    overview = Overview(
        title=study.form.title,
        suite=study.manifest.suite,
        answers=sum(min(sum(found.values()), per_item) for found in votes.values()),
        goal=per_item * len(study.judged),
        tasks_done=sum(number for name, number in done.items() if name in counting),
        tasks_open=sum(number for name, state, number in claims if state == "open" and name in counting),
        tasks_goal=per_item * len(study.tasks),
        complete_questions=sum(sum(found.values()) >= per_item for found in votes.values()),
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


def _count(
    study: Study, answers: Iterable[tuple[str, str, str]], rows: dict[str, AnnotatorRow]
) -> dict[str, Counter[str]]:
    """Votes by question, without those of excluded people; what each person said is added to their row."""
    votes: dict[str, Counter[str]] = {}
    said: dict[str, Counter[str]] = {name: Counter() for name in rows}
    shared: dict[str, list[float]] = {name: [0.0, 0.0] for name in rows}
    for question_id, group in groupby(answers, key=itemgetter(0)):
        question = study.questions.get(question_id)
        if question is None:
            continue
        found = [(name, answer) for _, name, answer in group if name in rows]
        if question.control:
            expected = question.expected_as_shown
            for name, answer in found:
                rows[name].controls += 1
                rows[name].controls_right += answer == expected
            continue
        counted = Counter(answer for name, answer in found if not rows[name].excluded)
        votes[question_id] = counted
        total = sum(counted.values())
        for name, answer in found:
            said[name][answer] += 1
            own = not rows[name].excluded
            if total - own > 0:
                shared[name][0] += (counted[answer] - own) / (total - own)
                shared[name][1] += 1
    for name, row in rows.items():
        row.answers = sum(said[name].values())
        if row.answers:
            row.commonest, number = min(said[name].items(), key=lambda one: (-one[1], one[0]))
            row.commonest_share = number / row.answers
        if shared[name][1]:
            row.agreement = shared[name][0] / shared[name][1]
    return votes


def _median_seconds(rows: Iterable[tuple[str, float]]) -> dict[str, float]:
    return {
        name: float(np.median([seconds for _, seconds in group])) for name, group in groupby(rows, key=itemgetter(0))
    }


def _add_agreement(overview: Overview, votes: dict[str, Counter[str]]) -> None:
    judged = [found for found in votes.values() if sum(found.values()) > 1]
    if not judged:
        return
    names = sorted({answer for found in judged for answer in found})
    table = np.array([[found[name] for name in names] for found in judged])
    overview.unanimous = float(np.mean((table > 0).sum(1) == 1))
    alpha = krippendorff_alpha(table)
    if alpha is not None:
        overview.alpha, overview.alpha_low, overview.alpha_high = alpha.value, alpha.low, alpha.high


def _disagreements(study: Study, votes: dict[str, Counter[str]]) -> list[Disagreement]:
    """The most divided first: those whose commonest answer has the smallest share."""
    split = [
        (max(found.values()) / sum(found.values()), -sum(found.values()), question_id)
        for question_id, found in votes.items()
        if len(found) > 1
    ]
    shown = []
    for _, _, question_id in sorted(split)[:_MOST_DISAGREEMENTS]:
        question = study.questions[question_id]
        shown.append(
            Disagreement(
                question_id=question_id,
                text=question.text,
                second=question.second,
                image=question.image,
                test=question.test,
                expected=question.expected_as_shown,
                votes=dict(votes[question_id].most_common()),
            )
        )
    return shown
