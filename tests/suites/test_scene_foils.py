"""Foils from scene graphs: captions are true and foils false by a second evaluator; no text tells which is which."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import falter
from falter.data.items import ImageRef, Probe
from falter.data.sources import open_source
from falter.data.suite import Suite
from falter.generation.baselines.oracle import Oracle
from falter.generation.english import default_grammar
from falter.generation.inspection.audit import audit
from falter.generation.scene import CountsCompare, Exists, ObjectDescription, Scene
from falter.generation.sources import require_scenes
from falter.suites.valse.scene_foils import KnownFoil, SceneStatement, changed_span, mirror
from tests.cli.in_process import falter_here
from tests.suites.made import raw_graphs, write_graphs
from tests.suites.scene_captions import RawScene

TESTS = (
    *("scene-existence", "scene-plurality", "scene-counting-balanced", "scene-counting-small"),
    *("scene-counting-adversarial", "scene-relations", "scene-attributes", "scene-action-replacement"),
    *("scene-actant-swap", "scene-binding", "scene-negation", "scene-comparison"),
)
ONE_WAY = "scene-counting-adversarial"
ACTIONS = {"chasing", "following", "feeding", "pushing", "jumping over"}
PLURALS = {"women": "woman", "men": "man", "sheep": "sheep", "fish": "fish", "children": "child", "geese": "goose"}


@pytest.fixture(scope="module")
def graphs() -> dict[str, Any]:
    return raw_graphs(120, seed=3)


@pytest.fixture(scope="module")
def source(graphs: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_graphs(tmp_path_factory.mktemp("scenes"), graphs)


@pytest.fixture(scope="module")
def suite(source: str, tmp_path_factory: pytest.TempPathFactory) -> Suite:
    out = tmp_path_factory.mktemp("foils") / "suite"
    return falter.generate("valse", source, out=out, instrument=TESTS, images="none")


@pytest.fixture(scope="module")
def probes(suite: Suite) -> list[Probe]:
    return list(suite.probes())


def nouns(graphs: dict[str, Any]) -> dict[str, str]:
    """By singular or plural the singular."""
    ontology = default_grammar().ontology
    names = {thing["name"] for graph in graphs.values() for thing in graph["objects"].values()}
    found = {form: name for name in names for form in (name, ontology.plural(name))} | PLURALS
    # What is not in these graphs may be denied of them.
    return {**{form: kind for form, ((kind, _), *_rest) in ontology.nouns.items()}, **found}


def test_captions_are_true_and_foils_are_false(probes: list[Probe], graphs: dict[str, Any]) -> None:
    things = [thing for graph in graphs.values() for thing in graph["objects"].values()]
    attributes = {value for thing in things for value in thing["attributes"]}
    relations = {link["name"] for thing in things for link in thing["relations"]}
    known = nouns(graphs)
    wrong = []
    for probe in probes:
        raw = RawScene(
            graphs[probe.original.image_id or ""], known, attributes, relations, default_grammar().ontology.is_a
        )
        wrong += [item.text for item in probe.items if raw.holds(item.text) != (item.gold == "yes")]
    assert not wrong, sorted(wrong)


def test_every_instrument_has_pairs(probes: list[Probe]) -> None:
    made = Counter(probe.original.test for probe in probes)
    assert {test for test in TESTS if made[test] < 10} <= {"scene-actant-swap", "scene-binding"}
    assert {probe.original.facets["piece"] for probe in probes} >= {"negation", "comparison", "binding", "counting"}


def test_each_text_is_as_often_a_caption_as_a_foil(probes: list[Probe]) -> None:
    both_ways = [probe for probe in probes if probe.original.test not in (ONE_WAY, "scene-actant-swap")]
    pairs = Counter((probe.original.test, *(item.text for item in probe.items)) for probe in both_ways)
    assert all(pairs[test, foil, caption] == count for (test, caption, foil), count in pairs.items())
    mirrored = Counter(probe.original.image_id for probe in both_ways)
    assert len(mirrored) > 80


def test_contrastive_scenes_turn_roles_and_positions_round(tmp_path: Path) -> None:
    graphs = raw_graphs(150, seed=5, mix="contrastive")
    source = write_graphs(tmp_path / "scenes", graphs)
    wanted = ("scene-actant-swap", "scene-relations", "scene-counting-adversarial")
    made = list(falter.generate("valse", source, out=tmp_path / "suite", instrument=wanted, images="none").probes())
    assert audit(made, open_source(source), default_grammar()).disagree == 0
    swaps = [tuple(item.text for item in one.items) for one in made if one.original.test == "scene-actant-swap"]
    assert len(swaps) >= 10
    assert Counter(swaps) == Counter((foil, caption) for caption, foil in swaps)
    raw = [RawScene(graph, nouns(graphs), set(), ACTIONS, default_grammar().ontology.is_a) for graph in graphs.values()]
    by_image = dict(zip(graphs, raw, strict=True))
    for one in made:
        if one.original.test == "scene-actant-swap":
            assert [by_image[one.original.image_id or ""].holds(item.text) for item in one.items] == [True, False]
    forms = Counter(one.original.facets.get("form") for one in made)
    assert min(forms[form] for form in ("side", "depth", "support")) >= 4
    assert forms[None] >= 40, "adversarial counting"


def test_what_is_worn_is_on_no_side(probes: list[Probe]) -> None:
    sides = [probe for probe in probes if probe.original.facets.get("form") == "side"]
    assert len(sides) > 20
    worn = re.compile(r"\b(shirt|pants|dress|hat|scarf|helmet|glasses)\b")
    assert [probe.original.text for probe in sides if worn.search(probe.original.text)] == []


def test_a_small_suite_has_every_form(source: str, tmp_path: Path) -> None:
    out = tmp_path / "suite"
    made = falter.generate("valse", source, out=out, instrument=("scene-negation",), images="none", size=16)
    forms = Counter(probe.original.facets["form"] for probe in made.probes())
    assert set(forms) == {"attribute", "related", "relation", "scope"}
    assert max(forms.values()) <= 6


def test_mirrored_foils_take_turns_and_leave_no_text_one_sided() -> None:
    one, two, three = (SceneStatement(text, Exists(ObjectDescription("dog"))) for text in ("a", "b", "c"))
    pairs = [("1", one, two), ("2", two, one), ("3", one, two), ("4", one, three), ("5", three, one)]
    found = [KnownFoil(image, true, false, "", "", "") for image, true, false in pairs]
    couples = [tuple(each.image_id for each in couple) for couple in mirror(found, Random(0))]
    assert len(couples) == 2
    assert {frozenset(couple) for couple in couples} in (
        {frozenset("12"), frozenset("45")},
        {frozenset("32"), frozenset("45")},
    )


def test_one_span_is_changed_and_marked(probes: list[Probe]) -> None:
    for probe in probes:
        caption, foil = probe.items
        extra = json.loads(caption.extra or "")
        ((start, end),), ((foil_start, foil_end),) = extra["caption_spans"], extra["foil_spans"]
        assert caption.text[:start] == foil.text[:foil_start]
        assert caption.text[end:] == foil.text[foil_end:]
        assert start < end
        assert caption.text[start:end] != foil.text[foil_start:foil_end]


def test_the_text_alone_derives_the_labels_again(suite: Suite, source: str) -> None:
    result = audit(suite.probes(), open_source(source), default_grammar())
    assert (result.agree, result.disagree, result.not_audited) == (result.items, 0, {})


def test_a_text_or_label_that_was_changed_is_found(probes: list[Probe], source: str) -> None:
    probe = next(one for one in probes if one.original.test == "scene-existence")
    caption, foil = probe.items
    swapped = Probe((caption, type(foil).make(**_fields(foil), text=caption.text, meaning=caption.meaning)))
    reworded = Probe((caption, type(foil).make(**_fields(foil), text="There is a thing.", meaning=foil.meaning)))
    for planted in (swapped, reworded):
        assert audit([planted], open_source(source), default_grammar()).disagree == 1


def _fields(item: Any) -> dict[str, Any]:
    names = ("suite", "test", "probe_id", "task", "expects", "variant", "gold")
    return {name: getattr(item, name) for name in names} | {"image": ImageRef(image_id=item.image_id)}


def test_the_oracle_reads_captions(probes: list[Probe], source: str) -> None:
    oracle = Oracle(require_scenes(open_source(source)))
    for probe in probes[::7]:
        for item in probe.items:
            assert oracle.answer(item.text, item.image_id or "", "match") == item.gold
    assert oracle.answer("A sentence that nobody writes.", probes[0].original.image_id or "", "match") is None


def test_the_funnel_adds_up(suite: Suite) -> None:
    for test, funnel in suite.manifest.counts["funnel"].items():
        assert funnel["captions"] == 120
        assert funnel["candidates"] == funnel["kept"] + sum(funnel["rejected"].values()), test


def test_what_was_excluded_is_summed_up_in_a_few_lines(tmp_path: Path) -> None:
    source = write_graphs(tmp_path / "scenes", raw_graphs(30, seed=3))
    tests = [part for test in ("relations", "attributes", "existence") for part in ("--instrument", f"scene-{test}")]
    command = ("generate", "valse", "--from", source, *tests, "--images", "none", "--size", "20")
    short, long = (falter_here(*command, "--out", tmp_path / f"suite{len(more)}", *more) for more in ((), ("-v",)))
    assert (short.code, long.code) == (0, 0), short.stderr + long.stderr
    told = [line for line in short.stderr.splitlines() if "rejected" in line]
    every = [line for line in long.stderr.splitlines() if "rejected" in line]
    assert len(told) <= 5 < len(every)
    counts = [[int(line.split()[1].replace(",", "")) for line in lines] for lines in (told, every)]
    assert sum(counts[0]) == sum(counts[1])
    assert any("scene-relations: " in line for line in every)
    assert not any("scene-" in line for line in told)


def test_a_smaller_size_is_part_of_a_larger_one(suite: Suite, source: str, tmp_path: Path) -> None:
    small = falter.generate(
        "valse", source, out=tmp_path / "s", instrument=("scene-comparison",), images="none", size=20
    )
    texts = [(one.original.image_id, one.original.text) for one in small.probes()]
    whole = [(one.original.image_id, one.original.text) for one in suite.probes()]
    assert len(texts) == 20
    assert set(texts) <= set(whole)


@pytest.mark.parametrize(
    ("dogs", "cats", "true"), [(2, 1, "more"), (1, 2, "fewer"), (2, 2, "as many"), (0, 1, "fewer"), (0, 0, "as many")]
)
def test_numbers_are_compared(dogs: int, cats: int, true: str, tmp_path: Path) -> None:
    scene = make_scene(tmp_path, *["dog"] * dogs, *["cat"] * cats)
    dog, cat = (ObjectDescription(kind, number="plural") for kind in ("dog", "cat"))
    assert {how: CountsCompare(dog, how, cat).evaluate(scene) for how in ("more", "fewer", "as many")} == {  # type: ignore[arg-type]
        how: how == true for how in ("more", "fewer", "as many")
    }


def make_scene(folder: Path, *names: str) -> Scene:
    """A scene with things side by side."""
    things = {
        str(key): {"name": name, "x": 20 * key, "y": 1, "w": 9, "h": 9, "attributes": [], "relations": []}
        for key, name in enumerate(names)
    }
    source = write_graphs(folder, {"1": {"width": 200, "height": 99, "objects": things}})
    found = require_scenes(open_source(source)).scene("1")
    assert found is not None
    return Scene(found, default_grammar().ontology)


def test_numbers_that_are_not_known_are_compared_where_that_is_settled(tmp_path: Path) -> None:
    dog, cat, cow = (ObjectDescription(kind, number="plural") for kind in ("dog", "cat", "cow"))
    scene = make_scene(tmp_path / "one", "dogs", "cat")
    assert CountsCompare(dog, "more", cat).evaluate(scene) is True
    assert CountsCompare(cow, "fewer", cat).evaluate(scene) is True
    assert CountsCompare(dog, "more", cat).evaluate(make_scene(tmp_path / "two", "dogs", "cats")) is None


def test_spans_of_swapped_words() -> None:
    caption, foil = "There is a red car and a blue bus.", "There is a blue car and a red bus."
    assert [caption[start:end] for start, end in changed_span(caption, foil)] == ["red car and a blue"]
