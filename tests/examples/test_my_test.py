"""The examples do what the documentation says of them, through the real program."""

from __future__ import annotations

import json
import random
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests import program

EXAMPLES = Path(__file__).parents[2] / "examples"
MY_TEST = EXAMPLES / "my_test"
MY_WORDS = EXAMPLES / "my_words"


def falter(*arguments: str | Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program; ``path`` is a folder of installed packages to add."""
    return program.falter(*arguments, cwd=EXAMPLES, path=path)


def done(*arguments: str | Path, path: Path | None = None) -> str:
    result = falter(*arguments, path=path)
    assert result.returncode == 0, result.stderr
    return result.stdout


def probes_of(suite: Path) -> list[dict[str, Any]]:
    return list(json.loads(done("inspect", suite, "--sample", "100000", "--json"))["sample"])


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples") / "world"
    done("world", "--out", folder, "--num-scenes", "30", "--seed", "3")
    return folder / "val"


@pytest.fixture(scope="module")
def suite(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples") / "suite"
    done("generate", "carets", "--from", f"gqa:{world}", "--plugin-dir", MY_TEST, "--test", "capitals", "--out", folder)
    return folder


def test_the_example_is_short() -> None:
    lines = [line for path in sorted(MY_TEST.iterdir()) if path.is_file() for line in path.read_text().splitlines()]
    assert len(lines) < 50


def test_capitals_are_made_and_audited(world: Path, suite: Path) -> None:
    probes = probes_of(suite)
    assert len(probes) >= 20
    for probe in probes:
        original, variant = probe["items"]
        assert variant["text"] == original["text"].upper() != original["text"]
        assert variant["gold"] == original["gold"]
        assert (variant["test"], variant["expects"]) == ("capitals", "same")
    result = json.loads(done("audit", suite, "--scenes", f"gqa:{world}", "--json"))
    assert (result["agree"], result["disagree"]) == (2 * len(probes), 0)


def test_models_are_asked_and_scored(world: Path, suite: Path, tmp_path: Path) -> None:
    models = ("--model", "builtin:oracle", "--model", "python:my_model:Brightness")
    done("run", suite, *models, "--scenes", f"gqa:{world}", "--out", tmp_path)
    runs = json.loads(done("score", tmp_path / "oracle", tmp_path / "brightness", "--json"))
    oracle, brightness = ({score["measure"]: score for score in run["scores"]} for run in runs)
    assert {score["group"]["test"] for score in oracle.values()} == {"capitals"}
    assert oracle["c_acc"]["value"] == 1
    assert oracle["c_acc"]["n"] == len(probes_of(suite))
    # It looks at the picture, and the picture alone: both questions of a pair have the same answer.
    assert brightness["cons"]["value"] == 1
    assert 0 < brightness["yes_rate"]["value"] < 1
    assert brightness["unparsed"]["value"] == 0


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks as an installer leaves it."""
    site = tmp_path_factory.mktemp("site")
    project = tomllib.loads((MY_TEST / "pyproject.toml").read_text())
    for name in project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        (site / name).write_text((MY_TEST / name).read_text())
    facts = project["project"]
    info = site / f"{facts['name'].replace('-', '_')}-{facts['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {facts['name']}\nVersion: {facts['version']}\n")
    lines = []
    for group, entries in facts["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return site


@pytest.mark.parametrize("extend", [(), ("--plugin-dir", MY_TEST)], ids=["installed", "installed and extended"])
def test_the_package_brings_the_test(
    world: Path, suite: Path, installed: Path, extend: tuple[str | Path, ...], tmp_path: Path
) -> None:
    assert "capitals" in done("list", "suites", path=installed)
    out = tmp_path / "suite"
    done("generate", "carets", "--from", f"gqa:{world}", "--test", "capitals", *extend, "--out", out, path=installed)
    assert (out / "items.parquet").read_bytes() == (suite / "items.parquet").read_bytes()


def test_without_the_extension_there_is_no_such_test(world: Path, tmp_path: Path) -> None:
    assert "capitals" not in done("list", "suites")
    refused = falter("generate", "carets", "--from", f"gqa:{world}", "--test", "capitals", "--out", tmp_path / "suite")
    assert refused.returncode == 2
    assert "capitals" in refused.stderr


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scene graphs in GQA's form, without pictures, of things that Falter alone has no word for."""
    draw = random.Random(7)
    graphs = {}
    for number in range(40):
        names = draw.sample(["llama", "barley", "horse", "fence", "bucket", "tree"], 3)
        graphs[f"farm{number}"] = {
            "width": 400,
            "height": 300,
            "objects": {
                str(place): {"name": name, "x": 20 + 120 * place, "y": 100, "w": 90, "h": 80}
                for place, name in enumerate(names)
            },
        }
    folder = tmp_path_factory.mktemp("farm")
    (folder / "scene_graphs.json").write_text(json.dumps(graphs))
    return folder


def test_words_and_templates_from_a_folder(farm: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    done("generate", "carets", "--from", f"gqa:{farm}", "--plugin-dir", MY_WORDS, "--test", "rephrase", "--out", suite)
    items = [item for probe in probes_of(suite) for item in probe["items"]]
    llamas = [item for item in items if "llama" in item["text"].lower()]
    assert {item["gold"] for item in llamas} >= {"yes", "no"}
    assert any("barley" in item["text"] for item in items)
    assert any(item["text"].startswith("Could you point to") for item in items)
    result = json.loads(done("audit", suite, "--scenes", f"gqa:{farm}", "--plugin-dir", MY_WORDS, "--json"))
    assert (result["agree"], result["disagree"]) == (len(items), 0)

    done("run", suite, "--model", "builtin:always-yes", "--out", tmp_path / "run")
    (run,) = json.loads(done("score", tmp_path / "run", "--json"))
    values = {score["measure"]: score["value"] for score in run["scores"]}
    # Half of the yes/no questions, and none of the choices between kinds.
    binary = sum(item["gold"] in ("yes", "no") for item in items) / len(items)
    assert values["acc"] == pytest.approx(binary / 2)
    assert values["cons"] == 1


def test_the_oracle_reads_words_from_a_folder_and_the_run_names_it(farm: Path, tmp_path: Path) -> None:
    suite, run = tmp_path / "suite", tmp_path / "run"
    done("generate", "carets", "--from", f"gqa:{farm}", "--plugin-dir", MY_WORDS, "--test", "negation", "--out", suite)
    asking = ("run", suite, "--model", "builtin:oracle", "--scenes", f"gqa:{farm}")
    done(*asking, "--plugin-dir", MY_WORDS, "--out", run)
    counts = json.loads((run / "run.json").read_text())["counts"]
    assert counts["ok"] == sum(counts.values()) > 20
    (scored,) = json.loads(done("score", run, "--json"))
    assert {score["measure"]: score["value"] for score in scored["scores"]}["c_acc"] == 1

    (mark,) = json.loads((suite / "suite.json").read_text())["parameters"]["extend"]
    assert mark.startswith("my_words:")
    assert json.loads((run / "run.json").read_text())["settings"]["extend"] == [mark]
    without = falter(*asking, "--out", run)
    assert without.returncode == 2, "other words, another run"
    assert "my_words" in without.stderr
    done(*asking, "--out", tmp_path / "plain")
    plain = json.loads((tmp_path / "plain" / "run.json").read_text())
    assert plain["counts"]["unsupported"] > 0
    assert "extend" not in plain["settings"]


def test_without_the_words_the_labels_cannot_be_derived(farm: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    done("generate", "carets", "--from", f"gqa:{farm}", "--plugin-dir", MY_WORDS, "--test", "negation", "--out", suite)
    assert falter("audit", suite, "--scenes", f"gqa:{farm}").returncode == 1
