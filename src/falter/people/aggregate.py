"""One answer from several people's: by majority, as the papers do, or by Dawid and Skene's model of annotators."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from falter.errors import UsageError
from falter.people.judgements import PersonJudgement, group_by_question, is_confirmed
from falter.people.study import StudyQuestion

__all__ = ["Aggregated", "Method", "aggregate", "share_right"]

Method = Literal["majority", "dawid-skene"]
_ITERATIONS = 100


class Aggregated(NamedTuple):
    """What people say together about a question."""

    question: StudyQuestion
    answer: str | None
    """None where no answer has a majority, which counts as wrong."""
    votes: Counter[str]

    @property
    def is_right(self) -> bool:
        """Whether it is the expected answer; no majority is wrong, and so is "ambiguous"."""
        return is_confirmed(self.question, self.answer)


def aggregate(judgements: Sequence[PersonJudgement], method: Method = "majority") -> dict[str, Aggregated]:
    """By question what people say together. A majority is more than half of the answers.

    Dawid-Skene weighs people by how often they err, by crowd-kit; it needs closed answers.
    """
    grouped = {
        question.question_id: (question, Counter(one.answer for one in found))
        for question, found in group_by_question(judgements)
    }
    if method == "dawid-skene":
        labels = _dawid_skene(judgements)
        return {name: Aggregated(one, labels[name], votes) for name, (one, votes) in grouped.items()}
    return {name: Aggregated(one, _majority(votes), votes) for name, (one, votes) in grouped.items()}


def share_right(found: Sequence[Aggregated]) -> float | None:
    """The share of questions on which people together are right."""
    judged = [one for one in found if one.question.expected is not None]
    return sum(one.is_right for one in judged) / len(judged) if judged else None


def _majority(votes: Counter[str]) -> str | None:
    answer, number = max(votes.items(), key=lambda one: (one[1], one[0]))
    return answer if 2 * number > votes.total() else None


def _dawid_skene(judgements: Sequence[PersonJudgement]) -> dict[str, str]:
    try:
        import pandas as pd
        from crowdkit.aggregation import DawidSkene
    except ImportError as error:
        raise UsageError("Dawid-Skene needs the package crowd-kit: pip install 'falter[people]'") from error
    rows = sorted((one.question.question_id, one.annotator, one.answer) for one in judgements)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # What pandas will no longer take one day is the library's affair.
        labels = DawidSkene(n_iter=_ITERATIONS).fit_predict(pd.DataFrame(rows, columns=["task", "worker", "label"]))
    return {str(name): str(label) for name, label in labels.items()}
