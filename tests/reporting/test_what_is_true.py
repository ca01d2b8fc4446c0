"""What a report says of runs is true: what was not answered, what failed, who is best, what is known of a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from falter.data.items import ImageRef, Item, Probe
from falter.data.model import Capabilities, Reply, Request
from falter.data.model_options import ModelOptions
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.models.prompts import load_prompt
from falter.evaluation.reporting import ReportData, collect, render_report
from falter.evaluation.reporting.headline import headlines
from falter.evaluation.reporting.manifest_info import suite_info
from falter.evaluation.reporting.scores import ScoresByModel
from falter.evaluation.runs import Run, RunSettings, open_run
from falter.evaluation.score_options import ScoreOptions

TESTS = {"rephrase": "same", "negation": "different"}
PROBES = 30


class Model:
    """Knows the answers, and errs or fails by the number of the probe."""

    def __init__(
        self, name: str, wrong: Sequence[int] = (), failed: Sequence[int] = (), says: str = "", prompt: str = ""
    ) -> None:
        self.name = name
        self.fingerprint = f"{name} {prompt}"
        self.capabilities = Capabilities(prompt=load_prompt(ModelOptions(prompt=prompt)) if prompt else None)
        self._wrong, self._failed, self._says = frozenset(wrong), frozenset(failed), says

    def reply(self, batch: Sequence[Request]) -> list[Reply]:
        return [self._one(request) for request in batch]

    def _one(self, request: Request) -> Reply:
        number, gold = (int(found) for found in re.findall(r"\d+", request.text))
        if number in self._failed:
            return Reply(item_id=request.item_id, status="failed", error="502 Bad Gateway")
        blind = request.image_id is None and number % 2 == 0
        answer = self._says or ("yes" if bool(gold) != (number in self._wrong or blind) else "no")
        return Reply(item_id=request.item_id, text=answer, answer=answer)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("true") / "suite")


def write(folder: Path, name: str = "mine") -> Path:
    with create_suite(folder, SuiteManifest(name=name, title="My own")) as writer:
        for test, expects in TESTS.items():
            for number in range(PROBES):
                first = number % 2
                second = first if expects == "same" else 1 - first
                items = [
                    Item.make(
                        probe_id=f"{test}-{number}",
                        variant=variant,
                        suite=name,
                        test=test,
                        expects=expects,
                        image=ImageRef(str(number), sha256=f"{number:064x}"),
                        text=f"{test} {number}, {'so' if variant else 'thus'} {gold}?",
                        gold="yes" if gold else "no",
                        choices=("yes", "no"),
                        facets={"valid": "yes" if number < 20 else "no"},
                    )
                    for variant, gold in enumerate((first, second))
                ]
                writer.add(Probe(tuple(items)))
    return folder


def run(suite: Path, out: Path, model: Model, **settings: object) -> Run:
    run_suite(open_suite(suite), model, out, RunSettings(**settings), spec=f"python:{model.name}")  # type: ignore[arg-type]
    return open_run(out)


def text_of(data: ReportData) -> str:
    bare = re.sub("<script.*?</script>|<style.*?</style>|<[^>]*>", " ", render_report(data)[0], flags=re.S)
    return re.sub(r"\s+", " ", bare)


def test_a_run_that_mostly_failed_says_so_before_any_figure(suite: Path, tmp_path: Path) -> None:
    mostly = run(suite, tmp_path / "mostly", Model("mostly", failed=range(2, PROBES)))
    data = collect([mostly], ScoreOptions(n_resamples=0))
    page = text_of(data)
    assert "mostly has no answer to more than 1 % of the pairs of 2 tests in mine" in page
    assert "negation 18 of 20 (18 failed)" in page
    assert page.index("has no answer") < page.index("100.0"), "the figure over two pairs comes after"
    assert "2 of 20 pairs answered" in page
    assert "No model failed a pair that it answered" in page
    assert "No model failed a pair." not in page
    assert "All pairs correct" not in page


def test_a_server_that_never_answered_is_told_apart_and_not_ranked(suite: Path, tmp_path: Path) -> None:
    silent = run(suite, tmp_path / "silent", Model("silent", failed=range(PROBES)))
    good = run(suite, tmp_path / "good", Model("good"))
    weak = run(suite, tmp_path / "weak", Model("weak", wrong=range(10)))
    data = collect([silent, good, weak], ScoreOptions(n_resamples=0))
    (table,) = headlines(data, ScoresByModel(data.scores))
    assert [row.name for row in table.rows] == ["good", "weak"]
    assert {entry.model for entry in data.scores} == {1, 2}
    assert {place for one in data.overlaps for place in (one.run, one.given)} == {1, 2}
    page = text_of(data)
    assert "silent on mine: 120 failed" in page
    assert "502 Bad Gateway" in page
    assert "Where two models falter" in page
    alone = text_of(collect([silent], ScoreOptions(n_resamples=0)))
    assert "No pair was answered" in alone


def test_no_star_for_a_model_that_always_says_the_same(suite: Path, tmp_path: Path) -> None:
    runs = [
        run(suite, tmp_path / "always", Model("always", says="yes")),
        run(suite, tmp_path / "weak", Model("weak", wrong=[1, 3, 5])),
        run(suite, tmp_path / "few", Model("few", failed=range(1, PROBES))),
    ]
    data = collect(runs, ScoreOptions(n_resamples=0))
    best = {
        (row.name, test.test, cell.measure)
        for table in headlines(data, ScoresByModel(data.scores))
        for row in table.rows
        for test, cells in zip(table.tests, row.cells, strict=True)
        for cell in cells
        if cell.best
    }
    assert {measure for _, _, measure in best} == {"acc", "c_acc"}
    assert {name for name, _, _ in best} == {"weak"}, "nor for one that answered a single pair"
    assert any("always on mine" in note and "answered yes" in note for note in data.odd_answers)


def test_probes_that_a_limit_leaves_out_are_not_missing(suite: Path, tmp_path: Path) -> None:
    limited = run(suite, tmp_path / "limited", Model("limited", wrong=range(PROBES)), limit=10)
    data = collect([limited], ScoreOptions(n_resamples=0, subset="all"))
    assert [(row.test, row.failed) for row in data.failure_counts] == [("negation", 5), ("rephrase", 5)]
    counts = [one.score.value for one in data.scores if one.score.measure == "missing"]
    assert not any(counts)
    assert not data.warnings
    assert all(reply.original.status == "ok" for failure in data.failures for reply in failure.replies)
    both = collect(
        [limited, run(suite, tmp_path / "whole", Model("whole", wrong=[0]))], ScoreOptions(n_resamples=0, subset="all")
    )
    asked = Counter(reply.model for failure in both.failures for reply in failure.replies)
    assert asked[0] == 10, "the limited run has no replies to pairs that it was not asked"
    assert asked[1] == len(both.failures) >= 10


def test_ablations_and_prompts_are_over_the_subset(suite: Path, tmp_path: Path) -> None:
    runs = [
        run(suite, tmp_path / "sees", Model("sees", wrong=[3])),
        run(suite, tmp_path / "blind", Model("sees", wrong=[3]), image_input="none"),
        run(suite, tmp_path / "standard", Model("other", wrong=[3], prompt="standard")),
        run(suite, tmp_path / "plain", Model("other", wrong=[3, 4], prompt="plain")),
    ]
    by_subset = {subset: collect(runs, ScoreOptions(n_resamples=200, subset=subset)) for subset in (None, "all")}
    for pairs, data in ((20, by_subset[None]), (30, by_subset["all"])):
        assert {one.found.n for one in data.image_ablations if one.found.measure == "c_acc"} == {pairs}
        assert {one.found.n for one in data.prompt_spreads if one.found.measure == "c_acc"} == {pairs}
    assert [info.uses_images for info in by_subset[None].models] == [
        "yes, observed: its scores fall without them",
        "no image given",
        "unknown",
        "unknown",
    ]


def test_the_count_of_failures_is_of_all_and_every_model_and_test_has_some_shown(suite: Path, tmp_path: Path) -> None:
    runs = [run(suite, tmp_path / "one", Model("one", wrong=range(10)))]
    runs.append(run(suite, tmp_path / "two", Model("two", wrong=range(5, PROBES))))
    data = collect(runs, ScoreOptions(n_resamples=0, subset="all"), failures=3)
    _, viewer = render_report(data)
    assert viewer.failed == 2 * PROBES
    assert [(row.test, row.model, row.failed) for row in viewer.shown] == [
        ("negation", 0, 10),
        ("negation", 1, 25),
        ("rephrase", 0, 10),
        ("rephrase", 1, 25),
    ]
    assert all(3 <= row.shown < row.failed for row in viewer.shown)
    page = text_of(data)
    assert f"60 pairs were failed by at least one model; {len(viewer.payload['failures'])} of them are shown" in page


def test_what_is_not_known_of_a_model_or_a_suite_is_not_claimed(suite: Path, tmp_path: Path) -> None:
    data = collect([run(suite, tmp_path / "one", Model("one"))], ScoreOptions(n_resamples=0))
    assert data.models[0].uses_images == "unknown"
    assert data.suites[0].licence == "not stated"


def test_a_run_that_asked_a_part_takes_no_pairs_from_the_others(suite: Path, tmp_path: Path) -> None:
    whole = [
        run(suite, tmp_path / "good", Model("good")),
        run(suite, tmp_path / "weak", Model("weak", wrong=range(10))),
    ]
    part = run(suite, tmp_path / "part", Model("part"), limit=6, random_order=True)
    data = collect([*whole, part], ScoreOptions(n_resamples=0))
    assert data.overlaps == collect(whole, ScoreOptions(n_resamples=0)).overlaps
    assert "Without a rank: part (it was asked a part of the suite)." in text_of(data)
    # Where no two asked all, the part is what there is.
    few = collect([whole[0], part], ScoreOptions(n_resamples=0))
    assert {one.n for one in few.overlaps} and len(few.rankings[0].ranking.runs) == 2


def test_a_part_of_the_suite_gets_no_star(suite: Path, tmp_path: Path) -> None:
    runs = [
        run(suite, tmp_path / "good", Model("good", wrong=[0])),
        run(suite, tmp_path / "weak", Model("weak", wrong=range(10))),
        run(suite, tmp_path / "part", Model("part"), limit=12),
    ]
    data = collect(runs, ScoreOptions(n_resamples=0))
    (table,) = headlines(data, ScoresByModel(data.scores))
    assert {row.name for row in table.rows for cells in row.cells for cell in cells if cell.best} == {"good"}
    assert {row.name: row.lacking for row in table.rows if any(row.lacking)} == {
        "part": ["3 of 20 pairs asked", "4 of 20 pairs asked"]
    }
    alone = collect([runs[2]], ScoreOptions(n_resamples=0))
    assert headlines(alone, ScoresByModel(alone.scores))[0].rows[0].lacking == ["", ""], "nothing tells of more"


def test_runs_of_one_model_are_told_apart_by_what_was_set(suite: Path, tmp_path: Path) -> None:
    runs = [
        run(suite, tmp_path / "a" / "x", Model("one")),
        run(suite, tmp_path / "b" / "y", Model("one"), repeat=3),
        run(suite, tmp_path / "c" / "z", Model("two")),
    ]
    assert [model.name for model in collect(runs, ScoreOptions(n_resamples=0)).models] == [
        "one",
        "one (repeat 3)",
        "two",
    ]
    weights = msgspec.structs.replace(runs[1].manifest.model, fingerprint="other weights")
    runs[1].manifest = msgspec.structs.replace(runs[1].manifest, model=weights)
    assert [model.name for model in collect(runs, ScoreOptions(n_resamples=0)).models] == ["one (x)", "one (y)", "two"]


def test_a_limit_makes_no_other_model_and_is_told_once(suite: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", "other")
    runs = [
        run(folder, tmp_path / f"{folder.name}-{name}", Model(name), **({"limit": 12} if folder == suite else {}))
        for folder in (suite, other)
        for name in ("one", "two")
    ]
    data = collect(runs, ScoreOptions(n_resamples=0))
    assert [model.name for model in data.models] == ["one", "two"]
    assert data.notes == ["one and two ran on 12 probes of mine, not on all."]


def test_control_runs_are_no_competitors(suite: Path, tmp_path: Path) -> None:
    runs = [
        run(suite, tmp_path / "good", Model("good")),
        run(suite, tmp_path / "weak", Model("weak", wrong=range(20))),
        run(suite, tmp_path / "blind", Model("good"), image_input="none"),
    ]
    data = collect(runs, ScoreOptions(n_resamples=0))
    assert {model for one in data.rankings for model in one.models} == {0, 1}
    assert {model for one in data.differences for model in (one.first, one.second)} == {0, 1}
    assert "Without a rank: good (image: none) (a control run)." in text_of(data)
    beside = collect([runs[0], runs[2]], ScoreOptions(n_resamples=0))
    assert "Without a rank: good (image: none) (a control run)." in text_of(beside)
    assert ">Rank<" not in render_report(beside)[0], "one model alone has no rank"


def test_sources_are_told_in_words() -> None:
    file = {"name": "val.json", "sha256": "b6" * 32}
    told = suite_info(
        SuiteManifest(
            name="mine",
            title="Mine",
            sources=[
                {"files": {"graphs": file, "questions": {"name": "q.json"}}, "licence": "BY", "name": "gqa"},
                {"complete": ["referents"], "files": [file], "name": "vqa"},
                {"files": 3, "name": "vsr as released", "sha256": "5d" * 32},
            ],
            parameters={"size": None},
        )
    )
    assert told.sources == (
        "gqa: val.json (sha256 b6b6b6b6b6b6…), q.json; licence: BY",
        "vqa: val.json (sha256 b6b6b6b6b6b6…); complete: referents",
        "vsr as released: 3 files (sha256 5d5d5d5d5d5d…)",
    )
    assert told.parameters == {"size": "none"}
