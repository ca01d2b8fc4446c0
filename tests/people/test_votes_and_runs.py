"""From answers to votes, subsets, agreement and a human baseline; and to and from other services."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.apps.people.judgements import PersonJudgement, aggregate
from falter.apps.people.plan import plan_study
from falter.apps.people.platforms import read_answer_file
from falter.apps.people.study import Study, StudyQuestion
from falter.core.errors import InputError, UsageError
from falter.data.suite import Suite, open_suite
from falter.data.votes import read_votes
from tests.cli.in_process import falter_here
from tests.people.made import caption_suite, question_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return question_suite(tmp_path_factory.mktemp("made") / "suite", images=8)


@pytest.fixture
def study(suite: Suite, tmp_path: Path) -> Study:
    return plan_study(suite, tmp_path / "study", sample=10, task_length=8, controls=2)


def write_answers(path: Path, study: Study, wrong: dict[str, set[str]] | None = None) -> Path:
    """Three people answer everything; ``wrong`` holds by person the probes on whose variant they err."""
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["question_id", "annotator", "answer", "seconds", "task_id"])
        for task in study.tasks.values():
            for name in task.questions:
                one = study.questions[name]
                for person in ("ann", "bob", "cy"):
                    errs = one.probe_id in (wrong or {}).get(person, ()) and one.variant == 1
                    right = one.expected_as_shown
                    other = {"yes": "no", "no": "yes", "first": "second", "second": "first"}[right or ""]
                    writer.writerow([name, person, other if errs else right, 2.0, task.task_id])
    return path


def test_votes_mark_what_people_confirm(study: Study, suite: Suite, tmp_path: Path) -> None:
    probes = sorted({one.probe_id for one in study.judged.values()})
    wrong = {"ann": set(probes[:3]), "bob": set(probes[:2])}
    file = write_answers(tmp_path / "answers.csv", study, wrong)
    found = falter.people.collect_votes(study.folder, files=[file], out=tmp_path / "voted")
    assert (found.added, found.answers) == (60 + 3 * 2 * len(study.tasks), 60)
    assert falter.people.collect_votes(study.folder, files=[file]).added == 0, "a file read twice adds nothing"
    voted = open_suite(tmp_path / "voted")
    flags = {probe.probe_id: probe.original.facets for probe in voted.probes()}
    assert [flags[one]["valid"] for one in probes[:4]] == ["no", "no", "yes", "yes"]
    assert [flags[one]["unanimous"] for one in probes[:4]] == ["no", "no", "no", "yes"]
    assert sum("valid" in facets for facets in flags.values()) == 10
    votes = list(read_votes(voted.folder))
    assert (len(votes), sum(not vote.is_for for vote in votes)) == (60, 5)
    shown = falter_here("inspect", voted.folder, "--sample", "0").stdout
    assert "valid, %" in shown and "(" in shown
    rows = found.validation
    assert rows is not None
    assert sum(row.valid for row in rows) == 8
    # The share and its Wilson interval, worked out by hand for 3 or 5 of 5.
    intervals = {row.valid: (row.valid_low, row.valid_high) for row in rows if row.judged == 5}
    expected = {3: (0.2307, 0.8824), 5: (0.5655, 1.0), 4: (0.3755, 0.9638)}
    for number, (low, high) in intervals.items():
        assert (low, high) == pytest.approx(expected[number], abs=1e-3)


def test_people_are_a_model_that_is_scored_and_compared(study: Study, suite: Suite, tmp_path: Path) -> None:
    probes = sorted({one.probe_id for one in study.judged.values()})
    file = write_answers(tmp_path / "answers.csv", study, {"ann": set(probes[:3]), "bob": set(probes[:2])})
    falter.people.collect_votes(study.folder, files=[file])
    run = falter.people.as_run(study.folder, out=tmp_path / "run")
    assert (run.manifest.model.name, run.manifest.model.rule) == ("human", "people:majority,annotators:3")
    scores = run.scores(measures=["acc", "c_acc"], n_resamples=50)
    weights = {"rephrase": Counter(), "negation": Counter()}  # type: ignore[var-annotated]
    for one in scores:
        if one.test in weights and one.value is not None:
            weights[one.test][one.measure] += one.value * one.n
    # Errors are in variants alone, of two of ten probes: 18 of 20 answers, 8 of 10 pairs.
    assert sum(each["acc"] for each in weights.values()) == pytest.approx(18)
    assert sum(each["c_acc"] for each in weights.values()) == pytest.approx(8)
    alone = falter.people.as_run(study.folder, out=tmp_path / "ann", annotator="ann")
    rows = [one for one in alone.scores(measures=["c_acc"], n_resamples=0) if one.test in weights]
    assert sum((one.value or 0) * one.n for one in rows) == pytest.approx(7)
    assert alone.manifest.model.name == "human-ann"
    assert falter_here("compare", tmp_path / "run", tmp_path / "ann").code == 0
    assert (tmp_path / "run" / "replies.parquet").read_bytes() == (
        falter.people.as_run(study.folder, out=tmp_path / "again").folder / "replies.parquet"
    ).read_bytes()
    with pytest.raises(UsageError, match="has not answered"):
        falter.people.as_run(study.folder, out=tmp_path / "x", annotator="zoe")


def test_captions_and_foils_become_a_run_and_votes(tmp_path: Path) -> None:
    suite = caption_suite(tmp_path / "suite", pairs=12)
    study = plan_study(suite, tmp_path / "study", task="caption-or-foil", sample=8, task_length=6, controls=1)
    probes = sorted({one.probe_id for one in study.judged.values()})
    wrong = {"ann": set(probes[:2]), "bob": set(probes[:1])}
    found = falter.people.collect_votes(
        study.folder, files=[write_answers(tmp_path / "a.csv", study, wrong)], out=tmp_path / "voted"
    )
    assert found.validation is not None
    assert sum(row.valid for row in found.validation) == 7
    assert {row.alpha_over for row in found.validation} == {"options"}
    run = falter.people.as_run(study.folder, out=tmp_path / "run")
    replies = {row["item_id"]: row["score"] for row in run.replies().to_dicts()}
    by_probe = {probe.probe_id: [replies.get(item.item_id) for item in probe.items] for probe in suite.probes()}
    assert by_probe[probes[0]] == [pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert by_probe[probes[2]] == [1.0, 0.0]
    # The reader of falter people votes gives the same votes, with sides by name.
    other = plan_study(suite, tmp_path / "other", task="caption-or-foil", sample=8, task_length=6, controls=1)
    rows = [
        {"probe_id": vote.probe_id, "annotator": vote.annotator, "answer": vote.answer}
        for vote in read_votes(tmp_path / "voted")
    ]
    (tmp_path / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    again = falter.people.collect_votes(other.folder, files=[tmp_path / "votes.jsonl"], out=tmp_path / "voted-2")
    assert again.validation is not None
    assert [row.valid for row in again.validation] == [row.valid for row in found.validation]


def judge(question: StudyQuestion, answers: str) -> list[PersonJudgement]:
    words = {"y": "yes", "n": "no", "a": "ambiguous"}
    return [PersonJudgement(question, f"p{n}", words[one], words[one], 1.0) for n, one in enumerate(answers)]


def test_no_majority_and_ambiguous_count_as_wrong() -> None:
    made = {
        votes: StudyQuestion(
            question_id=votes, text="?", test="t", probe_id=votes, expected="yes", choices=("yes", "no")
        )
        for votes in ("yyynn", "yynna", "aaayy", "yyyyy", "yn")
    }
    found = aggregate([one for votes, question in made.items() for one in judge(question, votes)])
    assert {name: (one.answer, one.is_right) for name, one in found.items()} == {
        "yyynn": ("yes", True),
        "yynna": (None, False),
        "aaayy": ("ambiguous", False),
        "yyyyy": ("yes", True),
        "yn": (None, False),
    }


def test_dawid_skene_trusts_those_who_are_right() -> None:
    pytest.importorskip("crowdkit")
    # Two careful people and three who say yes nearly always: the majority is wrong about half of the questions.
    rows = []
    for number in range(40):
        truth = "yn"[number % 2]
        question = StudyQuestion(
            question_id=f"q{number:02d}",
            text="?",
            test="t",
            probe_id=str(number),
            choices=("yes", "no"),
            expected="yes" if truth == "y" else "no",
        )
        rows += judge(question, truth + truth + "yyy" if number % 10 else truth + truth + "nyy")
    majority = aggregate(rows)
    weighed = aggregate(rows, "dawid-skene")
    assert sum(one.is_right for one in majority.values()) == 20
    assert sum(one.is_right for one in weighed.values()) >= 38


def test_label_studio_gets_blind_tasks_and_its_exports_are_read(study: Study, tmp_path: Path) -> None:
    done = falter_here("people", "export", study.folder, "--to", "label-studio", "--out", tmp_path / "ls")
    assert done.code == 0, done.stderr
    tasks = json.loads((tmp_path / "ls" / "tasks.json").read_text())
    project = json.loads((tmp_path / "ls" / "project.json").read_text())
    assert project["label_config"] == (tmp_path / "ls" / "config.xml").read_text()
    assert '<Choices name="answer" toName="text" value="$options"' in project["label_config"]
    assert {key for task in tasks for key in task["data"]} == {"question_id", "text", "image", "options"}
    assert all(task["data"]["image"].startswith("data:image/") for task in tasks)
    # What Label Studio's documentation shows of an export: a task with its annotations.
    exported = []
    for number, task in enumerate(tasks, start=1):
        right = study.questions[task["data"]["question_id"]].expected
        result = {
            "from_name": "answer",
            "id": "Dx_aB91ISN",
            "to_name": "text",
            "type": "choices",
            "origin": "manual",
            "value": {"choices": [right]},
        }
        first = {
            "id": 1000 + number,
            "result": [result],
            "was_cancelled": False,
            "ground_truth": False,
            "lead_time": 4.288,
            "completed_by": 10,
            "task": number,
        }
        shown = {**result, "value": {"choices": [str(right).capitalize()]}}
        second = {**first, "result": [shown], "completed_by": {"id": 11, "email": "someone@example.org"}}
        cancelled = {**first, "was_cancelled": True, "completed_by": 12}
        exported.append(
            {"id": number, "data": task["data"], "annotations": [first, second, cancelled], "predictions": []}
        )
    (tmp_path / "export.json").write_text(json.dumps(exported))
    rows = read_answer_file(study, tmp_path / "export.json")
    people = Counter(row.annotator for row in rows)
    assert set(people.values()) == {len(tasks)} and len(people) == 2 and "ls-10" in people
    assert "example" not in str(people)
    assert all(row.answer == study.questions[row.question_id].expected for row in rows)
    assert rows[0].seconds == 4.288
    small = [
        {
            "question_id": one["data"]["question_id"],
            "id": one["id"],
            "answer": "yes",
            "annotator": 10,
            "annotation_id": 1,
            "lead_time": 2.0,
            "image": "x",
            "text": "y",
        }
        for one in exported
    ]
    (tmp_path / "min.json").write_text(json.dumps(small))
    assert {row.answer for row in read_answer_file(study, tmp_path / "min.json")} == {"yes"}
    exported[0]["annotations"][0]["result"][0] = {**result, "value": {"choices": ["purple"]}}
    (tmp_path / "bad.json").write_text(json.dumps(exported))
    with pytest.raises(InputError, match="purple"):
        read_answer_file(study, tmp_path / "bad.json")


def test_mechanical_turk_gets_a_page_and_its_results_are_read(study: Study, tmp_path: Path) -> None:
    refused = falter_here("people", "export", study.folder, "--to", "mturk", "--out", tmp_path / "turk")
    assert (refused.code, "--image-url" in refused.stderr) == (2, True)
    address = "https://images.example/study"
    done = falter_here(
        "people", "export", study.folder, "--to", "mturk", "--out", tmp_path / "turk", "--image-url", address
    )
    assert done.code == 0
    page = (tmp_path / "turk" / "page.html").read_text()
    assert 'data-task="${task}"' in page and 'src="http' not in page
    with (tmp_path / "turk" / "tasks.csv").open() as stream:
        hits = list(csv.DictReader(stream))
    assert [row["task_id"] for row in hits] == list(study.tasks)
    with (tmp_path / "results.csv").open("w", newline="") as stream:
        columns = [
            "HITId",
            "AssignmentId",
            "WorkerId",
            "AssignmentStatus",
            "WorkTimeInSeconds",
            "Input.task_id",
            "Input.task",
            "Answer.answers",
        ]
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        for row in hits:
            given = [
                {"question": name, "answer": study.questions[name].expected, "seconds": 1.25}
                for name in study.tasks[row["task_id"]].questions
            ]
            shared: dict[str, Any] = {
                "HITId": "h",
                "WorkTimeInSeconds": 60,
                "Input.task_id": row["task_id"],
                "Input.task": row["task"],
                "Answer.answers": json.dumps(given),
            }
            writer.writerow({**shared, "AssignmentId": "a", "WorkerId": "A2SECRET", "AssignmentStatus": "Approved"})
            writer.writerow({**shared, "AssignmentId": "b", "WorkerId": "A3BAD", "AssignmentStatus": "Rejected"})
    rows = read_answer_file(study, tmp_path / "results.csv")
    assert len({row.annotator for row in rows}) == 1 and "SECRET" not in rows[0].annotator
    assert len(rows) == sum(len(task.questions) for task in study.tasks.values())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("q999999,ann,yes", "does not ask"),
        ("{first},ann,purple", "no option"),
        ("{first},,yes", "no annotator"),
        ("{first},ann,yes\n{first},ann,no", "twice"),
    ],
)
def test_bad_answer_files_change_nothing(study: Study, tmp_path: Path, line: str, told: str) -> None:
    first = next(iter(study.judged))
    (tmp_path / "bad.csv").write_text("question_id,annotator,answer\n" + line.format(first=first) + "\n")
    done = falter_here("people", "collect", study.folder, "--from", tmp_path / "bad.csv")
    assert (done.code, told in done.stderr, done.stderr.count("\n")) == (2, True, 1)
    assert falter.people.collect_votes(study.folder).answers == 0


def test_the_error_rate_of_the_whole_suite_and_what_to_ask_next(suite: Suite, tmp_path: Path) -> None:
    study = plan_study(suite, tmp_path / "study", task="validate", sample=12, task_length=8, controls=2)
    probes = sorted({one.probe_id for one in study.judged.values()})
    rows = ["question_id,annotator,answer"]
    for name, one in study.judged.items():
        rows += [f"{name},p{n},{'label' if one.probe_id in probes[:3] else 'sound'}" for n in range(3)]
    (tmp_path / "a.csv").write_text("\n".join(rows) + "\n")
    falter.people.collect_votes(study.folder, files=[tmp_path / "a.csv"])
    found = falter.people.error_rate(study.folder, next_number=4)
    whole = found.filter(test="all")[0]
    assert (whole.asked, whole.wrong, whole.probes) == (12, 3, 24)
    assert whole.low < whole.rate < whole.high
    assert len(found.next_probes) == 4 and set(found.next_probes).isdisjoint(probes)
    done = falter_here("people", "error-rate", study.folder, "--next", "4", "--next-out", tmp_path / "next.txt")
    assert done.code == 0, done.stderr
    more = falter_here(
        *("people", "plan", suite.folder, "--task", "validate", "--probes", tmp_path / "next.txt"),
        *("--out", tmp_path / "more", "--controls", "1"),
    )
    assert (more.code, "8 questions" in more.stdout) == (0, True)
    shown = falter_here("people", "agreement", study.folder).stdout
    assert "alpha" in shown and "p0" in shown
    assert "questions: sound 18, label 6" in shown
