"""Studies of a suite: a stratified sample of whole probes, blind tasks, and the same bytes for the same seed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from falter.apps.people.plan import plan_study
from falter.apps.people.questions import compose_tasks
from falter.apps.people.study import Study, StudyQuestion, load_form, open_study
from falter.core.errors import FalterWarning, InputError, UsageError
from falter.data.suite import Suite, open_suite
from tests.cli.in_process import falter_here
from tests.people.made import caption_suite, question_suite


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return question_suite(tmp_path_factory.mktemp("suite") / "questions")


@pytest.fixture(scope="module")
def captions(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return caption_suite(tmp_path_factory.mktemp("suite") / "captions")


def check_tasks(study: Study) -> None:
    """What must hold for every study: read off the files, not off the code that made them."""
    asked: Counter[str] = Counter()
    for task in study.tasks.values():
        found = [study.questions[one] for one in task.questions]
        asked.update(one.question_id for one in found if not one.control)
        assert len({one.probe_id for one in found}) == len(found), "original and variant are in one task"
        assert all(a.cluster != b.cluster or a.cluster is None for a, b in pairwise(found)), "an image follows itself"
        assert len(found) <= study.manifest.parameters["task_length"]
        assert sum(one.control for one in found) == study.manifest.parameters["controls"]
    assert asked == Counter(study.judged.keys())


def test_a_study_has_whole_probes_of_every_test_and_the_same_bytes_again(questions: Suite, tmp_path: Path) -> None:
    study = plan_study(questions, tmp_path / "one", sample=20, seed=5, task_length=10, controls=2)
    plan_study(open_suite(questions.folder), tmp_path / "two", sample=20, seed=5, task_length=10, controls=2)
    for name in ("study.json", "questions.jsonl", "tasks.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    check_tasks(study)
    assert study.manifest.strata == {"negation": (10, 12), "rephrase": (10, 24)}
    variants = Counter(one.probe_id for one in study.judged.values())
    assert set(variants.values()) == {2} and len(variants) == 20
    controls = [one for one in study.questions.values() if one.control]
    assert {one.probe_id for one in controls}.isdisjoint(variants)
    assert all(one.expected in ("yes", "no") for one in controls)
    other = plan_study(questions, tmp_path / "three", sample=20, seed=6, task_length=10, controls=2)
    assert {one.probe_id for one in other.judged.values()} != set(variants)


def test_the_qualification_shows_no_control_of_a_task(questions: Suite, tmp_path: Path) -> None:
    study = plan_study(questions, tmp_path / "study", sample=10, task_length=8, controls=2)
    qualifying = set(study.manifest.qualification)
    assert len(qualifying) == 4
    in_tasks = {name for task in study.tasks.values() for name in task.questions}
    assert not qualifying & in_tasks
    assert all(study.questions[name].control for name in qualifying)
    probes = {study.questions[name].probe_id for name in qualifying}
    assert not probes & {study.questions[name].probe_id for name in in_tasks}


def test_few_known_answers_make_a_short_qualification_and_it_is_said(tmp_path: Path) -> None:
    suite = question_suite(tmp_path / "suite", images=3, per_image=1)
    with pytest.warns(FalterWarning, match=r"has 3 questions whose answers are known: 2 .* has 1 of 4"):
        study = plan_study(suite, tmp_path / "study", sample=None, controls=2)
    in_tasks = {name for task in study.tasks.values() for name in task.questions}
    assert len(study.manifest.qualification) == 1
    assert not set(study.manifest.qualification) & in_tasks


def test_labels_are_judged_with_controls_that_are_wrong(questions: Suite, tmp_path: Path) -> None:
    study = plan_study(questions, tmp_path / "study", task="validate", sample=10, task_length=8, controls=2)
    check_tasks(study)
    golds = {item.item_id: item.gold for item in questions.items()}
    for one in study.questions.values():
        assert one.item_id is not None
        assert (one.label == golds[one.item_id]) == (one.expected == "sound")
    assert Counter(one.expected for one in study.questions.values() if one.control) == {"sound": 12, "label": 12}


def test_sides_are_drawn_and_recorded(captions: Suite, tmp_path: Path) -> None:
    study = plan_study(captions, tmp_path / "study", task="caption-or-foil", sample=30, task_length=10, controls=2)
    check_tasks(study)
    originals = {probe.probe_id: probe.original.text for probe in captions.probes()}
    for one in study.questions.values():
        assert (one.text if one.original_first else one.second) == originals[one.probe_id]
        assert one.expected_as_shown == ("first" if one.original_first else "second")
    assert 8 <= sum(bool(one.original_first) for one in study.judged.values()) <= 22


def test_pairs_expect_what_their_test_does(questions: Suite, tmp_path: Path) -> None:
    study = plan_study(questions, tmp_path / "study", task="pairs", sample=12, task_length=6, controls=1)
    check_tasks(study)
    assert {(one.test, one.expected) for one in study.judged.values()} == {
        *(("rephrase", "same"), ("negation", "different"))
    }


def test_few_images_never_stand_side_by_side() -> None:
    made = [
        StudyQuestion(question_id=f"q{n}", text="?", test="t", probe_id=f"p{n // 2}", cluster=f"i{n % 2}")
        for n in range(24)
    ]
    tasks = compose_tasks(made, [], length=6, controls_each=0, seed=0)
    by_id = {one.question_id: one for one in made}
    assert sorted(one for task in tasks for one in task.questions) == sorted(by_id)
    for task in tasks:
        found = [by_id[one] for one in task.questions]
        assert all(a.cluster != b.cluster for a, b in pairwise(found))
        assert len({one.probe_id for one in found}) == len(found)
    with pytest.raises(UsageError, match="no room"):
        compose_tasks(made, [], length=3, controls_each=3, seed=0)


def test_a_kind_of_ones_own_is_a_yaml_file(questions: Suite, tmp_path: Path) -> None:
    (tmp_path / "mood.yaml").write_text(
        "name: mood\ntitle: How hard is it?\nprompt: How hard is the question?\n"
        "options:\n  - {value: easy, label: Easy}\n  - {value: hard, label: Hard}\n"
    )
    done = falter_here("people", "plan", questions.folder, "--task", tmp_path / "mood.yaml", "--sample", 4)
    assert done.code == 2  # --out is missing
    done = falter_here(
        *("people", "plan", questions.folder, "--task", tmp_path / "mood.yaml", "--sample", "4", "--controls", "0"),
        *("--out", tmp_path / "study"),
    )
    assert (done.code, "8 questions in" in done.stdout) == (0, True)
    study = open_study(tmp_path / "study")
    assert [option.key for option in study.options(next(iter(study.questions.values())))] == ["1", "2"]


def test_bad_use_is_one_line(questions: Suite, captions: Suite, tmp_path: Path) -> None:
    def refused(*arguments: str | Path) -> str:
        done = falter_here("people", "plan", *arguments, "--out", tmp_path / "out")
        assert (done.code, done.stderr.count("\n")) == (2, 1), done.stderr
        assert not (tmp_path / "out").exists()
        return done.stderr

    assert "unknown task guess" in refused(questions.folder, "--task", "guess")
    assert "has no captions with foils" in refused(questions.folder, "--task", "caption-or-foil")
    (tmp_path / "bad.yaml").write_text("name: x\ntitle: x\nprompt: x\noptions: [{value: a, label: A}]\n")
    assert "two options at least" in refused(questions.folder, "--task", tmp_path / "bad.yaml")
    (tmp_path / "twice.yaml").write_text(
        "name: x\ntitle: x\nprompt: x\noptions: [{value: a, label: A, key: a}, {value: b, label: B, key: a}]\n"
    )
    assert "used twice" in refused(questions.folder, "--task", tmp_path / "twice.yaml")
    assert "no room beside 30" in refused(captions.folder, "--controls", "30", "--task-length", "20", "--sample", "4")
    with pytest.raises(InputError, match="not a study"):
        open_study(tmp_path)
    assert load_form("answer").name == "answer"
