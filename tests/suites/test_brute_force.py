"""Labels agree with an evaluator that shares no code with the scene layer."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

import falter.generation.english
from falter.data.sources import open_source
from falter.generation.english import default_grammar
from falter.generation.english.words import article as article_of
from falter.generation.scene import Scene

from .brute_force import BruteForce
from .conftest import TESTS, World
from .made import write_graphs

DATA = Path(falter.generation.english.__file__).parent / "data"


@pytest.fixture(scope="module")
def brute_force() -> BruteForce:
    return BruteForce(DATA)


def test_the_brute_force_imports_nothing_of_falter() -> None:
    tree = ast.parse((Path(__file__).parent / "brute_force.py").read_text())
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    assert not [name for name in imported if name.startswith("falter") or name in ("scene", "english")]


QUESTION_TYPES = (
    *("object_verification", "conjunctive_verification", "disjunctive_verification", "attribute_verification"),
    *("object_choice", "attribute_choice", "action_choice"),
)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_twenty_thousand_labels_agree(world: World, brute_force: BruteForce, every: int) -> None:
    items = list(world.suite.items())
    assert len(items) >= 20_000
    seen = Counter(item.facets["type"] for item in items)
    assert set(seen) == set(QUESTION_TYPES)
    assert min(seen.values()) >= 500, seen
    assert {item.test for item in items} == set(TESTS)
    wrong = [
        (item.text, item.gold, found)
        for item in Random(7).sample(items, len(items) // every)
        if (found := brute_force.answer(item.text, world.graphs[str(item.image_id)])) != item.gold
    ]
    assert wrong == []


def test_questions_at_random_agree_in_poor_scenes_too(world: World, brute_force: BruteForce, tmp_path: Path) -> None:
    """Scenes with general names, groups, stray parts and nothing declared complete; unknown must be unknown."""
    rng = Random(3)
    graphs = {image: _impoverished(graph, rng) for image, graph in list(world.graphs.items())[:250]}
    source = open_source(write_graphs(tmp_path, graphs))
    grammar = default_grammar()
    wrong = []
    counts: Counter[tuple[str, str | None]] = Counter()
    for image, raw in graphs.items():
        graph = source.scene(image)
        assert graph is not None
        if "categories" in raw:
            graph = msgspec.structs.replace(graph, categories=frozenset(raw["categories"]))
        scene = Scene(graph, grammar.ontology)
        for text in _questions(rng, brute_force, raw):
            asked = brute_force.read(text)
            readings = grammar.parse(text)
            if asked is None:
                assert len(readings) != 1, text
                continue
            assert len(readings) == 1, text
            if any(thing.deeper for thing in asked.things):
                continue
            mine, found = brute_force.answer(text, raw), readings[0].answer(scene)
            counts[asked.form, mine if mine in ("yes", "no", None) else "chosen"] += 1
            if mine != found:
                wrong.append((image, text, found, mine))
    assert wrong == []
    for form, answers in FORMS.items():
        assert min(counts[form, answer] for answer in answers) >= 30, counts
    assert min(counts["there", answer] for answer in ("yes", "no", None)) > 300, counts


FORMS: dict[str, tuple[str | None, ...]] = {
    "there": ("yes", "no", None),
    "and": ("yes", "no", None),
    "or": ("yes", "no", None),
    "has": ("yes", "no", None),
    "values": ("chosen", None),
    "kinds": ("chosen", None),
}


def _impoverished(graph: dict[str, Any], rng: Random) -> dict[str, Any]:
    general = {"dog": "animal", "cat": "pet", "car": "vehicle", "man": "person", "bird": "birds", "cup": "container"}
    parts = ["wheel", "tail", "handle", "door", "leaf", "wing", "screen", "seat"]
    special = ["coat", "hat", "rug", "mirror", "poster", "toy", "statue", "stove", "sink", "bed", "watch", "device"]
    objects = {}
    for number, (key, thing) in enumerate(graph["objects"].items()):
        name = thing["name"]
        if rng.random() < 0.3:
            name = general.get(name, name)
        if rng.random() < 0.05:
            name = rng.choice(["dogs", "trees", "cups", "ornament"])
        if number and rng.random() < 0.06:
            name = rng.choice(parts)
        if rng.random() < 0.1:
            name = rng.choice(special)
        relations = [one for one in thing["relations"] if rng.random() < 0.6]
        if relations and rng.random() < 0.1:
            spare = rng.choice(relations)
            relations.append({"name": rng.choice(["on", "under", "above", "inside", "next to"]), **_to(spare)})
        if relations and rng.random() < 0.2:
            relations.append({"name": rng.choice(["in", "printed on", "of", "wearing"]), **_to(rng.choice(relations))})
        attributes = [value for value in thing["attributes"] if rng.random() < 0.8]
        if rng.random() < 0.1:
            attributes.append(rng.choice(["red", "small", "open", "lit", "striped"]))
        if rng.random() < 0.1:
            attributes.append(rng.choice(["stuffed", "toy", "plastic", "metal"]))
        objects[key] = {**thing, "name": name, "relations": relations, "attributes": list(dict.fromkeys(attributes))}
    complete = [word for word in graph["complete"] if rng.random() < 0.4]
    changed = {**graph, "objects": objects, "complete": complete}
    if rng.random() < 0.1:
        changed["location"] = rng.choice(["kitchen", "bathroom"])
    if rng.random() < 0.25:
        changed["categories"] = ["dog", "cat", "person", "car", "bird", "cup", "polar bear", "panda", "bench", "laptop"]
    return changed


def _to(relation: dict[str, str]) -> dict[str, str]:
    return {"object": relation["object"]}


def _questions(rng: Random, rules: BruteForce, graph: dict[str, Any]) -> list[str]:
    here = [thing["name"] for thing in graph["objects"].values() if thing["name"] in rules.words]
    names = sorted({thing["name"] for thing in graph["objects"].values()} & set(rules.kinds)) or ["thing"]
    relations = [one["name"] for thing in graph["objects"].values() for one in thing["relations"]] or ["near"]
    values = sorted(rules.values)
    questions = []
    for _ in range(25):
        form = rng.choice(here) if here and rng.random() < 0.6 else rng.choice(sorted(rules.words))
        number = {number for _, number in rules.words[form]}
        verb, article = rng.choice(
            [("Is there", "a"), ("Do you see", "a")] if "singular" in number else [("Do you see", "any")]
        )
        if rng.random() < 0.3:
            article = "no"
        words = form if rng.random() < 0.5 else f"{rng.choice(values)} {form}"
        if article == "a":
            article = article_of(words)
        text = f"{verb} {article} {words}"
        if rng.random() < 0.6:
            relation = rng.choice(relations) if rng.random() < 0.7 else rng.choice(sorted(rules.relations))
            target = rng.choice(names)
            if rng.random() < 0.6:
                text += f" {relation} the {target}"
            elif rules.kinds[target].get("number", "count") == "count":
                text += f" {relation} {article_of(target)} {target}"
            else:
                text += f" {relation} {target}"
        questions.append(f"{text}?")
    return [*questions, *_pairs(rng, rules, graph), *_about_one(rng, rules, graph)]


def _pairs(rng: Random, rules: BruteForce, graph: dict[str, Any]) -> Iterator[str]:
    single = [kind for kind, record in rules.kinds.items() if record.get("number", "count") == "count"]
    here = [thing["name"] for thing in graph["objects"].values() if thing["name"] in single] or ["dog"]
    for _ in range(5):
        first, second = (rng.choice(here) if rng.random() < 0.6 else rng.choice(single) for _ in range(2))
        one, other = f"{article_of(first)} {first}", f"{article_of(second)} {second}"
        yield f"Is there both {one} and {other}?"
        yield f"Do you see either {one} or {other} in the image?"
        yield f"Do you see either no {first} or no {second}?"
        yield f"Is there no {first} and no {second} in the picture?"


def _about_one(rng: Random, rules: BruteForce, graph: dict[str, Any]) -> Iterator[str]:
    """Questions about one thing, named by its kind or a wider one, with values of the family of one that it has."""
    for thing in graph["objects"].values():
        if thing["name"] not in rules.kinds:
            continue
        name = rng.choice([thing["name"], thing["name"], *sorted(rules.above[thing["name"]])])
        record = rules.kinds[name]
        if record.get("number", "count") == "plural":
            continue
        words = [value for value in thing["attributes"] if value in rules.values]
        described = f"{rng.choice(words)} {name}" if words and rng.random() < 0.3 else name
        value = rng.choice(words) if words and rng.random() < 0.8 else rng.choice(sorted(rules.values))
        families = [family["values"] for family in rules.families.values() if value in family["values"]]
        others = [other for other in rng.choice(families) if other != value] or ["red"]
        yield f"Is the {described} {rng.choice([value, *others])}?"
        both = [value, rng.choice(others)]
        rng.shuffle(both)
        yield f"Would you say that the {described} is {both[0]} or {both[1]}?"
        if value in rules.families["color"]["values"]:
            yield f"What color is the {described}, {value} or {rng.choice(others)}?"
        kinds = [rng.choice(sorted(rules.kinds)), thing["name"], rng.choice(["dog", "cup", "car"])]
        if all(rules.kinds[kind].get("number", "count") == "count" for kind in kinds):
            rng.shuffle(kinds)
            listed = [f"{article_of(kind)} {kind}" for kind in kinds]
            yield f"What is the {described}, {listed[0]}, {listed[1]}, or {listed[2]}?"
