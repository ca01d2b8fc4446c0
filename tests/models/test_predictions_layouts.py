"""Files of predictions as other programs write them are recognised and joined."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import InputError, UsageError
from falter.data.items import Item, Probe
from falter.data.model_loading import LoadContext
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import dry_run, run_suite
from falter.evaluation.models import load_model
from falter.evaluation.models.predictions import PredictionsModel
from falter.evaluation.runs import open_run
from falter.evaluation.runs.scoring import compare_runs
from falter.evaluation.score_options import ScoreOptions
from tests.engine.small_suite import Recorder


def question(number: int, **more: Any) -> Item:
    return Item(
        **{
            "probe_id": f"p{number}",
            "variant": 0,
            "item_id": f"item{number}",
            "suite": "s",
            "test": "t",
            "role": "original",
            "expects": "each",
            "task": "answer",
            "text": f"question {number}?",
            "gold": "red",
            "choices": ("red", "blue"),
            "source_id": str(100 + number),
            **more,
        }
    )


def suite_of(folder: Path, *items: Item) -> Suite:
    with create_suite(folder, SuiteManifest(name="s")) as writer:
        for item in items:
            writer.add(Probe((item,)))
    return open_suite(folder)


def answers(tmp_path: Path, name: str, content: Any, suite: Suite | None = None) -> dict[str, Any]:
    """By item the answer that comes of a file."""
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    suite = suite or suite_of(tmp_path / "suite", question(1), question(2))
    replies = run_suite(suite, load_model(f"file:{path}"), tmp_path / "run").replies()
    return dict(replies.select("item_id", "answer").iter_rows())


RIGHT = {"item1": "red", "item2": "blue"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vqa.json", [{"question_id": 101, "answer": "red"}, {"question_id": 102, "answer": "blue"}]),
        ("gqa.json", [{"questionId": "101", "prediction": "red"}, {"questionId": "102", "prediction": "blue"}]),
        (
            "lxmert.json",
            # A file that tells what was right beside what was predicted.
            [
                {"questionId": "101", "prediction": "red", "answer": "blue"},
                {"questionId": "102", "prediction": "blue", "answer": "blue"},
            ],
        ),
        ("mmf.csv", "question_id,answer\n101,red\n102,blue\n"),
        ("mmf.json", [{"question_id": 101, "answer": "red"}, {"question_id": 102, "answer": "blue"}]),
        ("ident.csv", "ident,answer\n101,red\n102,blue\n"),
        ("plain.tsv", "source_id\tanswer\n101\tred\n102\tblue\n"),
        ("id.json", [{"id": "item1", "answer": "red"}, {"id": 102, "answer": "blue"}]),
    ],
)
def test_results_of_other_programs(tmp_path: Path, name: str, content: Any) -> None:
    assert answers(tmp_path, name, content) == RIGHT


def sample(doc_id: int, said: Any, **more: Any) -> str:
    return json.dumps({"doc_id": doc_id, "target": "red", "arguments": {}, "filtered_resps": said, **more})


@pytest.mark.parametrize(
    "lines",
    [
        [sample(101, ["red"]), sample(102, ["Blue."])],
        [sample(0, ["red"], doc={"question_id": 101}), sample(1, ["blue"], doc={"question_id": "102"})],
        [sample(0, [["red"]], doc={"item_id": "item1"}), sample(1, "blue", doc={"questionId": 102})],
        [sample(101, None, resps=[["red"]]), sample(102, [], resps=[["blue"]])],
        [sample(101, [[-0.1, True], [-4.0, False]]), sample(102, [[-9.0, False], [-3.0, False]])],
        [sample(101, None, resps=[[[-0.1, True]], [[-4.0, False]]]), sample(102, [["-9.0", "False"], ["-3", "False"]])],
    ],
)
def test_samples_of_an_evaluation_harness(tmp_path: Path, lines: list[str]) -> None:
    assert answers(tmp_path, "samples.jsonl", "\n".join(lines)) == RIGHT


def test_logs_beside_their_settings(tmp_path: Path) -> None:
    logs = [json.loads(line) for line in (sample(101, ["red"]), sample(102, ["blue"]))]
    assert answers(tmp_path, "task.json", {"args": {"limit": None}, "logs": logs}) == RIGHT


def test_whole_numbers_with_a_point_are_ids(tmp_path: Path) -> None:
    content = [{"question_id": 101.0, "answer": "red"}, {"question_id": 102.0, "answer": "blue"}]
    assert answers(tmp_path, "p.json", content) == RIGHT


def test_likelihoods_need_as_many_choices(tmp_path: Path) -> None:
    content = "\n".join([sample(101, [[-1.0, False]]), sample(102, [[-1.0, False], [-0.5, False]])])
    assert answers(tmp_path, "samples.jsonl", content) == {"item1": None, "item2": "blue"}


def texts(*sources: str) -> list[Item]:
    return [
        question(number, task="match", text="a cat", choices=None, source_id=source, item_id=f"m{source}")
        for number, source in enumerate(sources)
    ]


def by_number(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """A layout of a bundle: the id is put together from two columns, the score is called p."""
    if "number" not in row:
        return None
    if row["number"] == "x":
        raise ValueError("a number is a whole number, not 'x'")
    return f"{row['part']}:{row['number']}", {"score": row["p"], "score_kind": "probability"}


def test_layouts_of_a_bundle_are_tried_before_the_general_ones(tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", *texts("a:1", "2"))
    path = tmp_path / "scores.jsonl"
    path.write_text('{"part": "a", "number": 1, "id": 7, "p": 0.25}\n{"id": 2, "score": 4}\n')
    context = LoadContext(layouts=(by_number,))
    run = run_suite(suite, load_model(f"file:{path}", context), tmp_path / "run")
    found = {item: (score, kind) for item, score, kind in run.replies().select("item_id", "score", "score_kind").rows()}
    assert found == {"ma:1": (0.25, "probability"), "m2": (4.0, "similarity")}
    path.write_text('{"part": "a", "number": 1, "p": 0.25}\n{"part": "a", "number": "x", "p": 1}\n')
    with pytest.raises(InputError, match=r"scores.jsonl, line 2: a number is a whole number, not 'x'"):
        load_model(f"file:{path}", context)


def test_what_scores_are_is_said_or_unknown(tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", *texts("1", "2"))
    path = tmp_path / "s.csv"
    path.write_text("source_id,score\n1,0.5\n2,0.75\n")
    plain = dry_run(suite, load_model(f"file:{path}"), tmp_path / "run")
    assert any("does not say what its scores are" in note for note in plain.notes)
    told = load_model(f"file:{path}#score_kind=probability,name=mine")
    assert told.name == "mine"
    assert dry_run(suite, told, tmp_path / "run").notes == ()
    assert set(run_suite(suite, told, tmp_path / "run").replies()["score_kind"]) == {"probability"}
    assert told.fingerprint != load_model(f"file:{path}").fingerprint
    path.write_text("id,proba,label\n1,0.5,0\n2,0.75,1\n")
    mmf = run_suite(suite, load_model(f"file:{path}"), tmp_path / "mmf")
    assert set(mmf.replies()["score_kind"]) == {"probability"}
    for wrong in ("score_kind=luck", "colour=red", "name="):
        with pytest.raises(UsageError):
            load_model(f"file:{path}#{wrong}")


def test_an_item_published_twice_is_found_under_either_id(tmp_path: Path) -> None:
    twins = [question(1, item_id="same", source_id="a"), question(2, item_id="same", source_id="b")]
    suite = suite_of(tmp_path / "suite", *twins)
    path = tmp_path / "p.json"
    path.write_text(json.dumps([{"source_id": "b", "answer": "red"}]))
    model = load_model(f"file:{path}")
    assert dry_run(suite, model, tmp_path / "run").notes == ()
    assert run_suite(suite, model, tmp_path / "run").replies()["answer"].to_list() == ["red"]
    path.write_text(json.dumps([{"source_id": "a", "answer": "blue"}, {"source_id": "b", "answer": "red"}]))
    model = load_model(f"file:{path}")
    assert dry_run(suite, model, tmp_path / "other").notes == ()
    run = run_suite(suite, model, tmp_path / "other")
    assert run.replies().select("item_id", "answer").rows() == [("same", "blue"), ("same@@b", "red")]
    assert run.outcomes().select("item_id", "outcome").rows() == [("same", "incorrect")], "copies count once"
    run_suite(suite, Recorder(lambda request: "red"), tmp_path / "model")
    compared = compare_runs(
        open_run(tmp_path / "other"), open_run(tmp_path / "model"), ScoreOptions(n_resamples=0)
    ).comparisons
    assert {one.measure: (one.first, one.second, one.n) for one in compared}["acc"] == (0.0, 1.0, 1)


def test_an_id_without_a_prediction_takes_that_of_its_test_alone(tmp_path: Path) -> None:
    rows = [("a", "t"), ("b", "t"), ("c", "u"), ("d", "u"), ("e", "v")]
    items = [
        question(number, item_id="same", source_id=source_id, test=test)
        for number, (source_id, test) in enumerate(rows)
    ]
    suite = suite_of(tmp_path / "suite", *items)
    path = tmp_path / "p.json"
    path.write_text(json.dumps([{"source_id": "a", "answer": "blue"}, {"source_id": "c", "answer": "red"}]))
    model = load_model(f"file:{path}")
    (note,) = dry_run(suite, model, tmp_path / "run").notes
    assert note.startswith("warning: 1 of 5 items are missing from file p.json: they count as failed (e)")
    replies = run_suite(suite, model, tmp_path / "run").replies().select("item_id", "status", "answer").rows()
    assert replies == [
        ("same", "ok", "blue"),
        ("same@@c", "ok", "red"),
        ("same@@d", "ok", "red"),
        ("same@@e", "failed", None),
    ]


def test_an_id_with_two_predictions_is_refused_where_it_is_one_question(tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", question(1, source_id="1"), question(2, source_id="2"))
    path = tmp_path / "p.json"
    path.write_text('[{"questionId": "1", "prediction": "a"}, {"questionId": 1, "prediction": "b"}]')
    with pytest.raises(InputError, match=r"p\.json, entry 2: 1 has two different predictions \(keep one of them\)"):
        dry_run(suite, load_model(f"file:{path}"), tmp_path / "run")


def test_an_id_of_different_questions_joins_where_it_is_unambiguous(tmp_path: Path) -> None:
    """Two published files use the id 1 for different questions and the id 3 for the same."""
    rows = [("f", "1", "x1"), ("f", "2", "x2"), ("f", "3", "x3"), ("g", "1", "y1"), ("g", "3", "x3"), ("g", "4", "y4")]
    items = [
        question(number, item_id=item_id, source_id=source_id, probe_id=f"{file}-{source_id}", choices=None)
        for number, (file, source_id, item_id) in enumerate(rows)
    ]
    suite = suite_of(tmp_path / "suite", *items)

    def answers(name: str, predicted: list[tuple[str, str]]) -> tuple[dict[str, str | None], tuple[str, ...]]:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps([{"question_id": one, "answer": answer} for one, answer in predicted]))
        model = load_model(f"file:{path}")
        notes = dry_run(suite, model, tmp_path / name).notes
        replies = run_suite(suite, model, tmp_path / name).replies()
        return dict(replies.select("item_id", "answer").rows()), notes

    found, _ = answers("f", [("1", "a"), ("2", "b"), ("3", "c")])
    assert found == {"x1": "a", "x2": "b", "x3": "c", "y1": None, "y4": None}, "only the file that was predicted"
    found, _ = answers("g", [("1", "a"), ("3", "c"), ("4", "d")])
    assert found == {"x1": None, "x2": None, "x3": "c", "y1": "a", "y4": "d"}
    for more in ([("1", "a")], [("1", "a"), ("1", "z")]):
        found, notes = answers(f"both{len(more)}", [*more, ("2", "b"), ("3", "c"), ("4", "d")])
        assert found == {"x1": None, "x2": "b", "x3": "c", "y1": None, "y4": "d"}
        assert any("1 id in both" in note and "stands for different questions" in note for note in notes), notes


def test_a_path_with_a_number_sign_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "run#3.csv"
    path.write_text("item_id,answer\na,yes\n")
    model = load_model(f"file:{path}")
    assert isinstance(model, PredictionsModel)
    assert model.path == path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("gold.csv", "questionId,prediction,answer\n101,,red\n102,blue,blue\n"),
        (
            "gold.json",
            [{"questionId": 101, "prediction": None, "answer": "red"}, {"questionId": 102, "answer": "blue"}],
        ),
        ("empty.csv", "question_id,answer\n101,\n102,blue\n"),
    ],
)
def test_an_empty_prediction_says_nothing_and_is_told(tmp_path: Path, name: str, content: Any) -> None:
    """The gold answer beside it is not taken for it."""
    assert answers(tmp_path, name, content) == {"item1": None, "item2": "blue"}
    model = load_model(f"file:{tmp_path / name}")
    assert isinstance(model, PredictionsModel)
    notes = model.preflight([("item1", "101"), ("item2", "102")])
    assert notes == [f"1 prediction in {name} is empty: it says nothing (101)"]


def test_empty_predictions_are_counted_by_the_rows_of_the_file(tmp_path: Path) -> None:
    """Rows of a suite that show the same are one item, and the file may have a prediction for each or for all."""
    rows = [("item1", "101"), ("item1", "102"), ("item2", "103"), ("item3", "104")]
    (tmp_path / "published.csv").write_text("question_id,answer\n101,\n102,\n103,\n104,blue\n")
    (tmp_path / "own.csv").write_text("item_id,answer\nitem1,\nitem2,\nitem3,blue\n")
    for name, told in (("published", "3 predictions in"), ("own", "2 predictions in")):
        model = load_model(f"file:{tmp_path / name}.csv")
        assert isinstance(model, PredictionsModel)
        (note,) = model.preflight(rows)
        assert note.startswith(f"{told} {name}.csv are empty: they say nothing (101, ")
