"""``import falter``: light, complete, and the same as the command line."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
import typing
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.api.running import shortfall
from falter.core.bundle import BUNDLES
from falter.core.errors import UsageError
from falter.data.model import Capabilities
from falter.generation.inspection.contents import ContentsTable
from tests.cli.commands import falter as falter_command

ROOT = Path(falter.__file__).parent
MOST_NAMES = 32
"""What a reader of ``dir(falter)`` takes in: more go into a submodule or into ``falter.extend``."""


def loaded_after(code: str) -> set[str]:
    """The modules that a new process has loaded after some code."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_falter_loads_nothing_heavy() -> None:
    loaded = loaded_after("import falter")
    assert not {"numpy", "polars", "pyarrow", "msgspec", "rich", "typer", "sklearn", "torch", "PIL"} & loaded
    assert {name for name in loaded if name.startswith("falter.")} == {
        "falter.core",
        "falter.core.lazy",
        "falter.core.version",
    }


def test_scoring_loads_no_model(tmp_path: Path, small_suite: Path, small_runs: list[Path]) -> None:
    code = f"import falter; falter.score({str(small_runs[0])!r}); falter.compare(*{[str(one) for one in small_runs]!r})"
    loaded = loaded_after(code)
    unwanted = ("falter.evaluation.models", "falter.evaluation.engine", "falter.cli", "torch")
    assert not {name for name in loaded if name.startswith(unwanted)}


def test_every_public_name_is_there() -> None:
    assert len(falter.__all__) <= MOST_NAMES
    for name in falter.__all__:
        assert getattr(falter, name) is not None, name
        assert name in dir(falter)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = falter.nothing


def test_what_type_checkers_see_is_what_there_is() -> None:
    tree = ast.parse(Path(falter.__file__).read_text())
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.asname or alias.name for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen | {"__version__"} == set(falter.__all__)


def test_no_public_name_is_a_folder_or_module() -> None:
    modules = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not modules & set(falter.__all__)


@pytest.mark.bundle("basic-questions")
def test_functions_of_bundles_are_found() -> None:
    assert callable(falter.rank)


@pytest.mark.parametrize("name", [name for name in falter.__all__ if inspect.isfunction(getattr(falter, name))])
def test_every_function_is_annotated_and_described(name: str) -> None:
    function = getattr(falter, name)
    assert (function.__doc__ or "").strip().endswith((".", "``"))
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())


@pytest.fixture(scope="module")
def small_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "world"
    falter.write_world(folder, scenes=60)
    return folder


@pytest.fixture(scope="module")
def small_suite(small_world: Path, tiny_suite: Path) -> Path:
    out = small_world.parent / "suite"
    falter.generate("tiny", f"gqa:{small_world}/val", out=out, size=12, plugins=[tiny_suite])
    return out


@pytest.fixture(scope="module")
def small_runs(small_world: Path, small_suite: Path) -> list[Path]:
    runs = falter.run(
        small_suite,
        ["builtin:always-yes", "builtin:oracle"],
        out=small_suite.parent / "runs",
        scenes=f"gqa:{small_world}/val",
    )
    return [run.folder for run in runs]


def test_a_suite_says_what_it_is(small_suite: Path) -> None:
    suite = falter.load(str(small_suite))
    assert "tiny" in repr(suite)
    assert "negation" in repr(suite)
    assert len(suite) == 24
    assert sum(1 for _ in suite) == 24
    assert suite.to_polars().height == 48


def test_a_function_is_a_model(small_suite: Path, tmp_path: Path) -> None:
    suite = falter.load(small_suite)
    run = falter.run(suite, lambda requests: ["Yes." for _ in requests], name="mine", out=tmp_path / "mine")
    assert "mine" in repr(run)
    assert run.manifest.complete
    frame = run.scores(by="type").to_polars()
    assert set(frame["test"]) == {"negation", "rephrase", "overall"}
    outcomes = run.outcomes()
    assert outcomes.height == 48
    assert set(outcomes["outcome"].cast(str).unique()) <= {"correct", "incorrect", "off_list"}
    (cons,) = run.scores().filter(test="negation", measure="cons")
    assert cons.value == 0


def test_two_functions_never_mix_in_one_run(small_suite: Path, tmp_path: Path) -> None:
    falter.run(small_suite, lambda requests: ["yes"] * len(requests), name="mine", out=tmp_path / "run", limit=2)
    with pytest.raises(falter.FalterError):
        falter.run(small_suite, lambda requests: ["no"] * len(requests), name="mine", out=tmp_path / "run", limit=2)
    with pytest.raises(falter.FalterError):
        falter.run(
            small_suite,
            lambda requests: ["yes"] * len(requests),
            name="mine",
            version="2",
            out=tmp_path / "run",
            limit=2,
        )


def test_a_lambda_needs_a_name(small_suite: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name="):
        falter.run(small_suite, lambda requests: ["yes"] * len(requests), out=tmp_path / "run")


@pytest.mark.parametrize("model", [42, None, {"builtin:oracle"}, [42], object()])
def test_what_is_no_model_is_refused(model: Any, small_suite: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a model is a spec"):
        falter.run(small_suite, model, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_scores_are_those_of_the_command(small_runs: list[Path]) -> None:
    scores = falter.score(small_runs, by=["type"])
    printed = falter_command("score", *small_runs, "--by", "type", "--json")
    assert json.loads(scores.to_json()) == json.loads(printed.stdout)
    assert str(scores) == falter_command("score", *small_runs, "--by", "type").stdout.rstrip("\n")
    assert "<table>" in scores._repr_html_()
    assert scores.to_polars().height == len(scores) == len(scores.to_pandas())


def test_comparisons_are_those_of_the_command(small_runs: list[Path]) -> None:
    found = falter.compare(*small_runs)
    printed = falter_command("compare", *small_runs, "--json")
    assert json.loads(found.to_json()) == json.loads(printed.stdout)
    assert str(found) == falter_command("compare", *small_runs).stdout.rstrip("\n")
    (negation,) = found.filter(test="negation", measure="c_acc")
    assert negation.better == "second"


def test_checks_overlaps_and_reports(small_runs: list[Path], tmp_path: Path) -> None:
    assert falter.check(small_runs[1], "tiny.negation.c_acc>=60%").passed
    failed = falter.check(small_runs[0], ["tiny.negation.c_acc>=90%", "tiny.negation.acc>=20%"])
    assert [one.passed for one in failed] == [False, True]
    assert len(falter.compare(small_runs, what="overlap")) > 0
    page = falter.report(small_runs, tmp_path / "report.html")
    assert page.read_text().startswith("<!doctype html>")


def test_an_audit_and_an_inspection(small_world: Path, small_suite: Path) -> None:
    audit = falter.audit(small_suite, f"gqa:{small_world}/val")
    assert audit.disagree == 0
    assert audit.agree == audit.items == 48
    inspection = falter.inspect(small_suite, sample=2)
    assert inspection.contents.probes == 24
    assert len(inspection.sample) == 2
    assert "negation" in str(inspection)


@pytest.mark.bundle("basic-questions", "carets", "valse")
def test_suites_and_importers_are_listed() -> None:
    assert {"carets", "basic-questions"} <= {one.name for one in falter.available("suites")}
    assert {"carets", "valse"} <= {one.name for one in falter.available("importers")}


def test_what_there_is() -> None:
    assert {"hf", "clip", "lm", "openai", "python", "file", "builtin"} == {
        one.name for one in falter.available("models")
    }
    assert "c_acc" in {one.name for one in falter.available("measures")}
    with pytest.raises(UsageError, match="unknown listing 'things'"):
        falter.available(typing.cast(Any, "things"))


def test_own_probes_become_a_suite(tmp_path: Path) -> None:
    probes = [
        falter.Probe.of(
            falter.Item.make(
                suite="mine", test="shout", probe_id=f"p{number}", text=f"is it red {number}?", gold="yes"
            ),
            falter.Item.make(
                suite="mine", test="shout", probe_id=f"p{number}", text=f"IS IT RED {number}?", gold="yes", variant=1
            ),
        )
        for number in range(3)
    ]
    suite = falter.write_suite(probes, tmp_path / "mine", name="mine")
    run = falter.run(suite, "builtin:always-yes", out=tmp_path / "run")
    (score,) = run.scores().filter(measure="c_acc")
    assert (score.value, score.n) == (1.0, 3)


def test_prompts_are_listed() -> None:
    assert {"standard", "plain", "tagged"} <= {prompt.name for prompt in falter.available("prompts")}


def test_shards_merge_to_the_undivided_run(small_suite: Path, tmp_path: Path) -> None:
    whole = falter.run(small_suite, "builtin:always-yes", out=tmp_path / "whole")
    parts = [
        falter.run(small_suite, "builtin:always-yes", out=tmp_path / f"part{number}", shard=f"{number}/3")
        for number in (1, 2, 3)
    ]
    assert "is part 2/3 of a run" in " ".join(str(parts[1].scores()).split())
    assert "is part" not in str(whole.scores())
    merged = falter.merge(parts, tmp_path / "merged")
    for path in sorted(whole.folder.iterdir()):
        assert (merged.folder / path.name).read_bytes() == path.read_bytes()


def test_model_options_are_checked() -> None:
    from falter.api.model_jobs import build_model_options

    options = build_model_options({"max_new_tokens": 8, "prices": "prices.yaml"})
    assert (options.max_new_tokens, options.prices) == (8, Path("prices.yaml"))
    with pytest.raises(UsageError, match="no model option 'max_tokens'"):
        build_model_options({"max_tokens": 8})
    with pytest.raises(UsageError, match="max-new-tokens is at least 1"):
        build_model_options({"max_new_tokens": 0})
    with pytest.raises(UsageError, match="model options: Expected"):
        build_model_options({"max_new_tokens": "many"})
    with pytest.raises(UsageError, match="unknown prompt 'polite'"):
        build_model_options({"prompt": "polite"})


WITH_DEMO = ("carets", "contrast-sets", "rad", "valse")


@pytest.mark.bundle("basic-questions", "carets")
@pytest.mark.parametrize("name", BUNDLES.names())
def test_the_demo_has_the_other_bundles_without_each(name: str) -> None:
    from falter.api.demo import bundles_to_show

    there = [one for one in WITH_DEMO if one != name and one in BUNDLES.names()]
    with BUNDLES.without(name):
        assert [bundle.name for bundle in bundles_to_show()] == there


@pytest.mark.bundle("basic-questions", "carets")
def test_a_fallback_is_shown_where_no_other_bundle_has_a_demo() -> None:
    from falter.api.demo import bundles_to_show

    with ExitStack() as removed:
        for name in WITH_DEMO:
            removed.enter_context(BUNDLES.without(name))
        assert [bundle.name for bundle in bundles_to_show()] == ["basic-questions"]


@pytest.mark.bundle("basic-questions", "carets")
@pytest.mark.parametrize(
    "name",
    # Between them these two show every demo; all that a newcomer sees is in tests/cli/test_demo.py.
    [name if name in ("carets", "valse") else pytest.param(name, marks=pytest.mark.soak) for name in BUNDLES.names()],
)
def test_the_demo_runs_without_each_bundle(name: str, tmp_path: Path) -> None:
    from falter.api.demo import run_demo

    shown: list[Any] = []
    with BUNDLES.without(name):
        assert run_demo(tmp_path, scenes=20, pairs=4, seed=0, workers=1, announce=lambda _: None, show=shown.append)
    # Each bundle that has a demo shows its audit, its scores and its report.
    audited, scored, reported = shown[::3], shown[1::3], shown[2::3]
    assert len(audited) == len(scored) == len(reported)
    assert all("0 disagreements" in text for text in audited)
    suites = [suite for scores in scored for suite in {score.suite for score in scores}]
    assert suites == [suite for suite in WITH_DEMO if suite != name]
    assert reported[0] == f"report: {tmp_path / 'report.html'}"
    assert reported[1:] == [f"report: {tmp_path / suite / 'report.html'}" for suite in suites[1:]]
    assert all(any(score.n for score in scores) for scores in scored)


def test_inspect_speaks_of_single_questions_and_fits_80_columns(tmp_path: Path) -> None:
    probes = [
        falter.Probe(
            (
                falter.Item.make(
                    probe_id=f"p{number}",
                    suite="mine",
                    test="one",
                    text="Is there a dog?",
                    gold="yes",
                    facets={"place": f"somewhere far away {number % 9}"},
                ),
            )
        )
        for number in range(1200)
    ]
    licence = "Made for this test, and to be used by anybody for anything at all."
    falter.write_suite(probes, tmp_path / "suite", name="mine", licence=licence)
    told = str(falter.inspect(tmp_path / "suite", sample=0))
    assert "one: 1,200 single questions; golds yes 1,200" in told
    assert "at all\n" in told and "seed" not in told and "expects" not in told
    assert max(map(len, told.splitlines())) <= 80


def test_wide_tables_of_inspect_are_in_pieces_of_80_columns(tmp_path: Path) -> None:
    probes = [
        falter.Probe((falter.Item.make(probe_id="p", suite="mine", test="one", text="Is there a dog?", gold="yes"),))
    ]
    falter.write_suite(probes, tmp_path / "suite", name="mine")
    found = falter.inspect(tmp_path / "suite", sample=0)
    columns = {f"figure {number}": [f"{number:,} of 1,000"] for number in range(10, 22)}
    note = "What the figures say of the captions and the foils, in a sentence that is longer than a line of 80 columns."
    found.contents.tables.append(
        ContentsTable(name="foils", title="captions and foils", rows={"one": 1}, columns=columns, note=note)
    )
    told = str(found)
    assert max(map(len, told.splitlines())) <= 80
    assert all(f"{number} of 1,000" in told for number in range(10, 22))
    assert told.count("captions and foils ") == 3, "every piece has the names of its rows"
    assert note in " ".join(told.split())


@pytest.mark.parametrize(
    ("task", "tasks", "said"),
    [
        (
            "match",
            ("answer",),
            "a model that can match texts with images (captions and foils), and this one can answer",
        ),
        ("answer", ("match",), "a model that can answer questions, and this one can match texts"),
        ("answer", ("answer",), "it needs images, and the items have none"),
    ],
)
def test_a_run_that_no_item_suits_says_what_the_model_lacks(
    tmp_path: Path, task: Any, tasks: tuple[str, ...], said: str
) -> None:
    class Model:
        name = fingerprint = "mine"
        capabilities = Capabilities(tasks=tasks, needs_image=True)  # type: ignore[arg-type]

        def reply(self, batch: Any) -> Any:
            raise AssertionError("nothing is asked")

    item = falter.Item.make(probe_id="p", suite="mine", test="one", text="Is there a dog?", gold="yes", task=task)
    falter.write_suite([falter.Probe((item,))], tmp_path / "suite", name="mine")
    short = shortfall(falter.run(tmp_path / "suite", Model(), out=tmp_path / "run"))
    assert "mine supports none of the 1 item; there is nothing to score: " in short
    assert said in short
