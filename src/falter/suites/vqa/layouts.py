"""Result files as VQA's evaluation server takes them: a list of ``question_id`` and ``answer``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falter.errors import UsageError
from falter.models.predictions.rows import REPLIES

__all__ = ["LAYOUTS", "read_result"]


def read_result(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The answer as it is: the server reads nothing out of it."""
    number, answer = row.get("question_id"), row.get("answer")
    # Beside another column of replies, the answer may be the gold.
    if number is None or "answer" not in row or not row.keys().isdisjoint(REPLIES):
        return None
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = f"{answer:g}"
    if isinstance(number, bool) or not isinstance(number, int | str) or not isinstance(answer, str):
        raise UsageError(f"a result has a question_id and an answer that is text, not {number!r:.50}, {answer!r:.50}")
    return str(number), {"answer": answer, "text": answer}


LAYOUTS = (read_result,)
