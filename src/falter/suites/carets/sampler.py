"""One test of CARETS: takes pairs from image after image, pass after pass, and makes probes of them.

Strata take turns at the images, so that a sized suite comes from as many images as it can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from falter.data.items import YES_NO, ImageRef, Item, Probe
from falter.generation.authoring.options import GenerateOptions
from falter.generation.authoring.question_builder import GroundedQuestion, QuestionBuilder
from falter.generation.scene import Scene, SceneGraph, query_to_json
from falter.suites.carets.perturbations import CARETS_TESTS, CaretsTest, HasFacets, ObfuscationTest, Pair
from falter.suites.carets.questions import QUESTION_TYPES
from falter.suites.carets.questions.draws import LateRandom
from falter.suites.carets.questions.protocol import Cells
from falter.suites.carets.quotas import StratumKey, TestTally, stratum_sizes
from falter.suites.carets.stratum import StratumSampler

_STRATA_PER_GROUP = 2
"""An image is looked through for so many strata for each group that it is to give: it may have nothing for some."""


class ImageTurns:
    """One pass of a test over the images of a source.

    Without a size every image gives a group to every stratum that is not full. With one, an image gives as many groups
    as it must for all images together to give what is still wanted, and each stratum takes no more than its share of an
    image. In the first pass the strata take turns from image to image; in later passes all that are not full look at
    every image. Which images these are depends on the test alone, not on what other tests are made; tests that want few
    pairs start at different images (``phase``).
    """

    def __init__(self, strata: Sequence[StratumSampler], images: int, *, number: int, phase: int) -> None:
        self._strata = [one for one in strata if not one.full]
        self._images = max(1, images)
        self._phase = phase
        wanted = [one.groups_wanted for one in self._strata]
        self.sized = all(count is not None for count in wanted)
        self._total = sum(count or 1 for count in wanted)
        self.shares = {
            one.key: -(-(count or 1) // self._images) for one, count in zip(self._strata, wanted, strict=True)
        }
        """Groups that one image may give to a stratum."""
        self._first = number == 0

    def budget(self, place: int) -> int:
        """How many groups the image at a place is to give; where less are wanted than there are images, some give none.

        Images from which nothing came are made up for in later passes, in which every image may give some.
        """
        if not self.sized:
            return len(self._strata)
        if not self._first and self._total < self._images:
            return 1
        before = (place + self._phase) * self._total // self._images
        return (place + self._phase + 1) * self._total // self._images - before

    def keys(self, place: int) -> list[StratumKey]:
        """What to look for in the image at a place; nothing where all whose turn it is are full."""
        return [one.key for one in self._turn(place) if not one.full]

    def strata(self, place: int) -> list[StratumSampler]:
        """Who may take from the image at a place, in order; who has the least of what it wants is first."""
        return sorted(self._turn(place), key=lambda one: one.filled)

    def _turn(self, place: int) -> list[StratumSampler]:
        if not (self.sized and self._strata):
            return self._strata
        count, budget = len(self._strata), self.budget(place)
        looked_at = min(count, budget * _STRATA_PER_GROUP) if self._first else count
        start = (place + self._phase) * self._total // self._images if self._first else place
        return [self._strata[(start + step) % count] for step in range(looked_at)]


class ImageShare:
    """What one image may still give a test in a pass: in all, and to each stratum."""

    def __init__(self, turns: ImageTurns, place: int) -> None:
        self._left = turns.budget(place)
        self._shares = turns.shares
        self._taken: dict[StratumKey, int] = {}

    @property
    def spent(self) -> bool:
        return self._left <= 0

    def allows(self, stratum: StratumSampler) -> bool:
        """Whether a stratum may take another group."""
        return self._left > 0 and self._taken.get(stratum.key, 0) < self._shares[stratum.key]

    def take(self, stratum: StratumSampler) -> None:
        """Count a group that was taken."""
        self._taken[stratum.key] = self._taken.get(stratum.key, 0) + 1
        self._left -= 1


_STRICT_PASSES = 2
"""Passes over the images of a sized suite in which a stratum takes only the balance group that is due."""


_FEW_IMAGES = 100
"""Of so many images or fewer, all are asked for what one sort of question lacks of a group for each image."""

_KEPT = 1.5
"""How many times as much as a stratum the fullest one has where the candidates of the stratum are kept."""


class TestSampler:
    """The strata of one test, and its probes."""

    def __init__(self, test: CaretsTest, builder: QuestionBuilder, options: GenerateOptions) -> None:
        self.test = test
        self.obfuscations = test.obfuscations if isinstance(test, ObfuscationTest) else ()
        # Asking whether it is of a protocol takes long.
        self._has_facets = test if isinstance(test, HasFacets) else None
        self._builder = builder
        self.made = 0
        questions = {name: QUESTION_TYPES.get(name)() for name in test.types}
        keys = [StratumKey(name, form) for name, question in questions.items() for form in question.forms]
        wanted = stratum_sizes(test.name, keys, options.size)
        self._phase = _phase(test.name)
        self._sized = options.size is not None
        self._taken_before = self._images = 0
        tally = TestTally()
        self.strata = [
            StratumSampler(test, questions[key.type], key.form, builder, wanted[key], tally)
            for key in keys
            if wanted[key] != 0
        ]

    def start_pass(self, images: int, number: int) -> bool:
        """Prepare the next pass over the images; False where nothing more is wanted or can be had."""
        taken = sum(stratum.made for stratum in self.strata)
        # The first passes of a sized suite take only what is due, so that a later one may find more.
        patient = _STRICT_PASSES if self._sized else 0
        if number > patient and taken == self._taken_before:
            return False
        self._images = images
        if number == 1 and not self._sized:
            self._even_out()
        self._taken_before = taken
        self.turns = ImageTurns(self.strata, images, number=number, phase=self._phase)
        return not all(stratum.full for stratum in self.strata)

    def wanted_again(self, number: int) -> list[StratumKey]:
        """The strata that will likely look at this pass's images again: it is not worth searching those twice."""
        if number > 0:
            return [stratum.key for stratum in self.strata if not stratum.full]
        if self._sized:
            return []
        most = self._most_groups()
        # What is not thin so far may be so in the end.
        thin = {one.key.type for one in self.strata if _KEPT * one.groups < most or self._is_thin(one, most)}
        return [stratum.key for stratum in self.strata if stratum.key.type in thin]

    def _most_groups(self) -> int:
        """What the fullest stratum has; where there are few images, a group for each."""
        return max([min(self._images, _FEW_IMAGES), *(stratum.groups for stratum in self.strata)])

    def _is_thin(self, stratum: StratumSampler, most: int) -> bool:
        return stratum.groups < most if self._images <= _FEW_IMAGES else 2 * stratum.groups < most

    def _even_out(self) -> None:
        """Let strata that few images gave anything take as much as the fullest one, where no size was given.

        What the other form of a question type still lacks of that, a form makes up for: few things need a relation to
        be named.
        """
        most = self._most_groups()
        lacking: Counter[str] = Counter()
        for stratum in self.strata:
            if self._is_thin(stratum, most):
                lacking[stratum.key.type] += most - stratum.groups
        for stratum in self.strata:
            own = most - stratum.groups if self._is_thin(stratum, most) else 0
            missing = lacking[stratum.key.type] - own
            stratum.continue_up_to(max(most, stratum.groups + missing) if own or missing else 0)

    def take(self, place: int, scene: Scene, cells: dict[StratumKey, Cells], seed: int, number: int) -> Iterator[Pair]:
        """The pairs that one image gives in one pass: a group to each stratum in turn, as long as it has some."""
        share = ImageShare(self.turns, place)
        # A stratum may have become full since its candidates were asked for.
        waiting = [] if share.spent else [one for one in self.turns.strata(place) if not one.full]
        rng = LateRandom(f"{seed}|{self.test.name}|{scene.graph.image_id}|{number}") if waiting else None
        strict = self._sized and number < _STRICT_PASSES
        while rng is not None and waiting and not share.spent:
            willing: list[StratumSampler] = []
            for stratum in waiting:
                found = cells.get(stratum.key)
                if not found or not share.allows(stratum):
                    continue
                pairs = stratum.take(found, scene, rng, strict=strict)
                if pairs:
                    share.take(stratum)
                    willing.append(stratum)
                yield from pairs
            waiting = willing

    def probe(self, pair: Pair, graph: SceneGraph, image: ImageRef) -> Probe:
        """The items of a pair; a test that obfuscates images has a variant for each obfuscation."""
        probe_id = f"{self.test.name}-{graph.image_id}-{self.made}"
        self.made += 1
        variants = [(pair.variant, {"obfuscation": name}) for name in self.obfuscations] or [(pair.variant, {})]
        told = {} if self._has_facets is None else self._has_facets.facets(*pair[:2], self._builder)
        kind = pair.original.template.type
        shared = {"type": kind, "form": pair.original.template.form, **pair.facets, **told}
        return Probe(
            tuple(
                self._item(probe_id, number, question, image, {**shared, **own})
                for number, (question, own) in enumerate([(pair.original, {}), *variants])
            )
        )

    def _item(
        self,
        probe_id: str,
        number: int,
        question: GroundedQuestion,
        image: ImageRef,
        facets: dict[str, str],
    ) -> Item:
        offered = question.slots.get("c")
        choices = offered if isinstance(offered, tuple) else YES_NO
        binary = choices == YES_NO
        return Item.make(
            suite="carets",
            test=self.test.name,
            probe_id=probe_id,
            variant=number,
            expects=self.test.expects,
            image=image,
            text=question.text,
            gold=question.answer,
            choices=choices,
            meaning=query_to_json(question.meaning),
            facets={
                **facets,
                "template": question.template.id,
                "choices": facets.get("choices", "binary"),
                "question": "binary" if binary else "multi-choice",
                **({"answer": question.answer} if binary else {"place": str(choices.index(question.answer) + 1)}),
            },
        )


def _phase(test: str) -> int:
    """Where a test starts among the images, whatever other tests are made."""
    names = sorted(CARETS_TESTS.names())
    return names.index(test) if test in names else 0
