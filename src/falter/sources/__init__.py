"""Readers of data sets in their own published formats."""

from falter.sources.protocol import (
    Dialogue,
    DialogueRound,
    HasCaptions,
    HasCategories,
    HasDialogues,
    HasProblems,
    HasQuestions,
    HasScenes,
    HasSituations,
    Question,
    Situation,
    Source,
    capability_names,
    require,
    require_questions,
    require_scenes,
)
from falter.sources.spec import SOURCES, open_source, parse_spec

__all__ = [
    "SOURCES",
    "Dialogue",
    "DialogueRound",
    "HasCaptions",
    "HasCategories",
    "HasDialogues",
    "HasProblems",
    "HasQuestions",
    "HasScenes",
    "HasSituations",
    "Question",
    "Situation",
    "Source",
    "capability_names",
    "open_source",
    "parse_spec",
    "require",
    "require_questions",
    "require_scenes",
]
