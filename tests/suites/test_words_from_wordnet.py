"""Names that the ontology lacks are placed in it by WordNet, when asked for."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from falter.core.errors import UsageError
from falter.data.sources import open_source
from falter.data.suite import open_suite
from falter.generation.authoring.generator import kinds_from_wordnet
from falter.generation.english import default_grammar, load_ontology
from falter.generation.inspection.audit import audit
from falter.generation.nlp import WordNet, load_wordnet
from tests.suites.made import make_suite


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    try:
        return load_wordnet()
    except UsageError as error:
        pytest.skip(str(error))


def test_names_are_placed_below_the_nearest_kind(wordnet: WordNet) -> None:
    ontology = load_ontology()
    placed = kinds_from_wordnet(["ocelots", "cello", "trebuchet", "blimfark", "dogs"], ontology, wordnet)
    assert placed["ocelot"] == {"is": "cat", "role": True}
    assert ontology.is_a(placed["cello"]["is"], "musical instrument")
    assert "blimfark" not in placed
    assert "dog" not in placed
    assert not ontology.is_a(placed.get("trebuchet", {"is": "thing"})["is"], "musical instrument")


def write_scenes(folder: Path) -> Path:
    draw = random.Random(3)
    graphs = {}
    for number in range(60):
        names = draw.sample(["ocelot", "cello", "blimfark", "horse", "sofa", "bus", "pizza"], 3)
        graphs[f"scene{number}"] = {
            "width": 400,
            "height": 300,
            "objects": {
                str(place): {"name": name, "x": 20 + 120 * place, "y": 100, "w": 90, "h": 80}
                for place, name in enumerate(names)
            },
        }
    folder.mkdir()
    (folder / "scene_graphs.json").write_text(json.dumps(graphs))
    return folder


def test_suites_with_words_of_wordnet_are_made_and_audited(wordnet: WordNet, tmp_path: Path) -> None:
    source = open_source(f"gqa:{write_scenes(tmp_path / 'data')}")
    folders = [tmp_path / "one", tmp_path / "two"]
    for workers, folder in enumerate(folders, start=1):
        manifest = make_suite(
            f"gqa:{tmp_path / 'data'}",
            folder,
            tests=("negation", "ontology"),
            own={"wordnet": True},
            workers=workers,
        )
        assert manifest.parameters["wordnet"] == {"version": wordnet.version, "unknown": 3, "kinds": 2}
        assert manifest.counts["refused"]["an object's name is not in the ontology"] > 0
    one, two = folders
    assert (one / "items.parquet").read_bytes() == (two / "items.parquet").read_bytes()
    assert (one / "suite.json").read_bytes() == (two / "suite.json").read_bytes()

    suite = open_suite(one)
    texts = [item.text for item in suite.items()]
    assert any("ocelot" in text for text in texts)
    assert not any("blimfark" in text for text in texts)
    result = audit(suite.probes(), source, default_grammar(one / "words"))
    assert (result.agree, result.disagree) == (len(texts), 0)


def test_without_it_nothing_is_placed(tmp_path: Path) -> None:
    source = f"gqa:{write_scenes(tmp_path / 'data')}"
    manifest = make_suite(source, tmp_path / "suite", tests=("negation",))
    assert "wordnet" not in manifest.parameters
    assert not (tmp_path / "suite" / "words").exists()
    assert not any("ocelot" in item.text for item in open_suite(tmp_path / "suite").items())
