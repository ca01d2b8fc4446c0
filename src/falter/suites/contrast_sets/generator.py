"""Making contrast sets: the questions of a source, or questions written from its scenes, and changes of them.

Of the changes that a question may have, those are chosen whose words alone do not tell the answers. A question and its
variants become the items of a probe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from random import Random
from typing import Literal

import msgspec

from falter.core.errors import UsageError
from falter.core.tables import format_count
from falter.data.images import Source
from falter.data.items import YES_NO, ImageRef, Item, Probe
from falter.evaluation.reporting.published import published_for
from falter.generation.askable.source_habits import SourcePrior
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions
from falter.generation.authoring.perturbing import ATOMS, Atom
from falter.generation.authoring.question_builder import AnswerBalancer, Weighted, for_answer
from falter.generation.cooccurrence import load_table
from falter.generation.sources import HasQuestions, HasScenes, require_scenes
from falter.generation.sources.protocol import FindsQuestions, Question
from falter.suites.contrast_sets.image_sets import ImageRequest, Offer, OfferedSet, SearchSettings, find_sets
from falter.suites.contrast_sets.options import ContrastSetOptions
from falter.suites.contrast_sets.question_tests import MORE_TESTS, TESTS


def wanted_sets(size: int | Literal["paper"] | None, test: str) -> int | None:
    """Sets of a test; None for as many as the source allows, which is so where the paper has none (Table 9).

    >>> [wanted_sets(size, test) for size, test in (("paper", "near"), ("paper", "verify"), (7, "near"))]
    [382, None, 7]
    """
    if size != "paper":
        return size
    found = published_for("contrast-sets")
    sizes = {} if found is None else found.extra["sizes"][0].figures
    sets: int | None = sizes.get(test)
    return sets


_AHEAD = 10
"""How many of the written variants the first one is chosen among; two more for each further one."""
_LEAN_NOISE = 0.5
_MOST_LEAN = 1.0
"""How far words may lean beyond what as many coin tosses would give, before a variant is given up."""
_FEW_SETS = 35
"""Sets from which nobody can learn what words tell: so many are not given up."""
_AHEAD_OF_OTHER = 3
"""How many more variants of one number may have one answer than the other."""


class VariantChooser:
    """Chooses the variants of sets so that their words alone do not tell the answers."""

    def __init__(self, per_question: int, options: GenerateOptions) -> None:
        self._per_question = per_question
        self._balance: dict[tuple[str, int], AnswerBalancer] = {}
        self._golds: dict[tuple[str, int], Counter[str]] = {}
        self.rejected: Counter[str] = Counter()
        self._made: dict[str, int] = dict.fromkeys(options.tests or TESTS, 0)
        self._wanted = {test: wanted_sets(options.size, test) for test in self._made}

    @property
    def is_full(self) -> bool:
        """Whether every test has as many sets as are wanted."""
        return all(map(self._has_enough, self._made))

    def _has_enough(self, test: str) -> bool:
        wanted = self._wanted[test]
        return wanted is not None and self._made[test] >= wanted

    def choose(self, offered: OfferedSet) -> tuple[Offer, ...]:
        """The variants of a set, best first: those of fewer are the first of those of more."""
        if offered.test not in self._made or self._has_enough(offered.test):
            return ()
        chosen: list[Offer] = []
        for number in range(self._per_question):
            best = self._next(offered, number, chosen)
            if best is None:
                break
            chosen.append(best)
        self._made[offered.test] += bool(chosen)
        return tuple(chosen)

    def _next(self, offered: OfferedSet, number: int, chosen: Sequence[Offer]) -> Offer | None:
        """The variant of a number; what is taken depends on variants of this number and lower ones alone."""
        left = [one for one in offered.offers[: _AHEAD + 2 * number] if one not in chosen]
        balance = self._balance.setdefault((offered.test, number), AnswerBalancer(_LEAN_NOISE))
        taken = self._golds.setdefault((offered.test, number), Counter())
        found: list[tuple[float, int, Weighted]] = []
        for place, one in enumerate(left):
            if number and one.gold in _TWO and taken[one.gold] > taken[_TWO[one.gold]] + _AHEAD_OF_OTHER:
                continue
            features = _features(offered, one, is_first=number == 0)
            found.append((max(0.0, balance.bias_change(features)), place, features))
        if not found:
            return None
        bias, place, features = min(found)
        if bias > _MOST_LEAN and (number > 0 or taken.total() >= _FEW_SETS):
            self.rejected[f"{offered.test}: the words would tell the answer"] += 1
            return None
        # A balance of so many variants counts those of lower numbers too, and none of higher ones.
        for higher in range(number, self._per_question):
            self._balance.setdefault((offered.test, higher), AnswerBalancer(_LEAN_NOISE)).add(features)
        taken[left[place].gold] += 1
        return left[place]


def _features(offered: OfferedSet, one: Offer, *, is_first: bool) -> Weighted:
    """What is new to a reader without the image; the original comes with the first variant.

    The opposite relation has one variant with the words of its original: whatever they tell, they tell of both.
    """
    if one.gold not in YES_NO or offered.test == "relation":
        return ()
    original = for_answer(offered.gold, offered.features) if is_first else ()
    return (*original, *for_answer(one.gold, one.features))


_TWO = {"yes": "no", "no": "yes", "left": "right", "right": "left"}
"""Answers of which there are two, each with the other one."""


SUITE = "contrast-sets"
_SIDES = ("left", "right")


def make_probe(offered: OfferedSet, variants: Sequence[Offer], image: ImageRef) -> Probe:
    """The set; each item is right or wrong by itself."""
    facets = {"variants": str(len(variants))}
    told = offered.read_from == "text"
    if not told:
        facets["read_from"] = offered.read_from
    choices = choices_for(offered.gold)
    original = Item.make(
        suite=SUITE,
        test=offered.test,
        probe_id=f"{offered.test}-{offered.question.id}",
        variant=0,
        expects="each",
        image=image,
        text=offered.text,
        choices=choices,
        gold=offered.gold,
        meaning=offered.meaning if told else None,
        source_id=offered.question.id,
        facets={**facets, "atom": variants[0].atom if variants else "none"},
        extra=None if told else _encode_extra({"query": offered.meaning}),
    )
    made = [
        Item.make(
            suite=SUITE,
            test=offered.test,
            probe_id=original.probe_id,
            variant=number,
            expects="each",
            image=image,
            text=one.text,
            choices=choices,
            gold=one.gold,
            meaning=one.meaning if told else None,
            facets={**facets, "atom": one.atom},
            extra=_encode_extra({"replaced": one.before, "by": one.after, **({} if told else {"query": one.meaning})}),
        )
        for number, one in enumerate(variants, start=1)
    ]
    return Probe((original, *made))


def _encode_extra(record: dict[str, str]) -> str:
    return msgspec.json.encode(record).decode()


def choices_for(gold: str) -> tuple[str, ...] | None:
    """The choices of a question that has only two answers; none for an open one."""
    return next((choices for choices in (YES_NO, _SIDES) if gold in choices), None)


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
