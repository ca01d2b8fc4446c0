"""Answers: how two are compared, and how one is read out of what a model wrote."""

from typing import TYPE_CHECKING

from falter.core.lazy import lazy_names
from falter.data.normalize import ANSWERS_VERSION, normalize, normalize_vqa

if TYPE_CHECKING:
    from falter.evaluation.answers.parsing import Parsed, parse_answer
    from falter.evaluation.answers.reply_reading import ReadReply, is_read_from_text, read_gold, read_reply

__all__ = [
    "ANSWERS_VERSION",
    "CAREFUL_VERSION",
    "READER_VERSION",
    "Parsed",
    "ReadReply",
    "is_read_from_text",
    "normalize",
    "normalize_vqa",
    "parse_answer",
    "read_gold",
    "read_reply",
]

READER_VERSION = "3"
"""Changes whenever the same text would be read differently; part of signatures. A run that another version read is read
anew when it is scored."""

CAREFUL_VERSION = "careful-3"
"""Changes whenever the same reply to an open question would be judged differently; part of signatures."""

_FOLDER = "falter.evaluation.answers"
_READING = ("ReadReply", "is_read_from_text", "read_gold", "read_reply")
__getattr__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(("Parsed", "parse_answer"), f"{_FOLDER}.parsing"),
        **dict.fromkeys(_READING, f"{_FOLDER}.reply_reading"),
    },
)
