"""Answers: how two are compared, and how one is read out of what a model wrote."""

from falter.answers.normalise import ANSWERS_VERSION, normalise, normalise_vqa
from falter.answers.parse import Parsed, parse_answer

__all__ = ["ANSWERS_VERSION", "Parsed", "normalise", "normalise_vqa", "parse_answer"]
