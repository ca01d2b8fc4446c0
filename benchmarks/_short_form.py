"""The short form that every benchmark has: the same steps on little data, in seconds, to show that they run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

__all__ = ["DATA", "apart", "parse_options"]

DATA = Path(__file__).parents[1] / "../shared/data"
"""Published data beside the checkout, which some benchmarks measure on."""


def parse_options(parser: argparse.ArgumentParser, given: Sequence[str] | None, **short: object) -> argparse.Namespace:
    """The options of a benchmark; with ``--short``, those that are not given take the small values of ``short``."""
    parser.add_argument("--short", action="store_true", help="a form of seconds that shows that the benchmark runs")
    words = sys.argv[1:] if given is None else list(given)
    if "--short" in words:
        parser.set_defaults(**short)
    return parser.parse_args(words)


def apart(step: Callable[..., None], *arguments: Any, short: bool = False) -> None:
    """Run a step in a process of its own, so that its peak memory is its own; the short form saves the process."""
    if short:
        step(*arguments)
        return
    process = get_context("spawn").Process(target=step, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(process.exitcode)
