"""One model on the command line under several prompts, without its pictures, and several times: run, score, report."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from falter.api.model_jobs import ModelJob, RunSetup, model_jobs
from falter.core.errors import UsageError
from falter.data.model import Capabilities
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.data.suite import open_suite
from falter.evaluation.models import BACKENDS
from falter.evaluation.runs import RunSettings
from tests import program
from tests.engine.prompted_models import Prompted, load_prompted
from tests.engine.small_suite import make_suite

ADD_BACKEND = """
from falter.evaluation.models.backends import BACKENDS
from tests.engine.prompted_models import load_prompted
BACKENDS.add("prompted", load_prompted)
"""


class Tasks:
    """What a suite asks, and nothing else of it."""

    def __init__(self, tasks: set[str]) -> None:
        self._tasks = tasks

    def tasks(self) -> set[str]:
        return self._tasks


def models_to_ask(
    specs: list[str],
    context: LoadContext,
    prompts: str | None,
    tasks: set[str] = {"answer", "match"},  # noqa: B006
) -> list[ModelJob]:
    """The jobs of a command line with these models and prompts."""
    setup = RunSetup(Tasks(tasks), RunSettings(), context)  # type: ignore[arg-type]
    return model_jobs(specs, setup, prompts=[] if prompts is None else prompts.split(","))


def falter(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The program with a kind of models added, as an installed package would."""
    return program.falter(*arguments, before=ADD_BACKEND)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conditions")
    make_suite(folder / "suite", probes=60)
    runs = folder / "runs"
    for more in (
        ["--prompt", "standard", "--prompt", "plain", "--prompt", "tagged", "--out", runs],
        ["--image-input", "none", "--prompt", "plain", "--out", runs / "blind"],
        ["--repeat", "3", "--prompt", "plain", "--out", runs / "again"],
    ):
        done = falter("run", folder / "suite", "--model", "prompted:x", *more)
        assert done.returncode == 0, done.stderr
    return folder


def test_each_prompt_has_its_folder_and_its_name(folder: Path) -> None:
    found = {path.parent.name: json.loads(path.read_text()) for path in (folder / "runs").glob("*/run.json")}
    named = {name: (run["model"]["name"], run["model"]["prompt"]) for name, run in found.items()}
    assert named == {
        "prompted-prompt-standard": ("prompted (prompt: standard)", "standard"),
        "prompted-prompt-plain": ("prompted (prompt: plain)", "plain"),
        "prompted-prompt-tagged": ("prompted (prompt: tagged)", "tagged"),
        "blind": ("prompted (prompt: plain) (image: none)", "plain"),
        "again": ("prompted (prompt: plain)", "plain"),
    }
    assert all(run["model"]["rule"] == "decide:generate" for run in found.values())
    assert len({run["model"]["prompt_fingerprint"] for run in found.values()}) == 3


def test_score_sets_them_beside_each_other(folder: Path) -> None:
    done = falter("score", folder / "runs", "--json")
    assert done.returncode == 0, done.stderr
    told = {Path(entry["run"]).name: entry for entry in json.loads(done.stdout)}
    blind = told["blind"]["image_ablation"]
    assert Path(blind["with_image_run"]).name in ("again", "prompted-prompt-plain")
    acc = next(one for one in blind["scores"] if (one["group"]["test"], one["measure"]) == ("negation", "acc"))
    assert 0 < acc["retained"] < 1
    assert acc["low"] <= acc["retained"] <= acc["high"]
    (spread,) = [entry["prompts"] for entry in told.values() if "prompts" in entry]
    assert len(spread["runs"]) == 3
    assert {one["measure"] for one in spread["spread"]} == {"acc", "cons", "c_acc"}
    noise = {one["measure"]: one["value"] for one in told["again"]["scores"] if one["group"]["test"] == "negation"}
    assert 0 < noise["noise_floor"] < 0.5
    assert "noise_floor" not in {one["measure"] for one in told["blind"]["scores"]}
    signatures = {one["signature"] for one in told["blind"]["scores"]}
    assert all("|decide:generate|prompt:plain-v1-" in one and "|image:none|" in one for one in signatures)


def test_the_tables_and_the_report_tell_it(folder: Path) -> None:
    done = falter("score", folder / "runs")
    assert done.returncode == 0, done.stderr
    for words in ("Image ablation", "Over 3 prompts: ", "correct under", "noise", "CONS\nover repeats"):
        assert words.split("\n", maxsplit=1)[0] in done.stdout
    report = folder / "report.html"
    done = falter("report", folder / "runs", "--out", report)
    assert done.returncode == 0, done.stderr
    page = report.read_text()
    for words in ("Repeatability", "Image ablation", "Prompt spread: prompted", "noise floor"):
        assert words in page
    assert "prompted (prompt: plain) (image: none)" in page


def test_a_dry_run_tells_tokens_pictures_time_and_cost_and_writes_nothing(folder: Path) -> None:
    prices = folder / "prices.yaml"
    prices.write_text("prompted: {input_per_million: 100, output_per_million: 10, image_tokens: 50, currency: EUR}\n")
    arguments = ["run", folder / "suite", "--model", "prompted:x", "--dry-run", "--repeat", "2"]
    arguments += ["--max-new-tokens", "8", "-M", f"prices={prices}", "--out", folder / "dry", "--json"]
    done = falter(*arguments)
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout)
    # 60 originals and 54 + 1 distinct variants, none of which has a file; each twice.
    items = 60 + 54 + 1
    estimate = told["plan"]["estimate"]
    assert told["plan"]["to_ask"] == estimate["requests"] == 2 * items
    assert estimate["input_tokens"] == 2 * items * 10
    assert estimate["counted_by"] == "the model's tokenizer"
    assert estimate["output_tokens"] == 2 * items * 8
    assert estimate["seconds"] == pytest.approx(2 * items * 0.25)
    assert estimate["cost"] == pytest.approx(2 * items * (10 * 100 + 8 * 10) / 1e6)
    assert (estimate["currency"], estimate["images"]) == ("EUR", 0)
    assert "about 58 s, by the model's own word" in done.stderr
    assert "cost at most about 0.25 EUR" in done.stderr
    assert not (folder / "dry").exists()


def test_a_plan_names_the_prompt_and_failures_are_told(folder: Path, tmp_path: Path) -> None:
    done = falter("run", folder / "suite", "--model", "prompted:x", "--dry-run", "--prompt", "plain",
                  "--prompt", "tagged", "--out", tmp_path / "dry")  # fmt: skip
    told = [line.partition(" on ")[0] for line in done.stderr.splitlines() if "distinct items" in line]
    assert told == ["prompted (prompt: plain)", "prompted (prompt: tagged)"]
    answers = tmp_path / "answers.jsonl"
    item = next(open_suite(folder / "suite").probes()).items[0]
    answers.write_text(json.dumps({"item_id": item.item_id, "answer": "yes"}) + "\n")
    done = falter("run", folder / "suite", "--model", f"file:{answers}", "--out", tmp_path / "run")
    assert done.returncode == 1, done.stderr
    assert "  failed, for example: " in done.stderr


@pytest.mark.parametrize(
    ("spec", "prompts", "options", "said"),
    [
        ("prompted:x", "plain,plain", {}, "two prompts are named plain"),
        ("prompted:x", "plain,polite", {}, "unknown prompt 'polite'"),
        ("prompted:x", "plain,tagged", {"prompt": "plain"}, "name a prompt already"),
        ("builtin:always-yes", "plain,tagged", {}, "uses no prompt on this suite"),
    ],
)
def test_mistakes_with_prompts(
    monkeypatch: pytest.MonkeyPatch, spec: str, prompts: str, options: dict[str, str], said: str
) -> None:
    monkeypatch.setattr(BACKENDS, "_added", {"prompted": load_prompted})
    context = LoadContext(options=ModelOptions(**options))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=said):
        list(models_to_ask([spec], context, prompts))


def test_what_has_no_effect_on_any_model_is_refused_and_on_some_is_told(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(BACKENDS, "_added", {"prompted": load_prompted})
    context = LoadContext(options=ModelOptions(prompt="plain"))
    with pytest.raises(UsageError, match="--prompt has no effect: builtin:always-yes uses no prompt on this suite"):
        list(models_to_ask(["builtin:always-yes"], context, None))
    both = list(models_to_ask(["builtin:always-yes", "prompted:x"], context, None))
    assert [one.name for one in both] == ["always-yes", "prompted (prompt: plain)"]
    assert [str(one.message) for one in recwarn.list] == [
        "builtin:always-yes uses no prompt on this suite; --prompt has no effect on it",
    ]
    recwarn.clear()
    # A prompt that is put around questions alone does nothing to captions.
    context = LoadContext(options=ModelOptions(prompt="plain"))
    both = Capabilities(tasks=frozenset(("answer", "match")), prompted_tasks=frozenset(("answer",)))
    monkeypatch.setattr(Prompted, "declared", both)
    with pytest.raises(UsageError, match="--prompt has no effect"):
        list(models_to_ask(["prompted:x"], context, None, {"match"}))
    with pytest.raises(UsageError, match="uses no prompt on this suite"):
        list(models_to_ask(["prompted:x"], LoadContext(), "plain,tagged", {"match"}))
    assert [one.name for one in models_to_ask(["prompted:x"], context, None, {"answer", "match"})] == [
        "prompted (prompt: plain)"
    ]
    assert not recwarn.list


def test_plans_of_models_without_a_server_say_nothing_of_cost(folder: Path, tmp_path: Path) -> None:
    done = falter("run", folder / "suite", "--model", "prompted:x", "--dry-run", "--out", tmp_path / "run")
    assert "time" not in done.stderr and "about" in done.stderr
    assert "cost" not in done.stderr


def test_only_one_wording_is_loaded_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str | None] = []

    def load(rest: str, context: LoadContext) -> Prompted:
        loaded.append(context.options.prompt)
        return load_prompted(rest, context)

    monkeypatch.setattr(BACKENDS, "_added", {"prompted": load})
    asked = list(models_to_ask(["prompted:x", "prompted:y"], LoadContext(), "plain,tagged"))
    assert loaded == ["plain", "plain"]
    names = [(one.spec, one.name, one.load().prompt.name) for one in asked]  # type: ignore[attr-defined]
    assert names == [
        ("prompted:x", "prompted (prompt: plain)", "plain"),
        ("prompted:x", "prompted (prompt: tagged)", "tagged"),
        ("prompted:y", "prompted (prompt: plain)", "plain"),
        ("prompted:y", "prompted (prompt: tagged)", "tagged"),
    ]


def test_a_model_is_shown_with_its_prompt_filled_in(folder: Path) -> None:
    (folder / "system.txt").write_text("Be brief.")
    done = falter("list", "model", "prompted:x", "--prompt", "tagged", "-M", f"system={folder / 'system.txt'}")
    assert done.returncode == 0, done.stderr
    for words in ("decide:generate", "tagged-v1-", "Be brief.", "Question: Is there a dog on the sofa? Yes or no?"):
        assert words in done.stdout
    # It cannot match: no template of captions is shown.
    assert "A dog lies on the sofa" not in done.stdout
