"""A suite from outside the package goes the whole way: generated, audited, run, scored, compared, gated, reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from falter.cli.main import build_app
from falter.core.bundle import BUNDLES
from falter.core.errors import UsageError
from falter.data.suite import open_suite
from falter.world.write_world import write_world

MY_SUITE = Path(__file__).parents[2] / "examples" / "my_suite"


def cli(*arguments: str | Path, exit_code: int = 0) -> str:
    """A command within this process: a process for each would take longer than the work."""
    done = CliRunner().invoke(build_app(), [str(one) for one in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == exit_code, done.output
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, registered: None) -> Path:
    root = tmp_path_factory.mktemp("shouting")
    write_world(root / "world", 50, 0)
    plugin = ("--plugin-dir", MY_SUITE)
    cli(
        "generate",
        "shouting",
        *plugin,
        "--from",
        f"vqa:{root / 'world' / 'val'}",
        "--size",
        40,
        "--out",
        root / "suite",
    )
    return root


def test_it_is_generated_and_listed(folder: Path) -> None:
    suite = open_suite(folder / "suite")
    assert suite.manifest.name == "shouting"
    probes = list(suite.probes())
    assert 0 < len(probes) <= 40
    assert all(probe.variants[0].text == probe.original.text.upper() for probe in probes)
    assert "shouting: Shouting: questions in capital letters" in cli("list", "suites")
    assert "--mean-color" not in cli("generate", "shouting", "--help")


def test_its_own_audit_finds_a_changed_label(folder: Path, tmp_path: Path) -> None:
    result = json.loads(cli("audit", folder / "suite", "--plugin-dir", MY_SUITE, "--json"))
    assert result["disagree"] == 0
    assert result["agree"] == result["items"] > 0
    from falter.generation.english import default_grammar
    from falter.generation.inspection.audit import audit

    (probe, *_) = open_suite(folder / "suite").probes()
    planted = type(probe).of(probe.original, probe.variants[0].change(text=probe.variants[0].text.lower()))
    found = audit([planted], None, default_grammar())
    assert found.disagree == 2
    assert found.disagreements[0].reason == "the variant is not the original in capitals"


def test_it_is_run_scored_compared_gated_and_reported(folder: Path, tmp_path: Path) -> None:
    train = ("--train", f"vqa:{folder / 'world' / 'train'}")
    for model in ("prior", "blind"):
        cli("run", folder / "suite", "--model", f"builtin:{model}", *train, "--out", tmp_path / model)
    (told,) = json.loads(cli("score", tmp_path / "prior", "--json"))
    (flips,) = [row for row in told["scores"] if row["measure"] == "flips"]
    assert flips["n"] == len(list(open_suite(folder / "suite").probes()))
    compared = json.loads(cli("compare", tmp_path / "prior", tmp_path / "blind", "--json"))["comparisons"]
    assert "flips" in {row["measure"] for row in compared}
    cli("check", tmp_path / "prior", "--require", "shouting.capitals.flips<=1")
    cli("check", tmp_path / "prior", "--require", "shouting.capitals.flips>=1", exit_code=1)
    cli("report", tmp_path / "prior", tmp_path / "blind", "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "Does shouting change answers?" in page
    assert "Capitals change no meaning." in page


def test_a_source_without_questions_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "graphs.json").write_text("{}")

    class Bare:
        name = "bare"
        licence = ""

        def describe(self) -> dict[str, Any]:
            return {"name": "bare"}

        def image_ids(self) -> list[str]:
            return []

        def image_path(self, image_id: str) -> None:
            return None

    from falter.generation.authoring.generator import generate
    from falter.generation.authoring.options import GenerateOptions

    with pytest.raises(UsageError, match="the source bare has no questions, which shouting needs"):
        generate(BUNDLES.get("shouting"), Bare(), tmp_path / "out", GenerateOptions())
