"""Result files as GQA's evaluation server takes them: a list of ``questionId`` and ``prediction``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falter.errors import UsageError

__all__ = ["LAYOUTS", "read_result"]


def read_result(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The prediction as it is: the server reads nothing out of it."""
    number, prediction = row.get("questionId"), row.get("prediction")
    if number is None or "prediction" not in row:
        return None
    if isinstance(number, bool) or not isinstance(number, int | str) or not isinstance(prediction, str):
        raise UsageError(f"a result has a questionId and a prediction, not {number!r:.50}, {prediction!r:.50}")
    return str(number), {"answer": prediction, "text": prediction}


LAYOUTS = (read_result,)
