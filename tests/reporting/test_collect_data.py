"""From suites and runs on disk to a report's data, and the command around it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from falter.cli.main import build_app
from falter.core.errors import UsageError
from falter.core.files import sha256_of_file
from falter.data.items import ImageRef, Item, Probe
from falter.data.model import Capabilities, Reply, Request
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.reporting import collect, render_report
from falter.evaluation.reporting.overview import overviews
from falter.evaluation.reporting.scores import ScoresByModel
from falter.evaluation.reporting.svg_charts import model_color
from falter.evaluation.runs import Run, open_run
from falter.evaluation.runs.failure_records import Failure
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.runs.store import compact
from falter.evaluation.score_options import ScoreOptions

from .made_up import draw_image


class Answering:
    """A model that is a function from the question to what it says."""

    capabilities = Capabilities()

    def __init__(self, name: str, say: Callable[[str], Reply | str]) -> None:
        self.name = name
        self.fingerprint = f"{name}-1"
        self._say = say

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [self._one(request) for request in batch]

    def _one(self, request: Request) -> Reply:
        said = self._say(request.text)
        if isinstance(said, str):
            return Reply(item_id=request.item_id, text=said, answer=said)
        return Reply(**{**{name: getattr(said, name) for name in said.__struct_fields__}, "item_id": request.item_id})


def _item(probe: int, variant: int, test: str, text: str, gold: str, image: ImageRef, name: str) -> Item:
    return Item.make(
        probe_id=f"{test}-{probe}",
        variant=variant,
        suite=name,
        test=test,
        expects="different" if test == "negation" else "same",
        image=image,
        text=text,
        gold=gold,
        choices=("yes", "no"),
        facets={
            "answer": gold,
            "only": "one",
            "object" if name == "carets" else f"object of {name}": f"thing {probe % 3}",
        },
    )


def _suite(folder: Path, *, probes: int = 8, seed: int = 0, name: str = "carets") -> Path:
    images = folder.parent / f"{folder.name}-images"
    images.mkdir()
    manifest = SuiteManifest(
        name=name, title="A small suite", seed=seed, licence="CC-BY-4.0", parameters={"size": probes}
    )
    with create_suite(folder, manifest) as writer:
        for test in ("rephrase", "negation"):
            for number in range(probes):
                path = draw_image(images / f"{test}-{number}.png", number)
                image = ImageRef(str(number), writer.add_image(path), sha256_of_file(path))
                gold = "yes" if number % 2 else "no"
                turned = gold if test == "rephrase" else {"yes": "no", "no": "yes"}[gold]
                word = "no" if test == "negation" else "any"
                writer.add(
                    Probe(
                        (
                            _item(number, 0, test, f"Is there a thing {number} {seed}?", gold, image, name),
                            _item(number, 1, test, f"Is there {word} thing {number} {seed}?", turned, image, name),
                        )
                    )
                )
    return folder


def _run(folder: Path, suite: Path, model: Answering) -> Run:
    run_suite(open_suite(suite), model, folder, spec=f"python:{model.name}")
    return open_run(folder)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return _suite(tmp_path / "suite")


def _yes(_text: str) -> str:
    return "yes"


def _mumbles(text: str) -> Reply | str:
    return Reply(item_id="", status="unparsed", text="<b>Hm</b>") if "any" in text else "yes"


def _fails(text: str) -> Reply | str:
    return Reply(item_id="", status="failed", error="the server said <no>") if "thing 1 " in text else "no"


def test_scores_and_failures_of_an_always_yes_model(suite: Path, tmp_path: Path) -> None:
    data = collect([_run(tmp_path / "yes", suite, Answering("yes", _yes))], ScoreOptions(n_resamples=50))
    whole = {
        (entry.score.group.test, entry.score.measure): entry.score.value
        for entry in data.scores
        if entry.score.group.facet is None
    }
    assert whole["rephrase", "c_acc"] == 0.5
    assert whole["negation", "cons"] == 0.0
    assert len(data.failures) == 12
    negated = [failure for failure in data.failures if failure.test == "negation"]
    assert {_failure_types(failure, 0) for failure in negated} == {
        ("original", "inconsistent"),
        ("variant", "inconsistent"),
    }
    assert [(row.test, row.failed) for row in data.failure_counts] == [("negation", 8), ("rephrase", 4)]
    assert {entry.score.group.facet for entry in data.scores} == {None, "answer", "object"}
    assert data.suites[0].licence == "CC-BY-4.0"
    assert data.suites[0].items == 32


def _failure_types(failure: Failure, model: int) -> tuple[str, ...]:
    return next(reply.failure_types for reply in failure.replies if reply.model == model)


def test_every_model_replies_where_one_failed(suite: Path, tmp_path: Path) -> None:
    runs = [
        _run(tmp_path / "yes", suite, Answering("yes", _yes)),
        _run(tmp_path / "mumbles", suite, Answering("mumbles", _mumbles)),
        _run(tmp_path / "fails", suite, Answering("fails", _fails)),
    ]
    data = collect(runs, ScoreOptions(n_resamples=0))
    assert [model.name for model in data.models] == ["yes", "mumbles", "fails"]
    assert all(len(failure.replies) == 3 for failure in data.failures)
    mumbled = [failure for failure in data.failures if failure.test == "rephrase"]
    assert all("unparsed" in _failure_types(failure, 1) for failure in mumbled)
    assert mumbled[0].replies[1].variant.text == "<b>Hm</b>"
    failed = next(failure for failure in data.failures if failure.probe_id == "rephrase-1")
    assert failed.replies[2].original.status == "failed"
    assert failed.replies[2].original.error == "the server said <no>"
    assert failed.replies[2].failure_types == ()


def test_overlap_goes_by_the_indices_of_the_models(suite: Path, tmp_path: Path) -> None:
    yes = _run(tmp_path / "yes", suite, Answering("yes", _yes))
    other = _suite(tmp_path / "other", seed=1, name="mine")
    elsewhere = _run(tmp_path / "elsewhere", other, Answering("elsewhere", _yes))
    no = _run(tmp_path / "no", suite, Answering("no", lambda _: "no"))
    data = collect([yes, elsewhere, no], ScoreOptions(n_resamples=0))
    found = {(one.run, one.given, one.group.test, one.over): (one.value, one.n) for one in data.overlaps}
    assert {place for covering, covered, *_ in found for place in (covering, covered)} == {0, 2}
    assert found[0, 2, "rephrase", "instances"] == (0.0, 8)
    assert found[2, 0, "negation", "pairs"] == (None, 0)
    assert collect([yes], ScoreOptions(n_resamples=0)).overlaps == []


def test_the_number_of_failures_a_test_and_model_is_kept_to(suite: Path, tmp_path: Path) -> None:
    run = _run(tmp_path / "yes", suite, Answering("yes", _yes))
    few, more = (
        collect([run], ScoreOptions(n_resamples=0), failures=2),
        collect([run], ScoreOptions(n_resamples=0), failures=3),
    )
    assert len(few.failures) == 4
    assert {failure.probe_id for failure in few.failures} < {failure.probe_id for failure in more.failures}
    assert [(row.failed, row.shown) for row in render_report(few)[1].shown] == [(8, 2), (4, 2)]


def test_the_same_run_given_twice_counts_once_and_equal_names_are_told_apart(suite: Path, tmp_path: Path) -> None:
    one = _run(tmp_path / "one", suite, Answering("yes", _yes))
    other = _run(tmp_path / "other", suite, Answering("yes", _yes))
    assert len(collect([one, one], ScoreOptions(n_resamples=0)).models) == 1
    assert [model.name for model in collect([one, other], ScoreOptions(n_resamples=0)).models] == [
        "yes (one)",
        "yes (other)",
    ]


def test_two_suites_of_one_name_are_refused(suite: Path, tmp_path: Path) -> None:
    other = _suite(tmp_path / "another", seed=1)
    runs = [_run(tmp_path / f"run-{path.name}", path, Answering("yes", _yes)) for path in (suite, other)]
    with pytest.raises(UsageError, match="different suites named 'carets'"):
        collect(runs, ScoreOptions(n_resamples=0))


def test_a_model_that_ran_on_two_suites_is_compared_on_each_by_itself(suite: Path, tmp_path: Path) -> None:
    other = _suite(tmp_path / "other", seed=1, name="other")
    runs = [
        _run(tmp_path / "runs" / folder.name / model.name, folder, model)
        for folder in (suite, other)
        for model in (Answering("yes", _yes), Answering("mumbles", _mumbles), Answering("fails", _fails))
    ]
    data = collect(runs, ScoreOptions(n_resamples=50))
    assert [model.name for model in data.models] == ["yes", "mumbles", "fails"]
    for name, own in (("carets", runs[:3]), ("other", runs[3:])):
        alone = collect(own, ScoreOptions(n_resamples=50))
        found = [one for one in data.differences if one.suite == name]
        assert len(found) == 3
        assert {each.group.suite for one in found for each in one.comparisons} == {name}
        assert found == alone.differences
        assert [one for one in data.rankings if one.test.suite == name] == alone.rankings
    assert len(data.differences) == 6


def test_two_models_never_look_alike(suite: Path, tmp_path: Path) -> None:
    assert len({model_color(model) for model in range(48)}) == 48
    first, second = (f"organization/{'a' * 100}{middle}{'z' * 100}" for middle in "xy")
    runs = [_run(tmp_path / name[-101], suite, Answering(name, _yes)) for name in (first, second)]
    models = collect(runs, ScoreOptions(n_resamples=0)).models
    assert len({model.name for model in models}) == 2
    assert all(len(model.name) < 60 and "…" in model.name for model in models)
    assert [model.settings["name"] for model in models] == [first, second]
    other = _suite(tmp_path / "other", seed=1, name="other")
    again = []
    for folder in (suite, other):
        for number, say in enumerate((_yes, _fails)):
            model = Answering("same", say)
            model.fingerprint = f"weights-{number}"
            again.append(_run(tmp_path / "more" / f"{folder.name}-{number}", folder, model))
    names = [model.name for model in collect(again, ScoreOptions(n_resamples=0)).models]
    assert names == ["same (suite-0, other-0)", "same (suite-1, other-1)"]


def test_where_every_test_has_the_same_score_none_is_the_weakest(suite: Path, tmp_path: Path) -> None:
    run = _run(tmp_path / "run", suite, Answering("mute", lambda _: Reply(item_id="", status="unparsed", text="Hm")))
    data = collect([run], ScoreOptions(n_resamples=0))
    ((row,),) = (table.rows for table in overviews(data, ScoresByModel(data.scores)))
    assert row.weakest is not None
    assert (row.weakest.test, row.weakest.value) == ("all tests alike", "0.0")
    assert "test=" not in row.weakest.link


def test_the_command_writes_one_file_and_says_so(suite: Path, tmp_path: Path) -> None:
    _run(tmp_path / "runs" / "yes", suite, Answering("yes", _yes))
    _run(tmp_path / "runs" / "mumbles", suite, Answering("mumbles", _mumbles))
    file = tmp_path / "out" / "report.html"
    result = CliRunner().invoke(
        build_app(), ["report", str(tmp_path / "runs"), "--out", str(file), "--title", "A <title>", "--json"]
    )
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["models"] == ["mumbles", "yes"]
    assert told["bytes"] == file.stat().st_size
    page = file.read_text("utf-8")
    assert "A &lt;title&gt;" in page
    assert "<b>Hm</b>" not in page
    assert [path.name for path in file.parent.iterdir()] == ["report.html"]


def test_a_folder_that_is_no_run_is_bad_input(tmp_path: Path) -> None:
    result = CliRunner().invoke(build_app(), ["report", str(tmp_path), "--out", str(tmp_path / "r.html")])
    assert result.exit_code != 0
    assert not (tmp_path / "r.html").exists()


def test_many_models_leave_room_for_failures_of_every_test_and_model(suite: Path, tmp_path: Path) -> None:
    def says(model: int) -> Callable[[str], str]:
        # Long replies, every one of them different.
        return lambda text: f"yes, {text} " + f"{model} " * 400

    first = _run(tmp_path / "runs" / "0", suite, Answering("model 0", says(0)))
    runs = [first, *(_copy_run(first, tmp_path / "runs" / str(number), number) for number in range(1, 14))]
    data = collect(runs, ScoreOptions(n_resamples=0))
    limit = 500_000
    page, viewer = render_report(data, limit=limit)
    assert len(page.encode()) <= limit
    assert {failure["test"] for failure in viewer.payload["failures"]} == {"negation", "rephrase"}
    assert len(viewer.shown) == 2 * len(runs)
    assert all(0 < row.shown <= row.failed for row in viewer.shown)
    assert f"{viewer.failed} pairs were failed by at least one model" in page


def _copy_run(run: Run, folder: Path, number: int) -> Run:
    """The run of another model: the same answers in other words."""
    replies = {
        row["item_id"]: Reply(item_id=row["item_id"], text=row["text"].replace(" 0 ", f" {number} "), answer="yes")
        for row in run.replies().iter_rows(named=True)
    }
    name = f"model {number}"
    model = msgspec.structs.replace(run.manifest.model, name=name, fingerprint=name)
    folder.mkdir()
    compact(folder, msgspec.structs.replace(run.manifest, model=model, complete=False), replies)
    return open_run(folder)


def test_breakdowns_are_those_of_the_scores_and_rare_values_are_counted(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = _run(tmp_path / "fails", suite, Answering("fails", _fails))
    expected = {(one.group, one.measure): one for one in score_run(run, ScoreOptions(by=("answer", "object")))}
    for most in (40, 2):
        collecting = "falter.evaluation.reporting.collect_data.values_per_facet"
        monkeypatch.setattr(collecting, lambda _models, most=most: most)
        monkeypatch.setattr("falter.evaluation.reporting.tables.values_per_facet", lambda _models, most=most: most)
        data = collect([run])
        scores = [entry.score for entry in data.scores if entry.score.group.facet is not None]
        assert {one.measure for one in scores} >= {"acc", "cons", "c_acc"}
        assert all(one == expected[one.group, one.measure] for one in scores)
        shown = {one.group.value for one in scores if one.group.facet == "object"}
        assert len(shown) == min(most, 3)
        assert ("1 rarer value is not shown" in render_report(data)[0]) == (most == 2)


def test_a_model_that_lacks_answers_on_one_suite_is_ranked_on_another(suite: Path, tmp_path: Path) -> None:
    other = _suite(tmp_path / "other", seed=1, name="other")
    late = Answering("late", lambda text: _fails(text) if text.endswith("0?") else "yes")
    runs = [
        _run(tmp_path / "runs" / folder.name / model.name, folder, model)
        for folder in (suite, other)
        for model in (Answering("yes", _yes), Answering("mumbles", _mumbles), late)
    ]
    data = collect(runs, ScoreOptions(n_resamples=0))
    assert {one.answered.group.suite for one in data.lacking} == {"carets"}
    assert {one.test.suite: one.models for one in data.rankings} == {"carets": (0, 1), "other": (0, 1, 2)}
    told = {table.suite: " ".join(table.read) for table in overviews(data, ScoresByModel(data.scores))}
    assert "Without a rank: late (more than 1 % of its answers are missing)." in told["carets"]
    assert "Without a rank" not in told["other"]
