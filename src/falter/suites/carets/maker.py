"""Making CARETS probes: candidates from each scene, a balanced choice among them, a question and its change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.english import English, Template, english
from falter.errors import BadInput, BadUse
from falter.parallel import ordered_map
from falter.probes import Item, Probe, item_id_of
from falter.scene import Scene, SceneGraph, Selection, query_to_json
from falter.sources import Source
from falter.suites.balance import Balance, features_of
from falter.suites.carets.arguments import false_things, true_things
from falter.suites.carets.habits import Habits
from falter.suites.carets.tests import TESTS, Test
from falter.suites.pictures import Picture, Pictures
from falter.suites.posing import Posed, Poser
from falter.suites.protocol import Order

__all__ = ["CARETS", "Carets"]

TYPE = "object_verification"
FORMS = ("single", "related")
YES_NO = ("yes", "no")
_KEPT = 32
_PASSES = 8

Featured = tuple[Selection, tuple[str, ...]]


class _Candidates(NamedTuple):
    """What can be asked of one picture, by form and by the answer it has."""

    graph: SceneGraph
    by_cell: Mapping[tuple[str, str], list[Featured]]


class Carets:
    """Pairs of questions about scene graphs; see the page on CARETS for what differs from the paper."""

    name = "carets"
    title = "CARETS: consistency and robustness tests from scene graphs"
    citation = "Jimenez, Russakovsky and Narasimhan (2022). CARETS: A Consistency And Robustness Evaluative Test Suite"

    def tests(self) -> Sequence[str]:
        return TESTS.names()

    def probes(self, source: Source, order: Order, english: English, refused: Counter[str]) -> Iterator[Probe]:
        tests = [TESTS.get(name)() for name in order.tests or self.tests()]
        habits = Habits(source.scenes(), english.ontology)
        if not habits.kinds:
            raise BadUse("the source has no scene graph with a known object: give a source with scene graphs")
        if habits.unknown:
            refused["an object's name is not in the ontology"] += habits.unknown.total()
        images = list(source.image_ids())
        Random(f"{order.seed}|images").shuffle(images)
        pictures = Pictures(source)
        poser = Poser(english, refused)
        makers = [_TestMaker(test, order, poser, pictures, len(images)) for test in tests]
        for number in range(_PASSES):
            before = sum(maker.made for maker in makers)
            graphs = (graph for image in images if (graph := source.scene(image)) is not None)
            for candidates in ordered_map(
                _find_candidates,
                graphs,
                workers=order.workers,
                initializer=_start_worker,
                initargs=(habits, order.seed, order.extend),
            ):
                for maker in makers:
                    yield from maker.take(candidates, number)
                if all(maker.filled for maker in makers):
                    return
            if order.size is None or sum(maker.made for maker in makers) == before:
                break
        for maker in makers:
            if order.size is not None and not maker.filled:
                refused[f"{maker.test.name}: pairs wanted that these scenes cannot carry"] += order.size - maker.made


class _TestMaker:
    """Makes the probes of one test, taking a yes and a no of each form from a picture at a time."""

    def __init__(self, test: Test, order: Order, poser: Poser, pictures: Pictures, images: int) -> None:
        self.test = test
        self.made = 0
        self._order = order
        self._pictures = pictures
        self._poser = poser
        self._balance = Balance()
        self._used: set[tuple[str, Selection]] = set()
        self._each = 1 if order.size is None else max(1, -(-order.size // (images * len(FORMS) * len(YES_NO))))
        self._left = {form: None if order.size is None else self._share(order.size, form) for form in FORMS}
        self._templates = {form: poser.english.templates_of(TYPE, "plain", form) for form in FORMS}

    @staticmethod
    def _share(size: int, form: str) -> int:
        """Pairs of one form, an even number so that half are yes."""
        half = size // 4 * 2
        return half if form == "related" else size - half

    @property
    def filled(self) -> bool:
        return all(left is not None and left <= 0 for left in self._left.values())

    def take(self, candidates: _Candidates, number: int) -> Iterator[Probe]:
        """The probes that one picture gives in one pass."""
        image = candidates.graph.image_id
        rng = Random(f"{self._order.seed}|{self.test.name}|{image}|{number}")
        scene = Scene(candidates.graph, self._poser.english.ontology)
        for form in FORMS:
            for _ in range(self._each):
                left = self._left[form]
                if left is not None and left <= 0:
                    break
                pair = self._yes_and_no(candidates, form, scene, rng)
                if pair is None:
                    break
                picture = self._pictures.of(image)
                if picture is None:
                    self._poser.refused["the picture is missing or not a picture"] += 1
                    return
                for original, variant, chosen in pair if left is None or left >= 2 else pair[:1]:
                    self._used.add((image, chosen))
                    self._balance.add(features_of(chosen), original.answer)
                    yield self._probe(original, variant, candidates.graph, picture, chosen)
                    if left is not None:
                        left -= 1
                self._left[form] = left

    def _yes_and_no(
        self, candidates: _Candidates, form: str, scene: Scene, rng: Random
    ) -> list[tuple[Posed, Posed, Selection]] | None:
        found = [self._one(candidates, form, answer, scene, rng) for answer in YES_NO]
        return None if None in found else [one for one in found if one is not None]

    def _one(
        self, candidates: _Candidates, form: str, answer: str, scene: Scene, rng: Random
    ) -> tuple[Posed, Posed, Selection] | None:
        image = candidates.graph.image_id
        open_ones = [one for one in candidates.by_cell[form, answer] if (image, one[0]) not in self._used]
        while open_ones:
            index = self._balance.pick(open_ones, answer, rng)
            if index is None:
                return None
            chosen, _ = open_ones.pop(index)
            original = self._poser.pose(self._template(form, rng), {"x": chosen}, scene, wanted=answer)
            variant = None if original is None else self.test.vary(original, scene, self._poser, rng)
            if original is None or variant is None or not self._as_expected(original, variant):
                continue
            return original, variant, chosen
        return None

    def _as_expected(self, original: Posed, variant: Posed) -> bool:
        if self.test.expects == "same":
            return original.answer == variant.answer
        return self.test.expects != "different" or original.answer != variant.answer

    def _template(self, form: str, rng: Random) -> Template:
        return rng.choice(self._templates[form])

    def _probe(self, original: Posed, variant: Posed, graph: SceneGraph, picture: Picture, chosen: Selection) -> Probe:
        probe_id = f"{self.test.name}-{graph.image_id}-{self.made}"
        self.made += 1
        shared = {
            "type": original.template.type,
            "form": original.template.form,
            "number": chosen.number,
            "attributes": str(len(chosen.attributes)),
            "answer": original.answer,
        }
        items = []
        for number, posed in enumerate((original, variant)):
            items.append(
                Item(
                    probe_id=probe_id,
                    variant=number,
                    item_id=item_id_of(
                        task="answer",
                        text=posed.text,
                        image_sha256=picture.sha256,
                        image_id=graph.image_id,
                        choices=YES_NO,
                    ),
                    suite="carets",
                    test=self.test.name,
                    role="variant" if number else "original",
                    expects=self.test.expects,
                    task="answer",
                    image=None if picture.path is None else str(picture.path),
                    image_id=graph.image_id,
                    image_sha256=picture.sha256,
                    text=posed.text,
                    gold=posed.answer,
                    choices=YES_NO,
                    meaning=query_to_json(posed.meaning),
                    facets={**shared, "template": posed.template.id},
                )
            )
        return Probe(tuple(items))


class _Worker(NamedTuple):
    english: English
    habits: Habits
    seed: int


_worker: _Worker | None = None


def _start_worker(habits: Habits, seed: int, extend: tuple[Path, ...]) -> None:
    global _worker  # noqa: PLW0603 - one for each process, set when it starts
    _worker = _Worker(english(*extend), habits, seed)


def _find_candidates(graph: SceneGraph) -> _Candidates:
    if _worker is None:
        raise BadInput("worker", "was not started")
    book, habits, seed = _worker
    scene = Scene(graph, book.ontology)
    by_cell: dict[tuple[str, str], list[Featured]] = {}
    for form in FORMS:
        rng = Random(f"{seed}|candidates|{graph.image_id}|{form}")
        found = {
            "yes": true_things(scene, form, book.ontology, rng),
            "no": false_things(scene, form, book.ontology, habits, rng),
        }
        for answer, things in found.items():
            by_cell[form, answer] = [(thing, features_of(thing)) for thing in things[:_KEPT]]
    return _Candidates(graph, by_cell)


CARETS = Carets()
