"""Readers of data sets in their own published formats."""

from falter.sources.protocol import HasQuestions, HasScenes, Question, Source, require_questions, require_scenes
from falter.sources.spec import SOURCES, open_source, parse_spec

__all__ = [
    "SOURCES",
    "HasQuestions",
    "HasScenes",
    "Question",
    "Source",
    "open_source",
    "parse_spec",
    "require_questions",
    "require_scenes",
]
