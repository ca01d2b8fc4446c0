"""Making contrast sets: the questions of a source, or questions written from its scenes, and changes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from random import Random

from falter.authoring.generator import GenerateContext, GenerateOptions
from falter.authoring.perturbing import ATOMS, Atom
from falter.authoring.scene_things import SourcePrior
from falter.cooccurrence import load_table
from falter.errors import UsageError
from falter.probes import Probe
from falter.sources import HasQuestions, HasScenes, Source, require_scenes
from falter.sources.protocol import FindsQuestions, Question
from falter.suites.contrast_sets.image_sets import ImageRequest, Offer, OfferedSet, SearchSettings, find_sets
from falter.suites.contrast_sets.items import make_probe
from falter.suites.contrast_sets.options import ContrastSetOptions
from falter.suites.contrast_sets.question_tests import MORE_TESTS, TESTS
from falter.suites.contrast_sets.variant_chooser import VariantChooser
from falter.tables import format_count

__all__ = ["CONTRAST_SETS", "ContrastSets"]


class ContrastSets:
    """Sets of a question and its changes; see the page on contrast sets for what differs from the paper."""

    requires: tuple[type, ...] = (HasScenes,)

    def tests(self) -> Sequence[str]:
        return (*TESTS, *MORE_TESTS)

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        scenes = require_scenes(source)
        wanted = options.suite_options
        own = wanted if isinstance(wanted, ContrastSetOptions) else ContrastSetOptions()
        if own.same_size and not own.keep_all:
            raise UsageError("--same-size removes questions that have no variant: add --keep-all")
        grammar = context.grammar()
        prior = SourcePrior(scenes.scenes(), grammar.ontology)
        if context.manifest is not None:
            context.manifest.parameters["cooccurrence_sha256"] = load_table().sha256
            context.manifest.parameters["tests"] = list(options.tests or TESTS)
        from_scenes = own.originals == "scenes" or (own.originals == "auto" and not isinstance(source, HasQuestions))
        if context.manifest is not None:
            # What differs from the paper, so that its figures are not shown.
            context.manifest.parameters |= {
                **({"atoms": own.atoms} if own.atoms else {}),
                **({"originals_from_scenes": True} if from_scenes else {}),
            }
        settings = SearchSettings(_atoms(options.tests, own), own.per_question, options.seed, from_scenes, own.keep_all)
        images = list(scenes.image_ids())
        if options.size is not None:
            Random(f"{options.seed}|images").shuffle(images)
        chooser = VariantChooser(own.per_question, options)
        sizes = _SameSize(options.seed) if own.same_size else None
        for found in find_sets(_requests(source, scenes, images, own, context), settings, prior, context):
            context.rejected.update(found.rejected)
            for _, group in groupby(found.sets, key=lambda offered: offered.question.id):
                for offered, variants in _worth_keeping(chooser, group, keep_all=own.keep_all):
                    image = context.image(found.image_id)
                    if image is None:
                        continue
                    probe = make_probe(offered, variants, image)
                    if sizes is None or found.image_id in context.held_out or sizes.takes(probe):
                        yield probe
            if chooser.is_full:
                break
        context.rejected.update(chooser.rejected)
        if sizes is not None:
            yield from sizes.keep(context)


def _worth_keeping(
    chooser: VariantChooser, group: Iterable[OfferedSet], *, keep_all: bool
) -> Iterator[tuple[OfferedSet, tuple[Offer, ...]]]:
    """The sets of one question; where it has none, the question by itself if it is to be kept."""
    offered = list(group)
    chosen = [(one, chooser.choose(one)) for one in offered]
    found = [(one, variants) for one, variants in chosen if variants]
    yield from found or (chosen[:1] if keep_all else ())


class _SameSize:
    """Keeps the number of different questions what it is without variants, by leaving out questions without any."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._originals: set[str] = set()
        self._variants: set[str] = set()
        self._singles: dict[str, Probe] = {}

    def takes(self, probe: Probe) -> bool:
        """Count a probe; whether it has variants, and so stays whatever is left out."""
        original = probe.original.item_id
        if not probe.variants:
            self._singles.setdefault(original, probe)
            return False
        self._originals.add(original)
        self._variants.update(one.item_id for one in probe.variants)
        return True

    def keep(self, context: GenerateContext) -> Iterator[Probe]:
        """The single questions that stay; where there are too few of them to leave out, that is told."""
        added = len(self._variants - self._originals - self._singles.keys())
        # A single question that is asked in a set all the same makes no room.
        free = [one for one in self._singles if one not in self._originals | self._variants]
        removed = set(Random(f"{self._seed}|same size").sample(free, min(added, len(free))))
        if removed:
            context.rejected["an original was removed to keep the number of questions"] += len(removed)
        if len(removed) < added:
            wanted = len(self._originals | self._singles.keys())
            context.tell(
                f"--same-size is not met: {format_count(added, 'variants')} and only {len(removed):,} questions "
                f"without one to leave out, so that there are {wanted + added - len(removed):,} questions, not "
                f"{wanted:,}; lower --per-question"
            )
        yield from (probe for one, probe in self._singles.items() if one not in removed)


def _atoms(tests: Sequence[str], own: ContrastSetOptions) -> dict[str, tuple[Atom, ...]]:
    named = [one.strip() for one in own.atoms.split(",") if one.strip()]
    unknown = [one for one in named if one not in ATOMS]
    if unknown:
        raise UsageError(f"--atoms: there is no atom {unknown[0]!r}; there are {', '.join(ATOMS)}")
    wanted = tuple(atom for atom in ATOMS if atom in named)
    every = {**TESTS, **MORE_TESTS}
    return {name: wanted or every[name].atoms for name in tests or TESTS}


def _requests(
    source: Source, scenes: HasScenes, images: Sequence[str], own: ContrastSetOptions, context: GenerateContext
) -> Iterator[ImageRequest]:
    by_image: dict[str, list[Question | str]] = {}
    # A question that the source finds again is not kept: there may be millions.
    finds = source if isinstance(source, FindsQuestions) else None
    if own.originals == "questions" and not isinstance(source, HasQuestions):
        raise UsageError(f"the source {source.name} has no questions; leave out --originals questions")
    if own.originals != "scenes" and isinstance(source, HasQuestions):
        for question in source.questions():
            by_image.setdefault(question.image_id, []).append(question if finds is None else question.id)
    if context.manifest is not None:
        asked = sum(len(questions) for questions in by_image.values())
        context.manifest.counts["coverage"] = {"images": len(images), **({"questions": asked} if asked else {})}
    for image_id in images:
        graph = scenes.scene(image_id)
        if graph is not None:
            asked_here = (_question(one, finds) for one in by_image.pop(image_id, ()))
            yield ImageRequest(graph, tuple(one for one in asked_here if one is not None))
    if by_image:
        context.rejected["the image of a question has no scene graph"] += sum(map(len, by_image.values()))


def _question(kept: Question | str, finds: FindsQuestions | None) -> Question | None:
    if isinstance(kept, Question):
        return kept
    return None if finds is None else finds.question(kept)


CONTRAST_SETS = ContrastSets()
