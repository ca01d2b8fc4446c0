"""From tables of items and replies to one frame of outcomes."""

from falter.measures.outcomes.frame import EXPECTS, FACET, PREFERENCES, TASKS, OutcomeRows, Outcomes, outcomes
from falter.measures.outcomes.grading import (
    EXCLUDED,
    OUTCOMES,
    VQA_RULES,
    Outcome,
    VqaRule,
    answer_vocabulary,
    vqa_credit,
)
from falter.measures.outcomes.open_questions import OpenReplies, judge_open_questions, judge_open_replies
from falter.measures.outcomes.reading import (
    SUBSETS,
    Subset,
    choose_subset,
    facet_names,
    find_open_questions,
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
    "SUBSETS",
    "TASKS",
    "VQA_RULES",
    "OpenReplies",
    "Outcome",
    "OutcomeRows",
    "Outcomes",
    "Subset",
    "VqaRule",
    "answer_vocabulary",
    "choose_subset",
    "facet_names",
    "find_open_questions",
    "has_matching",
    "judge_open_questions",
    "judge_open_replies",
    "outcomes",
    "read_items",
    "read_replies",
    "replies_from_frame",
    "subset_signature",
    "suites_in",
    "tasks_in",
    "vqa_credit",
]
