"""What suites are made with: generators, importers, building a question, balancing answers.

The names here are resolved on first use, so that a bundle's options load nothing heavy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from falter.core.lazy import lazy_names

if TYPE_CHECKING:
    from falter.generation.authoring.generator import GenerateContext, SuiteGenerator
    from falter.generation.authoring.importer import ImportContext, Importer, ImportLog
    from falter.generation.authoring.options import GenerateOptions, ImageOptions, WordOptions
    from falter.generation.authoring.question_builder import AnswerBalancer, GroundedQuestion, QuestionBuilder

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

__getattr__ = lazy_names(
    __name__,
    {
        "AnswerBalancer": "falter.generation.authoring.question_builder",
        "GenerateContext": "falter.generation.authoring.generator",
        "GenerateOptions": "falter.generation.authoring.options",
        "GroundedQuestion": "falter.generation.authoring.question_builder",
        "ImageOptions": "falter.generation.authoring.options",
        "ImportContext": "falter.generation.authoring.importer",
        "ImportLog": "falter.generation.authoring.importer",
        "Importer": "falter.generation.authoring.importer",
        "QuestionBuilder": "falter.generation.authoring.question_builder",
        "SuiteGenerator": "falter.generation.authoring.generator",
        "WordOptions": "falter.generation.authoring.options",
    },
)
