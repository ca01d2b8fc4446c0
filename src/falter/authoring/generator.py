"""What makes a suite, and what it is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from falter.english import Grammar
from falter.probes import Probe, SuiteManifest
from falter.probes.suite_writer import ImageMode
from falter.registry import Registry
from falter.sources import Source

__all__ = ["SUITES", "Order", "Stage", "SuiteMaker"]

Stage = Callable[[str, int | None], Callable[[int], None]]
"""Begins a stage of the work, by its name and how much of it there is, and gives what is told how much more is done."""


def _untold(_name: str, _total: int | None) -> Callable[[int], None]:
    return lambda _: None


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a user wants made: which tests, how many pairs of each, from which seed.

    ``studio`` is where a maker puts the pictures that it makes itself; without one it makes none. With ``wordnet``,
    names that the ontology lacks are placed in it by WordNet where that knows them. ``settings`` are the options that
    only this suite has (:mod:`falter.authoring.options`). While a suite is written, ``folder`` is where, and
    ``manifest`` may be added to: sources besides the first, parameters, counts. ``stage`` is told of work before
    the first probe.
    """

    tests: tuple[str, ...] = ()
    size: int | Literal["paper"] | None = None
    seed: int = 0
    workers: int = 1
    images: ImageMode = "copy"
    extend: tuple[Path, ...] = ()
    mean_colour: tuple[int, int, int] | None = None
    studio: Path | None = None
    wordnet: bool = False
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    folder: Path | None = None
    manifest: SuiteManifest | None = None
    stage: Stage = _untold


class SuiteMaker(Protocol):
    """A way to make probes from a source."""

    name: str
    title: str
    citation: str

    def tests(self) -> Sequence[str]:
        """The names of the tests it can make."""
        ...

    def probes(self, source: Source, order: Order, grammar: Grammar, refused: Counter[str]) -> Iterator[Probe]:
        """Make the probes, in an order that depends on nothing but the source and the order.

        ``image`` holds the picture's path as the source gives it; whoever writes the suite brings the picture in.
        What had to be refused is counted by its reason.
        """
        ...


SUITES: Registry[SuiteMaker] = Registry(
    "suite",
    "falter.suites",
    {
        "basic-questions": "falter.suites.basic_questions.generator:BASIC_QUESTIONS",
        "carets": "falter.suites.carets.generator:CARETS",
    },
)
