"""Open answers: replies to questions without choices, judged by exact comparison and as a careful person would."""

from typing import TYPE_CHECKING

from falter.core.lazy import lazy_names

if TYPE_CHECKING:
    from falter.evaluation.answers.open_answers.judging import is_careful_match, is_exact_match
    from falter.evaluation.answers.open_answers.reply_claims import Oddity, find_oddity, given_answer

__all__ = ["Oddity", "find_oddity", "given_answer", "is_careful_match", "is_exact_match"]

_FOLDER = "falter.evaluation.answers.open_answers"
__getattr__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(("Oddity", "find_oddity", "given_answer"), f"{_FOLDER}.reply_claims"),
        **dict.fromkeys(("is_careful_match", "is_exact_match"), f"{_FOLDER}.judging"),
    },
)
