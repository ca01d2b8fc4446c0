"""What people said about the questions of a study, with sides resolved; controls apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from falter.answers import normalize
from falter.people.known_answer import resolve_side
from falter.people.store import AnswerRow
from falter.people.study import Study, StudyQuestion

__all__ = ["PersonJudgement", "group_by_question", "is_confirmed", "read_judgements"]


class PersonJudgement(NamedTuple):
    """One person's answer to one question. ``first`` and ``second`` are the caption and the foil again."""

    question: StudyQuestion
    annotator: str
    answer: str
    shown: str
    """The answer as the page worded it."""
    seconds: float | None

    @property
    def confirms(self) -> bool | None:
        """Whether it confirms the suite's label; None where nothing is expected."""
        return None if self.question.expected is None else is_confirmed(self.question, self.answer)


def is_confirmed(question: StudyQuestion, answer: str | None) -> bool:
    """Whether an answer is the expected one; typed answers are compared as models' answers are."""
    if answer is None or question.expected is None:
        return False
    return answer == question.expected or (not question.choices and normalize(answer) == normalize(question.expected))


def read_judgements(study: Study, rows: Iterable[AnswerRow], *, controls: bool = False) -> list[PersonJudgement]:
    """The judgements of the suite, or the answers to controls; a question that was answered twice counts once."""
    found: dict[tuple[str, str], PersonJudgement] = {}
    for row in rows:
        question = study.questions.get(row.question_id)
        if question is None or question.control != controls:
            continue
        key = (row.annotator, row.question_id if not controls else f"{row.task_id} {row.question_id}")
        resolved = resolve_side(row.answer, question.original_first)
        found.setdefault(key, PersonJudgement(question, row.annotator, resolved, row.answer, row.seconds))
    return list(found.values())


def group_by_question(judgements: Sequence[PersonJudgement]) -> Iterator[tuple[StudyQuestion, list[PersonJudgement]]]:
    """The judgements of each question, in the order of ids."""
    groups: dict[str, list[PersonJudgement]] = {}
    for one in judgements:
        groups.setdefault(one.question.question_id, []).append(one)
    for name in sorted(groups):
        yield groups[name][0].question, groups[name]
