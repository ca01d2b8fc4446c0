"""Logs of Inspect (``.eval``, or JSON) as rows of predictions, read by Inspect's own package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from falter.errors import InputError, UsageError
from falter.files import TableRow, read_start

__all__ = ["is_inspect_log", "model_of_log", "read_inspect_log"]

_HINT = "give the log of a task that falter export --to inspect wrote"
_START = 4096


def is_inspect_log(path: Path) -> bool:
    """Whether a file is a log of Inspect: by its ending, or as JSON by its first fields."""
    if path.suffix.lower() == ".eval":
        return True
    if path.suffix.lower() != ".json":
        return False
    return re.match(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:', read_start(path, _START)) is not None


def model_of_log(path: Path) -> str:
    """The name of the model that was asked, fit to stand in a model spec."""
    return str(re.sub(r"[#,=]+", "-", _read(path, header_only=True).eval.model))


def read_inspect_log(path: Path) -> Iterator[TableRow]:
    """A row a sample: its id and what the model said.

    Of several epochs the first counts; samples with an error have no row, and are counted as missing.
    """
    log = _read(path, header_only=False)
    for number, sample in enumerate(log.samples or (), start=1):
        if sample.epoch != 1 or sample.error is not None or not sample.output.choices:
            continue
        values = {
            "item_id": str(sample.id),
            "text": sample.output.completion,
            "finish_reason": "length" if sample.output.stop_reason == "max_tokens" else "stop",
        }
        yield TableRow(f"sample {number}", values)


def _read(path: Path, *, header_only: bool) -> Any:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as error:
        raise UsageError("reading a log of Inspect needs its package: pip install falter[inspect]") from error
    try:
        return read_eval_log(str(path), header_only=header_only)
    except Exception as error:
        problem = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise InputError(path, f"cannot be read as a log of Inspect: {problem}", hint=_HINT) from error
