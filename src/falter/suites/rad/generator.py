"""Making RAD's pairs: a question as people asked it, and another one about one of its answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from falter.authoring.generator import GenerateContext, GenerateOptions
from falter.probes import Probe
from falter.sources import HasQuestions, Source
from falter.suites.rad.augmentations import DEFAULT_TESTS, TESTS, augmentation
from falter.suites.rad.back_translation import BACK_TRANSLATION, back_translated
from falter.suites.rad.candidates import find_candidates
from falter.suites.rad.options import RadOptions
from falter.suites.rad.pair_maker import PairMaker

__all__ = ["RAD", "Rad"]


class Rad:
    """Pairs of an open question and one about its answer, or about another one."""

    requires: tuple[type, ...] = (HasQuestions,)

    def tests(self) -> Sequence[str]:
        return (*TESTS, BACK_TRANSLATION)

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:  # noqa: ARG002
        wanted = options.suite_options
        own = wanted if isinstance(wanted, RadOptions) else RadOptions()
        tests = options.tests or DEFAULT_TESTS
        if context.manifest is not None:
            context.manifest.parameters["tests"] = list(tests)
            default = RadOptions()
            # Without these, a suite has the defaults.
            context.manifest.parameters |= {
                name: getattr(own, name)
                for name in ("draw", "exactly", "per_question")
                if getattr(own, name) != getattr(default, name)
            }
        reading = [one for test in tests if (one := augmentation(test)) is not None]
        found = find_candidates(reading, own, context) if reading else {}
        for one in reading:
            yield from PairMaker(one, found[one.name], own, context).probes()
        if BACK_TRANSLATION in tests:
            yield from back_translated(own, context)


RAD = Rad()
