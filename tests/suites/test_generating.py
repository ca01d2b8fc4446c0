"""The same order gives the same bytes, a size is kept to, and what was refused is counted."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_file
from falter.data.items import Item, Probe
from falter.data.sources import open_source
from falter.data.suite import open_suite
from falter.generation.authoring.question_builder import QuestionBuilder
from falter.generation.english import Ontology, Template, default_grammar
from falter.generation.scene import Box, ObjectDescription, Scene, SceneGraph, SceneObject
from falter.suites.carets.obfuscation import OBFUSCATIONS

from .conftest import World
from .made import make_suite, write_graphs, write_pictures


@pytest.fixture(scope="module")
def some(world: World, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Forty scenes, a few of them with faults that the reader has to leave out."""
    graphs = dict(list(world.graphs.items())[:40])
    for image in list(graphs)[::7]:
        key = next(iter(graphs[image]["objects"]))
        broken = {**graphs[image]["objects"][key], "w": 0}
        graphs[image] = {**graphs[image], "objects": {**graphs[image]["objects"], key: broken}}
    return write_graphs(tmp_path_factory.mktemp("some"), graphs)


def both_files(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "items.parquet").read_bytes(), (folder / "suite.json").read_bytes()


@pytest.mark.parametrize("size", [None, 60])
def test_workers_do_not_change_a_byte(some: str, tmp_path: Path, size: int | None) -> None:
    make_suite(some, tmp_path / "one", workers=1, size=size, seed=5)
    make_suite(some, tmp_path / "two", workers=2, size=size, seed=5)
    assert both_files(tmp_path / "one") == both_files(tmp_path / "two")


def test_workers_do_not_change_a_byte_of_the_views(tmp_path: Path) -> None:
    source = write_pictures(tmp_path / "gqa", 8)
    made: list[dict[str, bytes]] = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        make_suite(source, out, tests=("visual",), size=22, seed=5, workers=workers, images="copy")
        made.append(
            {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
        )
    assert made[0] == made[1]
    suite = open_suite(tmp_path / "1")
    probes = list(suite.probes())
    assert len(probes) >= 10
    for probe in probes:
        shown = [item.image_sha256 for item in probe.items]
        assert len(set(shown)) == len(shown) == 1 + len(OBFUSCATIONS)
        assert {item.text for item in probe.items} == {probe.original.text}
        assert {item.gold for item in probe.items} == {probe.original.gold}
        assert sorted(item.facets["obfuscation"] for item in probe.variants) == sorted(OBFUSCATIONS)
        for item in probe.items:
            assert item.image is not None
            assert sha256_of_file(tmp_path / "1" / item.image) == item.image_sha256


def test_another_seed_gives_another_suite(some: str, tmp_path: Path) -> None:
    make_suite(some, tmp_path / "one", size=40, seed=1)
    make_suite(some, tmp_path / "same", size=40, seed=1)
    make_suite(some, tmp_path / "other", size=40, seed=2)
    assert both_files(tmp_path / "one") == both_files(tmp_path / "same")
    assert both_files(tmp_path / "one")[0] != both_files(tmp_path / "other")[0]


@pytest.mark.parametrize("size", [1, 6, 40, 104])
def test_a_size_is_kept_to_and_balanced(some: str, tmp_path: Path, size: int) -> None:
    manifest = make_suite(some, tmp_path / "suite", size=size, tests=("negation",))
    probes = list(open_suite(tmp_path / "suite").probes())
    assert len(probes) == size == manifest.counts["probes"]
    sorts = Counter((probe.original.facets["type"], probe.original.facets["form"]) for probe in probes)
    assert max(sorts.values()) - min(sorts.values() if len(sorts) == 4 else (0,)) <= 1
    for sort, count in sorts.items():
        yes = sum(
            (probe.original.facets["type"], probe.original.facets["form"]) == sort and probe.original.gold == "yes"
            for probe in probes
        )
        assert abs(2 * yes - count) <= count % 2, sort


EXPECTED = {"rephrase": "same", "ontology": "same", "order": "same", "negation": "different", "antonym": "different"}


def test_probes_hold_what_their_test_promises(world: World) -> None:
    ids = set()
    for probe in world.suite.probes():
        first, second = probe.items
        ids.add(probe.probe_id)
        assert (first.variant, second.variant) == (0, 1)
        assert (first.role, second.role) == ("original", "variant")
        assert first.text != second.text
        assert first.image_id == second.image_id
        assert first.expects == EXPECTED[first.test]
        assert (first.gold == second.gold) == (first.expects == "same")
        if first.expects == "different":
            assert {first.gold, second.gold} == {"yes", "no"}
        _CHANGES[first.test](first, second)
    assert len(ids) == world.suite.manifest.counts["probes"]


def _rephrased(first: Item, second: Item) -> None:
    assert first.meaning == second.meaning
    assert first.facets["template"] != second.facets["template"]


def _widened(first: Item, second: Item) -> None:
    assert first.facets["template"] == second.facets["template"]
    one, other = (json.loads(str(item.meaning))["of"]["kind"] for item in (first, second))
    assert one != other
    wider = default_grammar().ontology.is_a(one, other)
    assert wider or default_grammar().ontology.is_a(other, one)
    assert first.facets["direction"] == ("hypernym" if wider else "hyponym")


def _reordered(first: Item, second: Item) -> None:
    assert first.facets["template"] == second.facets["template"]
    if first.choices == ("yes", "no"):
        one, other = (json.loads(str(item.meaning))["of"] for item in (first, second))
        assert one == other[::-1]
    else:
        assert first.choices != second.choices
        assert sorted(first.choices or ()) == sorted(second.choices or ())


def _negated(first: Item, second: Item) -> None:
    assert second.facets["template"] == f"{first.facets['template']}.negated"
    negation = re.compile(r"\b(?:no|no one|neither|not|missing)\b")
    assert negation.search(second.text)
    assert not negation.search(first.text)


def _opposed(first: Item, second: Item) -> None:
    one, other = (json.loads(str(item.meaning)) for item in (first, second))
    assert one["of"] == other["of"]
    assert other["value"] in default_grammar().ontology.attributes.antonyms(one["value"])


_CHANGES = {
    "rephrase": _rephrased, "ontology": _widened, "order": _reordered, "negation": _negated, "antonym": _opposed,
}  # fmt: skip


def test_the_ontology_test_asks_either_kind_first_or_as_the_paper_does(some: str, tmp_path: Path) -> None:
    """The facet says whether the variant's kind is the wider one; in the paper it is after yes, and only then."""
    asked: dict[str, set[tuple[str, str]]] = {}
    for name in ("both", "paper"):
        make_suite(some, tmp_path / name, tests=("ontology",), size=40, own={"direction": name})
        suite = open_suite(tmp_path / name)
        asked[name] = {(one.original.gold or "", one.original.facets["direction"]) for one in suite}
        assert suite.manifest.parameters.get("direction") == (None if name == "both" else "paper")
    assert asked["paper"] == {("yes", "hypernym"), ("no", "hyponym")}
    assert asked["both"] == {(answer, kind) for answer in ("yes", "no") for kind in ("hypernym", "hyponym")}


def test_a_picture_is_asked_the_same_thing_only_once_a_test(world: World) -> None:
    seen = Counter((item.test, item.image_id, item.meaning) for item in world.suite.items() if item.role == "original")
    assert max(seen.values()) == 1


CARRY = "wanted, and more than these scenes can carry"


def test_what_is_refused_and_what_is_wrong_is_counted(some: str, tmp_path: Path) -> None:
    manifest = make_suite(some, tmp_path / "suite", size=100_000, tests=("antonym",))
    refused = manifest.counts["refused"]
    short = sum(refused[f"antonym, antonym_verification, {form}: {CARRY}"] for form in ("single", "related"))
    assert short + manifest.counts["tests"]["antonym"]["probes"] == 100_000
    assert manifest.counts["problems"]["box of no size or outside the image"] == 6


def test_the_size_of_the_paper_is_tried_and_what_is_missing_is_told(some: str, tmp_path: Path) -> None:
    manifest = make_suite(some, tmp_path / "suite", size="paper", tests=("antonym",))
    made = Counter(probe.original.facets["form"] for probe in open_suite(tmp_path / "suite").probes())
    for form in ("single", "related"):
        assert 0 < made[form] < 2_500
        missing = manifest.counts["refused"][f"antonym, antonym_verification, {form}: {CARRY}"]
        assert made[form] + missing == 2_500
    assert manifest.parameters["size"] == "paper"


def test_an_unknown_test_is_bad_use(some: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no test 'dance'"):
        make_suite(some, tmp_path / "suite", tests=("dance",))
    assert not (tmp_path / "suite").exists()


def test_scenes_without_a_known_name_are_bad_use(tmp_path: Path) -> None:
    thing = {"name": "qwerty", "x": 1, "y": 1, "w": 5, "h": 5, "attributes": [], "relations": []}
    source = write_graphs(tmp_path / "gqa", {"1": {"width": 9, "height": 9, "objects": {"a": thing}}})
    with pytest.raises(UsageError, match="the ontology lacks qwerty: add them to a file"):
        make_suite(source, tmp_path / "suite")
    assert not (tmp_path / "suite").exists()


def test_a_scene_that_gives_nothing_leaves_no_folder(tmp_path: Path) -> None:
    thing = {"name": "air", "x": 1, "y": 1, "w": 5, "h": 5, "attributes": [], "relations": []}
    source = write_graphs(tmp_path / "gqa", {"1": {"width": 9, "height": 9, "objects": {"a": thing}}})
    with pytest.raises(InputError, match="no probe could be made"):
        make_suite(source, tmp_path / "suite")
    assert [path.name for path in tmp_path.iterdir()] == ["gqa"]


def test_an_extension_brings_words_and_templates(some: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "templates").mkdir(parents=True)
    (folder / "kinds.yaml").write_text("gizmo: {is: thing}\n")
    (folder / "templates" / "mine.yaml").write_text(
        "type: object_verification\nmeans: Exists(x)\nnegated: Not(Exists(x))\ntemplates:\n"
        '  - {id: spot, text: "Have you spotted {any x}?", negated: "Have you spotted {no x}?"}\n'
    )
    make_suite(some, tmp_path / "suite", plugin_dirs=(folder,), tests=("rephrase",), size=400)
    texts = [item.text for item in open_suite(tmp_path / "suite").items()]
    assert any(text.startswith("Have you spotted") for text in texts)
    grammar = default_grammar(folder)
    assert grammar.parse("Have you spotted no gizmo?")
    assert not default_grammar().parse("Have you spotted no gizmo?")


def scene_of(ontology: Ontology, *names: str) -> Scene:
    things = {
        str(number): SceneObject(id=str(number), name=name, box=Box(number * 10, 0, 9, 9), attributes=("orange",))
        for number, name in enumerate(names)
    }
    complete = frozenset({"objects", "color", "action", "material", "near"})
    return Scene(SceneGraph(image_id="1", width=100, height=9, objects=things, complete=complete), ontology)


@settings(deadline=None)
@given(data=st.data())
def test_a_text_with_a_second_meaning_is_refused(data: st.DataObject) -> None:
    """ "glasses" are worn or drunk from; "a street sign" is a kind of its own, and never a sign that is "street"."""
    grammar = default_grammar()
    scene = scene_of(grammar.ontology, "ball", "chair")
    template: Template = data.draw(st.sampled_from(grammar.templates_for("object_verification", "plain", "single")))
    refused: Counter[str] = Counter()
    builder = QuestionBuilder(grammar, refused)
    for kind in ("glass", "glasses"):
        assert builder.build(template, {"x": ObjectDescription(kind, number="plural")}, scene) is None
    assert refused == {"the text has a second meaning": 2}
    number = data.draw(st.sampled_from(["singular", "plural"]))
    sign = builder.build(template, {"x": ObjectDescription("street sign", (), None, number)}, scene)
    assert sign is not None
    assert builder.build(template, {"x": ObjectDescription("sign", ("street",), None, number)}, scene) is None
    plain = ObjectDescription(data.draw(st.sampled_from(["dog", "orange", "umbrella"])), (), None, number)
    posed = QuestionBuilder(grammar, Counter()).build(template, {"x": plain}, scene)
    assert posed is not None
    assert posed.answer == "no"
    assert grammar.parse(posed.text) == (posed.meaning,)


def test_a_noun_with_one_form_for_both_numbers_is_refused_where_nothing_tells_them_apart() -> None:
    grammar = default_grammar()
    scene = scene_of(grammar.ontology, "ball")
    refused: Counter[str] = Counter()
    builder = QuestionBuilder(grammar, refused)
    sheep = ObjectDescription("sheep", number="plural")
    assert builder.build(grammar.template("object_verification.there"), {"x": sheep}, scene) is not None
    assert builder.build(grammar.template("retired_object_verification.denied-see"), {"x": sheep}, scene) is None
    assert refused == {"the text has a second meaning": 1}


def test_a_question_that_the_scene_cannot_settle_is_refused() -> None:
    grammar = default_grammar()
    refused: Counter[str] = Counter()
    posed = QuestionBuilder(grammar, refused).build(
        grammar.template("object_verification.there"),
        {"x": ObjectDescription("wheel")},
        scene_of(grammar.ontology, "car"),
    )
    assert posed is None
    assert refused == {"the annotation cannot settle the answer": 1}


def test_the_meaning_is_stored_as_the_scene_answers_it(world: World) -> None:
    item = Random(0).choice(list(world.suite.items()))
    assert item.meaning is not None
    assert json.loads(item.meaning)["query"] in ("exists", "not", "and", "or", "hasattribute", "choose")
    graph = open_source(world.source).scene(str(item.image_id))
    assert graph is not None
    (reading,) = default_grammar().parse(item.text)
    assert reading.answer(Scene(graph, default_grammar().ontology)) == item.gold
    assert isinstance(Probe((item,)).original, type(item))
