"""Answers: how two are compared, and how one is read out of what a model wrote."""

from falter.answers.cut_off import ReadText, read_text
from falter.answers.normalize import ANSWERS_VERSION, normalize, normalize_vqa
from falter.answers.parse import READER_VERSION, Parsed, parse_answer

__all__ = [
    "ANSWERS_VERSION",
    "READER_VERSION",
    "Parsed",
    "ReadText",
    "normalize",
    "normalize_vqa",
    "parse_answer",
    "read_text",
]
