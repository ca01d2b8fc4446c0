"""Making CARETS probes: candidates from each scene, a balanced choice among them, a question and its change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from falter.authoring.generator import Order
from falter.authoring.question_builder import Posed, Poser
from falter.english import Grammar
from falter.errors import UsageError
from falter.images.files import ImageFile, SourceImages
from falter.parallel import executor_for, stateless
from falter.probes import ImageRef, Item, Probe
from falter.scene import Box, ObjectDescription, Scene, SceneGraph, query_to_json
from falter.sources import HasScenes, Source, require_scenes
from falter.suites.carets.candidate_search import find_candidates
from falter.suites.carets.cooccurrence import Habits
from falter.suites.carets.obfuscated_images import Draft, develop
from falter.suites.carets.perturbations import TESTS, Test
from falter.suites.carets.questions import TYPES
from falter.suites.carets.questions.candidates import Cells
from falter.suites.carets.sizes import Sort, shares
from falter.suites.carets.stratum import Pair, Stratum

__all__ = ["CARETS", "Carets"]

YES_NO = ("yes", "no")
_PASSES = 12
_LOGIC = ("conjunctive_verification", "disjunctive_verification")


class Carets:
    """Pairs of questions about scene graphs; see the page on CARETS for what differs from the paper."""

    name = "carets"
    title = "CARETS: consistency and robustness tests from scene graphs"
    citation = "Jimenez, Russakovsky and Narasimhan (2022). CARETS: A Consistency And Robustness Evaluative Test Suite"

    def tests(self) -> Sequence[str]:
        return TESTS.names()

    def probes(self, source: Source, order: Order, grammar: Grammar, refused: Counter[str]) -> Iterator[Probe]:
        source = require_scenes(source)
        habits = Habits(source.scenes(), grammar.ontology)
        if not habits.kinds:
            raise UsageError("the source has no scene graph with a known object: give a source with scene graphs")
        if habits.unknown:
            refused["an object's name is not in the ontology"] += habits.unknown.total()
        images = list(source.image_ids())
        Random(f"{order.seed}|images").shuffle(images)
        session = _Session(source, order, Poser(grammar, refused), SourceImages(source), habits, images)
        tests = [TESTS.get(name)() for name in order.tests or self.tests()]
        yield from session.text_probes([test for test in tests if not _views_of(test)])
        for test in tests:
            if _views_of(test):
                yield from session.view_probes(test)


def _views_of(test: Test) -> tuple[str, ...]:
    return getattr(test, "views", ())


class _Session(NamedTuple):
    """What all tests of one order share."""

    source: HasScenes
    order: Order
    poser: Poser
    pictures: SourceImages
    habits: Habits
    images: list[str]

    def text_probes(self, tests: list[Test]) -> Iterator[Probe]:
        """The probes of tests that change the question."""
        makers = [_TestMaker(test, self) for test in tests]
        for maker, pair, graph, picture, _ in self._pairs(makers):
            yield maker.probe(pair, graph, picture)

    def view_probes(self, test: Test) -> Iterator[Probe]:
        """The probes of a test that changes the picture; the pictures are made in other processes."""
        refused = self.poser.refused
        if self.order.studio is None or self.order.images == "none":
            refused[f"{test.name}: needs pictures, and a suite to put its own into"] += 1
            return
        colour = self.order.mean_colour or self._mean_colour()
        if colour is None:
            refused[f"{test.name}: the source has no pictures"] += 1
            return
        maker = _TestMaker(test, self)
        drafts = (
            Draft(maker.probe(pair, graph, picture), boxes, picture.path, colour, self.order.studio)
            for maker, pair, graph, picture, boxes in self._pairs([maker])
            if picture.path is not None
        )
        for made in executor_for(self.order.workers).map(develop, drafts, state=stateless, chunk=4):
            if isinstance(made, str):
                refused[f"{test.name}: {made}"] += 1
            else:
                yield made

    def _mean_colour(self) -> tuple[int, int, int] | None:
        from falter.images.obfuscation import dataset_mean_color

        paths = [path for image in self.images if (path := self.source.image_path(image)) is not None]
        good = [path for path in sorted(paths) if self.pictures.get(path.stem) is not None]
        try:
            return dataset_mean_color(good, skip_damaged=True)
        except ValueError:
            return None

    def _pairs(self, makers: list[_TestMaker]) -> Iterator[_Posed]:
        sorts = sorted({stratum.sort for maker in makers for stratum in maker.strata})
        for number in range(_PASSES):
            before = sum(maker.made for maker in makers)
            graphs = (graph for image in self.images if (graph := self.source.scene(image)) is not None)
            searched = find_candidates(
                graphs,
                sorts,
                self.habits,
                self.poser.grammar,
                seed=self.order.seed,
                plugin_dirs=self.order.extend,
                executor=executor_for(self.order.workers),
            )
            for scene, cells in searched:
                yield from self._of_picture(makers, scene, cells, number)
                if all(maker.full for maker in makers):
                    return
            if self.order.size is None or sum(maker.made for maker in makers) == before:
                break
        for maker in makers:
            for stratum in maker.strata:
                if stratum.wanted is not None and not stratum.full:
                    where = f"{maker.test.name}, {stratum.sort.type}, {stratum.sort.form}"
                    self.poser.refused[f"{where}: wanted, and more than these scenes can carry"] += (
                        stratum.wanted - stratum.made
                    )

    def _of_picture(
        self, makers: list[_TestMaker], scene: Scene, cells: dict[Sort, Cells], number: int
    ) -> Iterator[_Posed]:
        graph = scene.graph
        picture: ImageFile | None = None
        for maker in makers:
            rng = Random(f"{self.order.seed}|{maker.test.name}|{graph.image_id}|{number}")
            for stratum in maker.strata:
                for pair in stratum.take(cells[stratum.sort], scene, maker.each, rng):
                    picture = picture or self.pictures.get(graph.image_id)
                    if picture is None:
                        stratum.made -= 1
                        self.poser.refused["the picture is missing or not a picture"] += 1
                        return
                    yield _Posed(maker, pair, graph, picture, maker.boxes(pair.original, scene, rng))


class _TestMaker:
    """The strata of one test, and its probes."""

    def __init__(self, test: Test, session: _Session) -> None:
        self.test = test
        self.views = _views_of(test)
        self._grammar = session.poser.grammar
        self.made = 0
        questions = {name: TYPES.get(name)() for name in test.types}
        sorts = [Sort(name, form) for name, question in questions.items() for form in question.forms]
        wanted = shares(test.name, sorts, session.order.size)
        self.strata = [
            Stratum(test, questions[sort.type], sort.form, session.poser, wanted[sort])
            for sort in sorts
            if wanted[sort] != 0
        ]
        most = max((count for count in wanted.values() if count is not None), default=0)
        self.each = max(1, -(-most // (2 * max(1, len(session.images)))))

    @property
    def full(self) -> bool:
        return all(stratum.full for stratum in self.strata)

    def boxes(self, original: Posed, scene: Scene, rng: Random) -> list[Box]:
        """What stays to be seen in the views of the picture."""
        return self.test.foreground(original, scene, rng) if self.views else []  # type: ignore[attr-defined]

    def probe(self, pair: Pair, graph: SceneGraph, picture: ImageFile) -> Probe:
        """The items of a pair; a test with views has a variant for each of them."""
        probe_id = f"{self.test.name}-{graph.image_id}-{self.made}"
        self.made += 1
        variants = [(pair.variant, {"obfuscation": view}) for view in self.views] or [(pair.variant, {})]
        direction = _direction(pair, self._grammar) if self.test.name == "ontology" else {}
        kind = pair.original.template.type
        logic = {"logic": kind.partition("_")[0].replace("ive", "ion")} if kind in _LOGIC else {}
        shared = {"type": kind, "form": pair.original.template.form, **pair.facets, **direction, **logic}
        return Probe(
            tuple(
                self._item(probe_id, number, posed, graph, picture, {**shared, **own})
                for number, (posed, own) in enumerate([(pair.original, {}), *variants])
            )
        )

    def _item(
        self, probe_id: str, number: int, posed: Posed, graph: SceneGraph, picture: ImageFile, facets: dict[str, str]
    ) -> Item:
        offered = posed.slots.get("c")
        choices = offered if isinstance(offered, tuple) else YES_NO
        binary = choices == YES_NO
        return Item.make(
            suite="carets",
            test=self.test.name,
            probe_id=probe_id,
            variant=number,
            expects=self.test.expects,
            image=ImageRef(graph.image_id, picture.path, picture.sha256),
            text=posed.text,
            gold=posed.answer,
            choices=choices,
            meaning=query_to_json(posed.meaning),
            facets={
                **facets,
                "template": posed.template.id,
                "choices": facets.get("choices", "binary"),
                "question": "binary" if binary else "multi-choice",
                **({"answer": posed.answer} if binary else {"place": str(choices.index(posed.answer) + 1)}),
            },
        )


def _direction(pair: Pair, grammar: Grammar) -> dict[str, str]:
    """Whether the variant asks for a wider kind or for a narrower one."""
    before, after = pair.original.slots.get("x"), pair.variant.slots.get("x")
    if not isinstance(before, ObjectDescription) or not isinstance(after, ObjectDescription):
        return {}
    return {"direction": "hypernym" if grammar.ontology.is_a(before.kind, after.kind) else "hyponym"}


class _Posed(NamedTuple):
    maker: _TestMaker
    pair: Pair
    graph: SceneGraph
    picture: ImageFile
    boxes: list[Box]


CARETS = Carets()
