"""Readers of data sets in their own published formats."""

from falter.sources.protocol import (
    HasCategories,
    HasQuestions,
    HasScenes,
    Question,
    Source,
    require_questions,
    require_scenes,
)
from falter.sources.spec import SOURCES, open_source, parse_spec

__all__ = [
    "SOURCES",
    "HasCategories",
    "HasQuestions",
    "HasScenes",
    "Question",
    "Source",
    "open_source",
    "parse_spec",
    "require_questions",
    "require_scenes",
]
