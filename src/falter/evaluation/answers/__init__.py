"""Answers: how two are compared, and how one is read out of what a model wrote."""

from falter.data.normalize import ANSWERS_VERSION, normalize, normalize_vqa
from falter.evaluation.answers.parsing import READER_VERSION, Parsed, parse_answer
from falter.evaluation.answers.reply_reading import YES_NO, ReadReply, is_read_from_text, read_gold, read_reply

__all__ = [
    "ANSWERS_VERSION",
    "READER_VERSION",
    "YES_NO",
    "Parsed",
    "ReadReply",
    "is_read_from_text",
    "normalize",
    "normalize_vqa",
    "parse_answer",
    "read_gold",
    "read_reply",
]
