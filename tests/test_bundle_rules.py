"""The trunk knows no suite: it names none, and works without each of them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import falter
from falter.cli.main import build_app
from falter.core.bundle import BUNDLES
from falter.core.errors import UsageError
from falter.data.sources import SOURCES
from falter.data.suite import open_suite
from tests.source_trees import parsed
from tests.suites.benchmarks.releases import RELEASES
from tests.suites.made import raw_graphs, write_graphs
from tests.suites.test_import_valse import release

ROOT = Path(falter.__file__).parent


def cli(*arguments: str | Path) -> str:
    done = CliRunner().invoke(build_app(), [str(one) for one in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def docstrings(tree: ast.AST) -> set[int]:
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    return {
        id(one.value)
        for body in bodies
        for one in body
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
    }


def test_no_string_of_the_trunk_is_a_bundles_name() -> None:
    names = {name for bundle in BUNDLES.available() for name in (bundle.name, *bundle.suite_names, *bundle.importers)}
    names -= set(SOURCES.names())
    assert "carets" in names
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).parts[0] == "suites":
            continue
        tree = parsed(path)
        said = docstrings(tree)
        found += [
            f"{path.relative_to(ROOT)}:{node.lineno} says {node.value!r}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said
            if node.value in names or node.value.startswith("falter.suites.")
        ]
    assert found == []


def test_importing_one_release_loads_no_code_of_another_bundle(tmp_path: Path) -> None:
    folder = release(tmp_path / "in")
    program = (
        "import sys\n"
        "from falter.cli.main import build_app\n"
        f"words = ['import', 'valse', {str(folder)!r}, '--out', {str(tmp_path / 'out')!r}]\n"
        "build_app()(words, standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith(('falter.suites.carets.', 'falter.suites.basic'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = ast.literal_eval(done.stdout.splitlines()[-1])
    assert [name for name in loaded if name.count(".") > 2] == []


def generate_carets(folder: Path) -> Path:
    source = write_graphs(folder / "gqa", raw_graphs(12, seed=5))
    given = ("--from", source, "--test", "negation", "--size", "12", "--images", "none")
    cli("generate", "carets", *given, "--out", folder / "suite")
    return folder / "suite"


def import_valse(folder: Path) -> Path:
    cli("import", "valse", release(folder / "in"), "--out", folder / "suite")
    return folder / "suite"


def generate_basic_questions(folder: Path) -> Path:
    from tests.suites.basic_questions.conftest import write_vqa

    words = ("dog", "cat", "tree", "cup", "car")
    records = [{"question": f"Is there a {word} here?", "answer": "yes", "type": "yes/no"} for word in words]
    pool = [{"question": f"Do you see a {word} there?", "answer": "yes", "type": "yes/no"} for word in words]
    main, others = write_vqa(folder / "main", records), write_vqa(folder / "pool", pool)
    given = ("--from", main, "--pool", others, "--ranker", "bm25", "--test", "noise", "--images", "none")
    cli("generate", "basic-questions", *given, "--out", folder / "suite")
    return folder / "suite"


def generate_rad(folder: Path) -> Path:
    from tests.suites.basic_questions.conftest import write_vqa

    records = [
        {"question": f"What color is the {noun}?", "answer": color, "type": "other"}
        for noun in ("dog", "cat", "cup")
        for color in ("red", "blue", "white")
    ]
    source = write_vqa(folder / "main", records)
    cli("generate", "rad", "--from", source, "--images", "none", "--out", folder / "suite")
    return folder / "suite"


def generate_contrast_sets(folder: Path) -> Path:
    from tests.suites.made import raw_graphs, write_graphs

    source = write_graphs(folder / "in", raw_graphs(4))
    given = ("--test", "side", "--test", "color", "--images", "none")
    cli("generate", "contrast-sets", "--from", source, *given, "--out", folder / "suite")
    return folder / "suite"


def import_release(name: str) -> Callable[[Path], Path]:
    """A suite of one of the benchmarks that are imported alone."""

    def make(folder: Path) -> Path:
        cli("import", name, RELEASES[name](folder / "in"), "--out", folder / "suite")
        return folder / "suite"

    return make


MAKE = {
    "basic-questions": generate_basic_questions,
    "carets": generate_carets,
    "contrast-sets": generate_contrast_sets,
    "rad": generate_rad,
    "valse": import_valse,
    **{name: import_release(name) for name in RELEASES},
}


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in MAKE.items()}


def test_every_bundle_of_ours_is_tried() -> None:
    assert set(MAKE) == {bundle.name for bundle in BUNDLES.available() if bundle.package.startswith("falter.suites.")}


@pytest.mark.parametrize("name", MAKE)
def test_the_trunk_works_without_a_bundle(name: str, suites: dict[str, Path], tmp_path: Path) -> None:
    with BUNDLES.without(name):
        listed = [row["name"] for row in json.loads(cli("list", "suites", "--json"))]
        assert name not in listed
        with pytest.raises(UsageError, match="unknown suite"):
            cli("generate", name, "--from", "gqa:nowhere", "--out", tmp_path / "none")
        # Every suite is made without one other; `make soak` runs all their tests without each.
        other = list(MAKE)[list(MAKE).index(name) - 1]
        made = MAKE[other](tmp_path / other)
        assert (made / "items.parquet").read_bytes() == (suites[other] / "items.parquet").read_bytes()
        # A suite on disk needs no bundle to be inspected, run, scored and reported.
        suite, run = suites[name], tmp_path / "run"
        assert open_suite(suite).manifest.name in cli("inspect", suite)
        cli("run", suite, "--model", "builtin:always-yes", "--out", run)
        (told,) = json.loads(cli("score", run, "--json"))
        measures: set[Any] = {row["measure"] for row in told["scores"]}
        assert "pairs" in measures
        assert "r_score" not in measures
        cli("report", run, "--out", tmp_path / "report.html")
        assert (tmp_path / "report.html").is_file()


def test_bundles_and_their_options_load_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from falter.core.bundle import BUNDLES\n"
        "options = [bundle.get('options') for bundle in BUNDLES.available()]\n"
        "print(len(options), sorted({'numpy', 'polars', 'sklearn', 'torch', 'pyarrow'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    number, _, heavy = done.stdout.strip().partition(" ")
    assert int(number) >= 3
    assert heavy == "[]"
