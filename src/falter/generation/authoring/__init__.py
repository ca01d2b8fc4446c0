"""What suites are made with: generators, importers, building a question, balancing answers.

The names here are resolved on first use, so that a bundle's options load nothing heavy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from falter.generation.authoring.balance import AnswerBalancer
    from falter.generation.authoring.generator import GenerateContext, GenerateOptions, SuiteGenerator
    from falter.generation.authoring.importer import ImportContext, Importer, ImportLog
    from falter.generation.authoring.options import ImageOptions, WordOptions
    from falter.generation.authoring.question_builder import GroundedQuestion, QuestionBuilder

__all__ = [
    "AnswerBalancer",
    "GenerateContext",
    "GenerateOptions",
    "GroundedQuestion",
    "ImageOptions",
    "ImportContext",
    "ImportLog",
    "Importer",
    "QuestionBuilder",
    "SuiteGenerator",
    "WordOptions",
]

_MODULES = {
    "AnswerBalancer": "balance",
    "GenerateContext": "generator",
    "GenerateOptions": "generator",
    "GroundedQuestion": "question_builder",
    "ImageOptions": "options",
    "ImportContext": "importer",
    "ImportLog": "importer",
    "Importer": "importer",
    "QuestionBuilder": "question_builder",
    "SuiteGenerator": "generator",
    "WordOptions": "options",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
