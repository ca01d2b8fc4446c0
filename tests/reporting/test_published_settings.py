"""Published figures are shown beside what they describe; of the others, what they belong to is said."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.core.errors import InputError, UsageError
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.measures import Group, Overlap, Score
from falter.evaluation.reporting import collect
from falter.evaluation.reporting.foils import foils
from falter.evaluation.reporting.headline import headlines
from falter.evaluation.reporting.overlap import overlap_matrices
from falter.evaluation.reporting.page import render_report
from falter.evaluation.reporting.published import Published, load_published
from falter.evaluation.reporting.published_settings import Setting, SuiteFacts, UnshownFigures, format_unshown
from falter.evaluation.reporting.report_data import ModelInfo, ModelScore, ReportData
from falter.evaluation.reporting.scores import ScoresByModel, measure_title
from falter.evaluation.reporting.tables import breakdowns, other_measures
from falter.evaluation.runs import open_run
from falter.evaluation.score_options import ScoreOptions

FILES = sorted((Path(falter.__file__).parent / "suites").rglob("published.yaml"))
READ_BY_BUNDLES = {
    "basic-questions": {"noise", "vqabq"},
    "contrast-sets": {"sizes"},
    "rad": {"prediction", "coverage"},
}
"""Figures in a form of their own; the tests of the bundle have what is shown of them."""

Cell = tuple[str, str, str, str]
"""Of a figure: the test, the system, what it is of, and the figure with one digit."""


def of(name: str) -> Published:
    return load_published(next(path for path in FILES if path.parent.name == name))


def facts_for(settings: Sequence[Setting], tests: Sequence[str]) -> SuiteFacts:
    """A suite that is what the settings say; the conditions of two settings must not exclude each other."""

    def one(found: set[Any]) -> Any:
        assert len(found) <= 1
        return next(iter(found), None)

    parameters: dict[str, Any] = {}
    for name, values in (pair for setting in settings for pair in setting.parameters.items()):
        *parts, last = name.split(".")
        inner = parameters
        for part in parts:
            inner = inner.setdefault(part, {})
        value = values[0]
        assert inner.setdefault(last, value) == value
        if isinstance(value, str):
            inner[last] = value.replace("*", "x")
        if value is None:
            del inner[last]
    sizes = {test: {"probes": size[0]} for setting in settings for test, size in setting.released.items()}
    facets = {
        **{name: value for setting in settings for name, value in setting.holds.items()},
        **{name: values[0] for setting in settings for name, values in setting.only.items()},
        **{name: str(number) for setting in settings for name, number in setting.most.items()},
    }
    named = one({setting.tests for setting in settings if setting.tests})
    manifest = SuiteManifest(
        name="made-up",
        made_by="falter import made-up" if sizes or any(setting.imported for setting in settings) else "",
        parameters=parameters,
        sources=[{"name": setting.sources[0]} for setting in settings if setting.sources],
        counts={
            "tests": sizes or {test: {"probes": 1} for test in named or tests},
            "files": {pattern.replace("*", "x"): 1 for setting in settings for pattern in setting.files},
        },
    )
    rule = one({setting.vqa_rule[0] for setting in settings if setting.vqa_rule})
    subset = one({setting.subset[0] for setting in settings if setting.subset})
    facts = SuiteFacts(manifest, None, ScoreOptions(vqa_rule=rule or "vqa-v2", subset=subset))
    for setting in settings:
        facts._facets[tuple(sorted({*setting.holds, *setting.only, *setting.most}))] = {
            test: [facets] for test in tests
        }
    return facts


def stored(paper: Published, names: tuple[str, ...]) -> Iterator[Cell]:
    """All figures that belong to these settings."""
    for row in paper.rows:
        if row.belongs_to == names:
            for measure, figure in row.values.items():
                yield row.test, row.system, measure, f"{figure:.1f}"
    for table in paper.breakdowns:
        if table.belongs_to == names:
            for value, by in table.values.items():
                for system, row in by.items():
                    for measure, figure in row.items():
                        yield table.tests[0], system, f"{value} {measure}", f"{figure:.1f}"
    for shared in paper.overlaps:
        if shared.belongs_to == names:
            for system, figures in shared.rows.items():
                for column, figure in zip(shared.columns, figures, strict=True):
                    if figure is not None:
                        yield shared.test, system, f"of {column}", f"{figure:.1f}"


def report_on(paper: Published, tests: Sequence[str]) -> ReportData:
    """A report of two models that have a score of everything that the paper prints."""

    def score(measure: str, test: str, facet: str | None = None, value: str | None = None) -> list[ModelScore]:
        group = Group(paper.suite, test, facet, value)
        made = Score(measure=measure, group=group, value=0.5, low=0.4, high=0.6, n=10, signature="x")
        return [ModelScore(0, made), ModelScore(1, made)]

    scores: list[ModelScore] = []
    for test in tests:
        printed = dict.fromkeys(name for row in paper.rows if row.test == test for name in row.values)
        for measure in (*printed, *({"acc", "c_acc"} - {*printed} if "acc_r" not in printed else ())):
            scores += score(measure, test)
        for table in (one for one in paper.breakdowns if test in one.tests):
            for value, measure in itertools.product(table.values, {*table.measures, "c_acc"}):
                scores += score(measure, test, table.facet, value)
    overlaps = [
        Overlap(
            run=run, given=1 - run, group=Group(paper.suite, test), over="instances", value=0.5, n=10, signature="x"
        )
        for test in tests
        for run in (0, 1)
    ]
    models = [ModelInfo(name="one"), ModelInfo(name="two")]
    published = {paper.suite: paper}
    return ReportData(title="", suites=[], models=models, scores=scores, overlaps=overlaps, published=published)


def shown(data: ReportData) -> set[Cell]:
    """All published figures that some part of a report has."""
    scores = ScoresByModel(data.scores)
    cells: set[Cell] = set()
    for table in headlines(data, scores):
        for row in (row for group in table.published for row in group.rows):
            for test, own in zip(table.tests, row.cells, strict=True):
                cells |= {(test.test, row.name, cell.measure, cell.value) for cell in own}
    over = {"mean of tests": "mean", "all pairs": "all"}
    for suite in foils(data, scores):
        for block in suite.blocks:
            for row in block.published:
                for test, cell in zip(suite.tests, row.cells, strict=True):
                    cells.add((over.get(test, test), row.name, block.measure, cell.value))
    names = {measure_title(name): name for name in scores.measures}
    for other in other_measures(data, scores).rows:
        for told in filter(None, other.published.split(", ")):
            system, _, figure = told.rpartition(" ")
            cells.add((other.test.test, system, names[other.measure], figure))
    (paper,) = data.published.values()
    for breakdown in breakdowns(data, scores):
        for table in (one for one in breakdown.facets if one.comparison is not None):
            assert table.comparison is not None
            printed = paper.breakdown(breakdown.test.test, table.facet)
            assert printed is not None
            columns = itertools.product(printed.values, printed.measures)
            for column, row in itertools.product(enumerate(columns), table.comparison.published):
                number, (value, measure) = column
                figure = row.cells[number].value
                if figure not in ("–", ""):
                    cells.add((breakdown.test.test, row.name, f"{value} {measure}", f"{float(figure):.1f}"))
    for matrix in (one for one in overlap_matrices(data) if one.published is not None):
        assert matrix.published is not None
        for system, own in matrix.published.rows:
            for column, cell in zip(matrix.published.columns, own, strict=True):
                cells.add((matrix.test.test, system, f"of {column}", cell.value))
    return cells


@pytest.mark.parametrize("path", FILES, ids=[path.parent.name for path in FILES])
def test_every_stored_figure_is_shown_beside_some_suite(path: Path) -> None:
    paper = load_published(path)
    extra = [one for tables in paper.extra.values() for one in tables]
    assert paper.extra.keys() == READ_BY_BUNDLES.get(paper.suite, set())
    groups = dict.fromkeys(one.belongs_to for one in (*paper.rows, *paper.breakdowns, *paper.overlaps, *extra))
    assert all(groups), "every figure has its settings"
    for names in groups:
        settings = [paper.settings[name] for name in names]
        tests = list(
            dict.fromkeys(
                [row.test for row in paper.rows if row.belongs_to == names]
                + [test for one in (*paper.breakdowns, *extra) if one.belongs_to == names for test in one.tests]
                + [one.test for one in paper.overlaps if one.belongs_to == names]
            )
        )
        facts = facts_for(settings, tests)
        described, _ = paper.describing(facts, tests)
        assert not {*stored(paper, names)} - shown(report_on(described, tests)), names
        for name, tables in paper.extra.items():
            wanted = [one for one in tables if one.belongs_to == names]
            assert all(one in described.extra[name] for one in wanted)


def test_a_condition_that_is_not_met_hides_the_figures() -> None:
    """Without any one of its settings, no figure of a table is left."""
    checked = 0
    for path in FILES:
        paper = load_published(path)
        for names in dict.fromkeys(row.belongs_to for row in paper.rows):
            tests = list(dict.fromkeys(row.test for row in paper.rows if row.belongs_to == names))
            for name in names:
                settings = [paper.settings[other] for other in names if other != name]
                facts = facts_for(settings, tests)
                if all(facts.meets(paper.settings[name], test) for test in tests):
                    # Nothing but a default is asked for, as of one pair of every question.
                    continue
                described, unshown = paper.describing(facts, tests)
                assert not any(row.belongs_to == names and row.test in tests for row in described.rows)
                assert any(one.text == paper.settings[name].text for one in unshown) or described.rows
                checked += 1
    assert checked > 20


@pytest.mark.parametrize(("most", "set_acc"), [(1, 63.4), (3, 51.1), (5, 46.1), (2, None)])
def test_the_consistency_is_that_of_sets_of_the_same_size(tmp_path: Path, most: int, set_acc: float | None) -> None:
    paper = of("contrast_sets")
    tests = ("side", "color", "near", "or", "relation-object", "relation")
    with create_suite(tmp_path / "suite", SuiteManifest(name="contrast-sets")) as writer:
        for test in tests:
            number = 1 if test == "relation" else most
            shared: dict[str, Any] = {
                "suite": "contrast-sets",
                "test": test,
                "probe_id": f"{test}-1",
                "expects": "each",
                "image": ImageRef("1"),
                "choices": ("yes", "no"),
                "facets": {"variants": str(number)},
            }
            items = [Item.make(text=f"{test} {at}?", variant=at, gold="yes", **shared) for at in range(number + 1)]
            writer.add(Probe(tuple(items)))
    suite = open_suite(tmp_path / "suite")
    described, unshown = paper.describing(SuiteFacts(suite.manifest, suite.items_path), [*tests, "all"])
    row = described.row("all", "LXMERT")
    assert (None if row is None else row.values["set_acc"]) == set_acc
    assert (described.row("relation", "MAC") is None) == (set_acc is None)
    human = "they belong to sets of at most 5 variants." in " ".join(format_unshown(unshown))
    assert human == (most != 5)


def test_table_3_stands_beside_disjunctions_with_both_things_present() -> None:
    paper = of("carets")
    for truth in ("TT", "TF"):
        facts = SuiteFacts(SuiteManifest(name="carets"))
        facts._facets["logic", "truth"] = {
            "order": [{"logic": "conjunction", "truth": "TT"}, {"logic": "disjunction", "truth": truth}]
        }
        described, unshown = paper.describing(facts, ["order"])
        assert (described.breakdown("order", "logic") is not None) == (truth == "TT")
        told = "Published figures of Table 3 are not shown: they belong to disjunctions with both things present."
        assert format_unshown(unshown) == ([] if truth == "TT" else [told])


def pope(random: int = 3000, file: str = "coco_pope_random.json") -> SuiteFacts:
    counts = {"tests": {"random": {"probes": random}}, "files": {file: random}}
    return SuiteFacts(SuiteManifest(name="pope", made_by="falter import pope", counts=counts))


@pytest.mark.parametrize(
    ("name", "facts", "test", "is_shown"),
    [
        ("pope", pope(), "random", True),
        ("pope", pope(2910), "random", False),
        ("pope", pope(file="aokvqa_pope_random.json"), "random", False),
        ("valse", SuiteFacts(SuiteManifest(name="valse"), options=ScoreOptions(subset="valid")), "existence", True),
        (
            "valse",
            SuiteFacts(SuiteManifest(name="valse"), options=ScoreOptions(subset="unanimous")),
            "existence",
            False,
        ),
        ("valse", SuiteFacts(SuiteManifest(name="valse"), options=ScoreOptions(subset="all")), "existence", False),
        ("vsr", SuiteFacts(SuiteManifest(name="vsr", parameters={"part": "test"})), "random", True),
        ("vsr", SuiteFacts(SuiteManifest(name="vsr", parameters={"part": "train"})), "random", False),
        ("sugarcrepe", SuiteFacts(SuiteManifest(name="s", parameters={"full_stops": "none"})), "add_obj", False),
    ],
)
def test_releases_and_subsets(name: str, facts: SuiteFacts, test: str, is_shown: bool) -> None:
    paper = of(name)
    described, unshown = paper.describing(facts, [test])
    assert any(described.row(test, system) for system in paper.systems) == is_shown
    assert len(format_unshown(unshown)) == (not is_shown)


def test_a_reason_is_told_once() -> None:
    unshown = [
        UnshownFigures("Table 1", "sets of 5"),
        UnshownFigures("Table 2", "sets of 5"),
        UnshownFigures("Table 1", "sets of 5"),
        UnshownFigures("Table 4", "sets of 5", partly=True),
        UnshownFigures("Table 4", "min3", partly=True),
    ]
    both = "Published figures of Table 1 and Table 2, and further ones of Table 4, are not shown: they belong to "
    assert format_unshown(unshown) == [
        f"{both}sets of 5.",
        "Further published figures of Table 4 are not shown: they belong to min3.",
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("belongs_to: [coco]", "belongs_to: []"), "names no setting that the figures belong to"),
        (("belongs_to: [coco]", "belongs_to: [coco, other]"), "names the setting 'other', which is not listed"),
        (("settings:\n", "settings:\n  unused: {text: nothing}\n"), "is a setting that no figures belong to"),
        (("    belongs_to: [coco]\n", ""), "belongs_to"),
    ],
)
def test_a_file_of_figures_without_settings_is_refused(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    text = next(path for path in FILES if path.parent.name == "pope").read_text()
    assert change[0] in text
    (tmp_path / "published.yaml").write_text(text.replace(*change))
    with pytest.raises(InputError, match=r"published\.yaml") as error:
        load_published(tmp_path / "published.yaml")
    assert problem in str(error.value)


def test_the_rule_of_a_report_is_in_its_scores_and_is_refused_where_it_changes_none(tmp_path: Path) -> None:
    def suite(name: str, answers: tuple[str, ...] | None) -> Path:
        with create_suite(tmp_path / name, SuiteManifest(name=name)) as writer:
            for number in range(2):
                shared: dict[str, Any] = {"suite": name, "test": "t", "probe_id": f"p{number}", "image": ImageRef("1")}
                pair = [
                    Item.make(text=f"what is {number}{side}?", variant=side, gold="a", answers=answers, **shared)
                    for side in (0, 1)
                ]
                writer.add(Probe(tuple(one.change(expects="same") for one in pair)))
        return tmp_path / name

    # Of ten people two say "a": 0.6 by VQA v2's rule, 2/3 by min3.
    people = suite("people", ("a", "a", *"bcdefghi"))
    alone = suite("alone", None)
    predictions = tmp_path / "a.jsonl"
    for folder in (people, alone):
        ids = open_suite(folder).to_polars()["item_id"]
        predictions.write_text("\n".join(f'{{"item_id": "{one}", "answer": "a"}}' for one in ids))
        falter.run(folder, f"file:{predictions}", out=tmp_path / f"run-{folder.name}")
    run = open_run(tmp_path / "run-people")
    for rule, accuracy in (("vqa-v2", 0.6), ("min3", 2 / 3)):
        data = collect([run], ScoreOptions(n_resamples=0, vqa_rule=rule))  # type: ignore[arg-type]
        (value,) = {one.score.value for one in data.scores if one.score.measure == "vqa_accuracy"}
        assert value == pytest.approx(accuracy)
        assert f"rule:{rule}" in render_report(data)[0]
    falter.report(run.folder, tmp_path / "report.html", vqa_rule="min3")
    for make in (
        lambda: falter.report(tmp_path / "run-alone", tmp_path / "other.html", vqa_rule="min3"),
        lambda: falter.plot(tmp_path / "run-alone", vqa_rule="min3"),
    ):
        with pytest.raises(UsageError, match="--vqa-rule min3 has no effect"):
            make()
    with pytest.raises(UsageError, match="unknown VQA rule 'nose'"):
        falter.plot(run.folder, vqa_rule="nose")
