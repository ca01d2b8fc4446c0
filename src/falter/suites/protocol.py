"""What makes a suite, and what it is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from falter.english import English
from falter.probes import Probe
from falter.probes.writing import Images
from falter.registry import Registry
from falter.sources import Source

__all__ = ["SUITES", "Order", "SuiteMaker"]


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a user wants made: which tests, how many pairs of each, from which seed.

    ``studio`` is where a maker puts the pictures that it makes itself; without one it makes none. With ``wordnet``,
    names that the ontology lacks are placed in it by WordNet where that knows them.
    """

    tests: tuple[str, ...] = ()
    size: int | Literal["paper"] | None = None
    seed: int = 0
    workers: int = 1
    images: Images = "copy"
    extend: tuple[Path, ...] = ()
    mean_colour: tuple[int, int, int] | None = None
    studio: Path | None = None
    wordnet: bool = False


class SuiteMaker(Protocol):
    """A way to make probes from a source."""

    name: str
    title: str
    citation: str

    def tests(self) -> Sequence[str]:
        """The names of the tests it can make."""
        ...

    def probes(self, source: Source, order: Order, english: English, refused: Counter[str]) -> Iterator[Probe]:
        """Make the probes, in an order that depends on nothing but the source and the order.

        ``image`` holds the picture's path as the source gives it; whoever writes the suite brings the picture in.
        What had to be refused is counted by its reason.
        """
        ...


SUITES: Registry[SuiteMaker] = Registry("suite", "falter.suites", {"carets": "falter.suites.carets:CARETS"})
