"""Readers of data sets in their own published formats."""

from falter.data.images import Source
from falter.data.sources import SOURCES, open_source, parse_spec, spec_paths
from falter.generation.sources.protocol import (
    Dialogue,
    DialogueRound,
    FoiledCaption,
    HasCaptions,
    HasCategories,
    HasDialogues,
    HasFoils,
    HasProblems,
    HasQuestions,
    HasScenes,
    HasSituations,
    Question,
    Situation,
    capability_names,
    require,
    require_questions,
    require_scenes,
)

__all__ = [
    "SOURCES",
    "Dialogue",
    "DialogueRound",
    "FoiledCaption",
    "HasCaptions",
    "HasCategories",
    "HasDialogues",
    "HasFoils",
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
    "spec_paths",
]
