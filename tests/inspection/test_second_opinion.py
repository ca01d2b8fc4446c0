"""A second opinion finds labels that the ontology alone cannot see to be wrong, and leaves sound ones alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.api.inspecting import inspect
from falter.core.errors import InputError, UsageError
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import SuiteManifest
from falter.data.suite_writing import create_suite
from falter.generation.nlp import load_wordnet
from falter.generation.scene import And, Exists, Not, ObjectDescription, Or, Query, Related, query_to_json


@pytest.fixture(scope="module", autouse=True)
def _wordnet() -> None:
    try:
        load_wordnet()
    except UsageError as error:
        pytest.skip(str(error))


def there(kind: str, *attributes: str, **more: Any) -> Exists:
    return Exists(ObjectDescription(kind, attributes, **more))


LABELS: list[tuple[Query, str]] = [
    (there("dog"), "yes"),
    (there("cat"), "no"),
    (there("animal"), "no"),  # wrong: a dog is one
    (Not(there("animal")), "yes"),  # wrong, as a denial in other words
    (there("vehicle"), "yes"),  # wrong: nothing here is one
    (there("dog", "brown"), "no"),  # wrong: it is annotated as brown
    (there("dog", "white"), "no"),
    (there("dog", relation=Related("on", ObjectDescription("furniture", definite=True))), "no"),  # wrong: on the sofa
    (And((there("dog"), there("cat"))), "no"),
    (Or((there("cat"), there("animal"))), "no"),  # wrong
    (there("lamp"), "no"),  # a caption tells of one
    (there("mouse", number="plural"), "no"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opinion")
    with create_suite(folder / "suite", SuiteManifest(name="carets")) as writer:
        for number, (query, gold) in enumerate(LABELS):
            items = [
                Item.make(
                    probe_id=f"probe-{number}",
                    variant=variant,
                    suite="carets",
                    test="negation",
                    image=ImageRef("1", sha256="1"),
                    text=query.describe(),
                    gold=gold,
                    choices=("yes", "no"),
                    meaning=query_to_json(query),
                )
                for variant in (0, 1)
            ]
            writer.add(Probe(tuple(items)))
    things = {
        "1": {"name": "dog", "attributes": ["brown"], "relations": [{"name": "on", "object": "2"}]},
        "2": {"name": "sofa", "attributes": [], "relations": []},
        "3": {"name": "computer mouse", "attributes": [], "relations": []},
    }
    objects = {key: {"x": 0, "y": 0, "w": 9, "h": 9, **thing} for key, thing in things.items()}
    graphs = {"1": {"width": 10, "height": 10, "objects": objects}}
    (folder / "graphs.json").write_text(json.dumps(graphs))
    captions = [{"image_id": 1, "caption": "A dog lies under a lamp."}]
    (folder / "captions.json").write_text(json.dumps({"annotations": captions}))
    (folder / "classes.json").write_text(json.dumps({"animal": ["dog", "cat"], "vehicle": ["car"]}))
    return folder


def ask(files: Path, **more: Any) -> dict[str, Any]:
    scenes = f"gqa:graphs={files / 'graphs.json'}"
    found = inspect(files / "suite", scenes=scenes, second_opinion=True, **more).to_dict()["second_opinion"]
    return dict(found)


def counts(found: dict[str, Any], witness: str) -> dict[str, tuple[int, int]]:
    return {one["claim"]: (one["contradicted"], one["items"]) for one in found["rates"] if one["witness"] == witness}


def test_wordnet_contradicts_wrong_labels_alone(files: Path) -> None:
    found = ask(files)
    said = {one["text"] for one in found["contradictions"]}
    wrong = (2, 3, 4, 5, 7, 9)
    assert said == {LABELS[number][0].describe() for number in wrong}
    assert counts(found, "wordnet") == {"denial": (5, 10), "affirmation": (1, 2)}, "each question once"
    rate = found["rates"][0]
    assert 0 < rate["low"] < rate["rate"] == 0.5 < rate["high"] < 1


def test_captions_and_classes_are_witnesses_of_their_own(files: Path) -> None:
    found = ask(files, captions=[files / "captions.json"], hierarchy=files / "classes.json")
    assert counts(found, "captions") == {"denial": (4, 10), "affirmation": (0, 2)}, "the lamp, and the dog thrice"
    assert counts(found, "hierarchy") == {"denial": (2, 2), "affirmation": (1, 1)}


def test_what_is_needed_is_said(files: Path) -> None:
    with pytest.raises(UsageError, match="--scenes"):
        inspect(files / "suite", second_opinion=True)
    with pytest.raises(UsageError, match="--second-opinion"):
        inspect(files / "suite", captions=[files / "captions.json"])
    with pytest.raises(InputError, match="captions"):
        ask(files, captions=[files / "graphs.json"])


def test_the_table_has_the_rates_and_the_examples(files: Path) -> None:
    shown = str(inspect(files / "suite", scenes=f"gqa:graphs={files / 'graphs.json'}", second_opinion=True, sample=0))
    assert "50.00%" in shown
    assert "wordnet: image 1: there is animal -> no" in shown
