"""Open answers: replies to questions without choices, judged by exact comparison and as a careful person would."""

from falter.evaluation.answers.open_answers.given_answer import Oddity, find_oddity, given_answer
from falter.evaluation.answers.open_answers.judging import CAREFUL_VERSION, is_careful_match, is_exact_match

__all__ = ["CAREFUL_VERSION", "Oddity", "find_oddity", "given_answer", "is_careful_match", "is_exact_match"]
