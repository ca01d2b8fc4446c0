"""From tables of items and replies to one frame of outcomes."""

from falter.evaluation.measures.outcomes.copies import Copies, count_copies, merge_copies
from falter.evaluation.measures.outcomes.frame import (
    EXPECTS,
    FACET,
    PREFERENCES,
    TASKS,
    OutcomeRows,
    Outcomes,
    outcomes,
)
from falter.evaluation.measures.outcomes.grading import EXCLUDED, OUTCOMES, Outcome, answer_vocabulary, vqa_credit
from falter.evaluation.measures.outcomes.reading import (
    accept_golds,
    choose_subset,
    facet_names,
    find_open_questions,
    has_human_answers,
    has_matching,
    read_items,
    read_replies,
    replies_from_frame,
    subset_signature,
    suites_in,
    tasks_in,
)

__all__ = [
    "EXCLUDED",
    "EXPECTS",
    "FACET",
    "OUTCOMES",
    "PREFERENCES",
    "TASKS",
    "Copies",
    "Outcome",
    "OutcomeRows",
    "Outcomes",
    "accept_golds",
    "answer_vocabulary",
    "choose_subset",
    "count_copies",
    "facet_names",
    "find_open_questions",
    "has_human_answers",
    "has_matching",
    "merge_copies",
    "outcomes",
    "read_items",
    "read_replies",
    "replies_from_frame",
    "subset_signature",
    "suites_in",
    "tasks_in",
    "vqa_credit",
]
