"""The protocol of a generator, which a bundle implements to make probes, and its options and context.

:mod:`falter.authoring.generate` runs a generator and writes the suite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

import msgspec

from falter.authoring.options import uses_wordnet
from falter.errors import warn_user
from falter.images.files import SourceImages
from falter.parallel import Executor, Inline
from falter.probes import ImageRef, Probe, SuiteManifest
from falter.probes.suite_writer import ImageMode
from falter.progress import StageCallback, no_stages
from falter.sources import Source

if TYPE_CHECKING:
    from falter.english import Grammar

__all__ = ["GenerateContext", "GenerateOptions", "SuiteGenerator"]

T = TypeVar("T")

NO_IMAGE = "the picture is missing or not a picture"


class GenerateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a user wants generated: which tests, how many pairs of each, from which seed.

    ``suite_options`` is the bundle's own struct of options; None where it declares none.
    """

    tests: tuple[str, ...] = ()
    size: int | Literal["paper"] | None = None
    seed: int = 0
    images: ImageMode = "copy"
    suite_options: msgspec.Struct | None = None


@dataclass(kw_only=True)
class GenerateContext:
    """What a generator works with besides its source and its options.

    While a suite is written, ``out_dir`` is where, ``image_dir`` is where a generator puts images that it makes itself,
    and ``manifest`` may be added to: sources besides the first, parameters, counts. Without a folder a generator makes
    no images. ``start_stage`` is told of work before the first probe.
    """

    source: Source
    options: GenerateOptions
    rejected: Counter[str] = field(default_factory=Counter)
    """How many candidates were given up, by the reason."""
    executor: Executor = field(default_factory=Inline)
    plugin_dirs: tuple[Path, ...] = ()
    out_dir: Path | None = None
    image_dir: Path | None = None
    manifest: SuiteManifest | None = None
    held_out: Mapping[str, str] = field(default_factory=dict)
    """By image that no training question may be about the suite to evaluate on that has it."""
    start_stage: StageCallback = no_stages
    _images: SourceImages | None = field(default=None, init=False, repr=False)
    _grammar: Grammar | None = field(default=None, init=False, repr=False)

    def grammar(self) -> Grammar:
        """The grammar with the user's own words, loaded when it is first asked for."""
        if self._grammar is None:
            from falter.english import default_grammar

            if uses_wordnet(self.options.suite_options):
                self._add_words()
            self._grammar = default_grammar(*self.plugin_dirs)
        return self._grammar

    def tell(self, note: str) -> None:
        """Say what a user must know of what was made: in the manifest of a suite, else as a warning."""
        if self.manifest is None:
            warn_user(note)
        else:
            self.manifest.notes.append(note)

    def image(self, image_id: str) -> ImageRef | None:
        """The image of the source, or None where it is missing or damaged, which is counted in ``rejected``.

        A suite without images refers to it by its id all the same.
        """
        found = self.find_image(image_id)
        if found is None and self.options.images == "none":
            return ImageRef(image_id)
        if found is None:
            self.rejected[NO_IMAGE] += 1
        return found

    def find_image(self, image_id: str) -> ImageRef | None:
        """The image of the source, or None; nothing is counted."""
        if self._images is None:
            self._images = SourceImages(self.source)
        found = self._images.get(image_id)
        return None if found is None else ImageRef(image_id, *found)

    def draw(self, things: Iterable[T]) -> Iterator[T]:
        """As many things as the options' size asks for, drawn by their seed and given in their own order.

        Draws of one seed are nested: the first hundred are among the first two hundred.
        """
        if not isinstance(self.options.size, int):
            yield from things
            return
        found = list(things)
        order = list(range(len(found)))
        Random(f"{self.options.seed}|draw").shuffle(order)
        for index in sorted(order[: self.options.size]):
            yield found[index]

    def _add_words(self) -> None:
        from falter.authoring.wordnet_words import add_words
        from falter.english import default_grammar
        from falter.errors import UsageError

        if self.out_dir is None or self.manifest is None:
            raise UsageError("--wordnet writes its words into a suite: generate one, and use its folder of words")
        words = self.out_dir / "words"
        ontology = default_grammar(*self.plugin_dirs).ontology
        self.manifest.parameters["wordnet"] = add_words(self.source, ontology, words)
        self.plugin_dirs = (*self.plugin_dirs, words)


class SuiteGenerator(Protocol):
    """A way to make probes from a source."""

    requires: tuple[type, ...]
    """Protocols that the source must have, such as ``HasScenes``."""

    def tests(self) -> Sequence[str]:
        """The names of the tests it can generate."""
        ...

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        """The probes, in an order that depends on nothing but the source and the options.

        ``image`` holds the image's path as the source gives it; whoever writes the suite copies the image. What had to
        be given up is counted by its reason in ``context.rejected``.
        """
        ...
