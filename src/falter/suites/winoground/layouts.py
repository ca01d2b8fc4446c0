"""Scores on Winoground as its authors release them: ``label``, such as ``0_c0_i0``, and ``score``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from falter.errors import UsageError

__all__ = ["LAYOUTS", "read_score"]

_LABEL = re.compile(r"\d+_c[01]_i[01]")


def read_score(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The score of a caption with an image."""
    label = row.get("label")
    if label is None or "score" not in row:
        return None
    if not isinstance(label, str) or not _LABEL.fullmatch(label):
        raise UsageError(f"a label names example, caption and image as 0_c0_i1 does, not {label!r:.50}")
    return label, {"score": row["score"], "score_kind": row.get("score_kind")}


LAYOUTS = (read_score,)
