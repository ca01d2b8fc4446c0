"""Predictions files: what fits, what is missing, what is hostile."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from falter.api.model_jobs import prepare_run
from falter.core.errors import InputError, UsageError
from falter.data.items import Probe
from falter.data.model import Request
from falter.data.model_loading import LoadContext
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import dry_run, run_suite
from falter.evaluation.models import load_model
from falter.evaluation.models.predictions import load_predictions
from tests.engine.small_suite import make_item, make_suite


def test_every_format_gives_the_same_replies(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=12)
    rows = [
        {"item_id": item_id, "answer": answer}
        for item_id, answer in zip(
            sorted({item.item_id for item in suite.items()}), ["Yes.", "no, it isn't", "maybe", "2"] * 10, strict=False
        )
    ]
    frame = pl.DataFrame(rows)
    frame.write_ndjson(tmp_path / "p.jsonl")
    frame.write_csv(tmp_path / "p.csv")
    frame.write_parquet(tmp_path / "p.parquet")
    (tmp_path / "p.json").write_text(frame.write_json())
    outcomes = []
    for name in ("p.jsonl", "p.csv", "p.parquet", "p.json"):
        run = run_suite(suite, load_model(f"file:{tmp_path / name}"), tmp_path / f"run {name}")
        outcomes.append(run.replies())
        assert run.manifest.counts["failed"] == 0
    assert all(outcome.equals(outcomes[0]) for outcome in outcomes)
    assert set(outcomes[0]["answer"]) == {"yes", "no", None}


def test_published_ids_missing_and_surplus_ones(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=5)
    path = tmp_path / "results.json"
    path.write_text('[{"question_id": "q1-0", "answer": "yes"}, {"question_id": 99, "answer": "no"}]')
    model = load_model(f"file:{path}")
    plan = dry_run(suite, model, tmp_path / "run")
    assert plan.notes == (
        "warning: 9 of 10 items are missing from file results.json: they count as failed (q0-0, q0-1, q1-1, ...); "
        "check that the file is of this suite",
        "1 id in results.json is not in the suite: it is ignored (99)",
    )
    run = run_suite(suite, model, tmp_path / "run")
    assert run.manifest.counts == {"ok": 1, "unparsed": 0, "unsupported": 0, "failed": 9}
    assert set(run.replies().filter(pl.col("status") == "failed")["error"]) == {"missing from file"}
    assert run.manifest.complete


@pytest.mark.parametrize(("missing", "warned"), [(1, False), (2, False), (3, True)])
def test_a_file_that_lacks_a_tenth_of_the_items_is_suspect(tmp_path: Path, missing: int, warned: bool) -> None:
    suite = make_suite(tmp_path / "suite", probes=10)
    ids = sorted({item.item_id for item in suite.items()})
    (tmp_path / "p.csv").write_text("item_id,answer\n" + "".join(f"{one},yes\n" for one in ids[missing:]))
    (note,) = dry_run(suite, load_model(f"file:{tmp_path / 'p.csv'}"), tmp_path / "run").notes
    assert f"{missing} of 20 items" in note
    assert note.startswith("warning: ") == warned


def test_a_file_without_any_of_the_items_is_refused(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=5)
    (tmp_path / "other.jsonl").write_text('{"question_id": "other-1", "answer": "yes"}\n')
    model = load_model(f"file:{tmp_path / 'other.jsonl'}")
    with pytest.raises(InputError, match=r"has none of the 10 items.*such as q0-0, q0-1.*the file other-1"):
        run_suite(suite, model, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("answers", "refused"),
    [
        (["1", "0"], True),
        ([1, 0], True),
        ([1, 1], True),
        ([True, False], True),
        (["yes", "1"], False),
        ([2, 3], False),
    ],
)
def test_numbers_and_booleans_for_yes_and_no_are_refused(
    tmp_path: Path, answers: Sequence[object], refused: bool
) -> None:
    suite = make_suite(tmp_path / "suite", probes=3)
    ids = sorted({item.item_id for item in suite.items()})
    rows = [{"item_id": one, "answer": answers[number % 2]} for number, one in enumerate(ids)]
    (tmp_path / "p.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    setup = prepare_run(suite)
    if refused:
        with pytest.raises(InputError, match="write yes or no"):
            load_model(f"file:{tmp_path / 'p.jsonl'}", setup.context)
    else:
        load_model(f"file:{tmp_path / 'p.jsonl'}", setup.context)


def test_numbers_answer_other_questions(tmp_path: Path) -> None:
    with create_suite(tmp_path / "suite", SuiteManifest(name="small")) as writer:
        choices = ("0", "1", "2")
        writer.add(Probe(tuple(make_item(1, variant, f"How many? {variant}", choices=choices) for variant in (0, 1))))
    suite = open_suite(tmp_path / "suite")
    rows = [{"item_id": item.item_id, "answer": 1} for item in suite.items()]
    (tmp_path / "p.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    load_model(f"file:{tmp_path / 'p.jsonl'}", prepare_run(suite).context)


def test_scores_alone_make_a_matcher(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("item_id,score,score_kind\na,0.25,probability\nb,0.75,probability\n")
    assert load_model(f"file:{tmp_path / 's.csv'}").capabilities.tasks == {"match"}


HOSTILE = [
    ("p.jsonl", b'{"item_id": "a", "answer": "yes"}\n{"item_id": "b", "ans', "line 2"),
    ("p.jsonl", b'{"item_id": "a", "answer": "yes"}\n[1, 2]\n', "line 2"),
    ("p.jsonl", b'{"answer": "yes"}\n', "line 1: has no item_id"),
    ("p.jsonl", b'{"item_id": "a"}\n', "line 1: has neither an answer nor a score"),
    ("p.jsonl", b'{"item_id": "a", "answer": ["yes"]}\n', "an answer is text"),
    ("p.jsonl", b'{"item_id": {"x": 1}, "answer": "yes"}\n', "an id is text"),
    ("p.jsonl", b'{"item_id": "a", "score": "high"}\n', "a score is a finite number"),
    ("p.jsonl", b'{"item_id": "a", "score": 1, "score_kind": "luck"}\n', "score_kind is one of"),
    ("p.jsonl", b'{"item_id": "a", "answer": "yes"}\n{"item_id": "a", "answer": "no"}\n', "two different predictions"),
    ("p.jsonl", b'{"item_id": "a", "score": -3, "score_kind": "probability"}\n', "line 1: a probability is between"),
    ("p.jsonl", b'{"doc_id": 1, "resps": []}\n', "line 1: has responses that are neither"),
    ("p.jsonl", b'{"doc_id": 1, "resps": [[{"text": "yes"}]]}\n', "line 1: has responses that are neither"),
    ("p.json", b'[{"questionId": "1", "prediction": "yes"}, {"questionId": "2", "predic', "JSON list"),
    ("p.jsonl", b"\xff\xfe\x00\x01\n", "line 1"),
    ("p.jsonl", b"[" * 100_000 + b"\n", "line 1"),
    ("p.jsonl", b"", "holds no predictions"),
    ("p.json", b'{"a": null}', "JSON list"),
    ("p.csv", b"item_id,answer\na,yes\nb\n", "line 3"),
    ("p.csv", b"item_id,score\na,lots\n", "line 2: a score is a number"),
    ("p.csv", b"item_id,score\na,nan\n", "line 2: a score is a finite number"),
    ("p.csv", b"item_id,answer\na,\xff\xff\n", "cannot be read as CSV"),
    ("p.parquet", b"PAR1 nonsense", "cannot be read as Parquet"),
    ("p.txt", b"yes", "has none of the endings"),
]


@pytest.mark.parametrize(("name", "data", "said"), HOSTILE)
def test_hostile_files_are_refused_with_the_place(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_model(f"file:{path}")
    assert str(path) in str(caught.value)
    assert said in str(caught.value).replace(f"{path}, ", "")


def test_columns_that_are_called_otherwise(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("item_id,qid,reply,conf\nrow-1,a,Yes it is,0.5\nrow-2,b,no,0.25\n")
    (tmp_path / "map.yaml").write_text("columns:\n  source_id: qid\n  text: reply\n")
    for notes in (
        "source_id=qid,text=reply",
        f"columns={tmp_path / 'map.yaml'}",
        f"columns={tmp_path / 'map.yaml'},score=conf",
    ):
        model = load_predictions(f"{tmp_path / 'p.csv'}#{notes}", LoadContext())
        asked = Request(item_id="i", task="answer", text="Is it?", choices=("yes", "no"), source_id="a")
        (reply,) = model.reply([asked])
        assert (reply.text, reply.score) == ("Yes it is", 0.5 if "conf" in notes else None)
        assert model.name == "p"
    plain = load_predictions(f"{tmp_path / 'p.csv'}#source_id=qid,text=reply", LoadContext())
    other = load_predictions(f"{tmp_path / 'p.csv'}#source_id=qid,answer=reply", LoadContext())
    assert plain.fingerprint != other.fingerprint
    with pytest.raises(InputError, match=r"no column 'answer_text'.*its columns are item_id, qid, reply, conf"):
        load_predictions(f"{tmp_path / 'p.csv'}#source_id=qid,text=answer_text", LoadContext())
    with pytest.raises(UsageError, match="ROLE=COLUMN"):
        load_predictions(f"{tmp_path / 'p.csv'}#question=qid", LoadContext())


TABLES = ("t.csv", "t.jsonl", "t.json", "t.parquet")


def write_table(path: Path, rows: Sequence[dict[str, object]]) -> Path:
    frame = pl.DataFrame(rows)
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".jsonl":
            frame.write_ndjson(path)
        case ".parquet":
            frame.write_parquet(path)
        case _:
            path.write_text(frame.write_json())
    return path


GOLD_BESIDE = [
    {"id": "a", "question": "Is it?", "answer": "yes", "prediction": "No"},
    {"id": "b", "question": "Is it?", "answer": "yes", "prediction": "No."},
]


def replies_of(spec: str) -> list[tuple[str | None, float | None, str | None]]:
    model = load_predictions(spec, LoadContext())
    asked = [
        Request(item_id=f"i{one}", task="answer", text="Is it?", choices=("yes", "no"), source_id=one) for one in "ab"
    ]
    return [(one.text if one.answer is None else one.answer, one.score, one.error) for one in model.reply(asked)]


@pytest.mark.parametrize("name", TABLES)
def test_a_named_column_is_used_and_no_other(tmp_path: Path, name: str) -> None:
    path = write_table(tmp_path / name, GOLD_BESIDE)
    for notes in ("source_id=id,text=prediction", "text=prediction", "source_id=id,answer=prediction"):
        assert replies_of(f"{path}#{notes}") == [("No", None, None), ("No.", None, None)]
    assert replies_of(f"{path}#text=answer") == [("yes", None, None)] * 2
    path = write_table(tmp_path / f"score-{name}", [{**one, "score": 1.0, "text": "Is it?"} for one in GOLD_BESIDE])
    assert replies_of(f"{path}#answer=prediction") == [("No", None, None), ("No.", None, None)]
    path = write_table(tmp_path / f"ids-{name}", [{**one, "item_id": "z", "source_id": "y"} for one in GOLD_BESIDE])
    assert replies_of(f"{path}#source_id=id,text=prediction") == [("No", None, None), ("No.", None, None)]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("other", ["prediction", "reply", "response", "output", "text"])
def test_two_columns_that_may_be_the_reply_are_refused_with_both_mappings(
    tmp_path: Path, name: str, other: str
) -> None:
    rows = [{"id": one["id"], "answer": one["answer"], other: one["prediction"]} for one in GOLD_BESIDE]
    path = write_table(tmp_path / name, rows)
    with pytest.raises(InputError, match=f"has the columns answer and {other}") as error:
        load_predictions(str(path), LoadContext())
    specs = re.findall(r"--model 'file:(.*?)'", str(error.value))
    assert [replies_of(spec)[0][0] for spec in specs] == ["No", "yes"]
    with pytest.raises(InputError, match=rf"#source_id=id,text={other}'"):
        load_predictions(f"{path}#source_id=id", LoadContext())


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("column", ["text", "reply", "response", "prediction", "output"])
def test_replies_are_recognised_under_several_names(tmp_path: Path, name: str, column: str) -> None:
    path = write_table(tmp_path / name, [{"id": one["id"], column: one["prediction"]} for one in GOLD_BESIDE])
    assert replies_of(str(path)) == [("No", None, None), ("No.", None, None)]


def test_layouts_that_are_documented_keep_the_gold_beside_the_prediction(tmp_path: Path) -> None:
    for column in ("questionId", "index"):
        path = write_table(tmp_path / "t.csv", [{column: one.pop("id"), **one} for one in map(dict, GOLD_BESIDE)])
        assert replies_of(str(path)) == [("No", None, None), ("No.", None, None)]
    own = [{"source_id": "a", "answer": "yes", "text": "Hm, yes"}, {"source_id": "b", "answer": "no", "text": "Nope"}]
    assert replies_of(str(write_table(tmp_path / "t.csv", own))) == [("yes", None, None), ("no", None, None)]


def test_a_named_column_keeps_how_its_text_ended(tmp_path: Path) -> None:
    path = write_table(tmp_path / "t.csv", [{"qid": "a", "said": "I think that", "finish_reason": "length"}])
    model = load_predictions(f"{path}#source_id=qid,text=said", LoadContext())
    (reply,) = model.reply([Request(item_id="i", task="answer", text="Is it?", choices=None, source_id="a")])
    assert reply.finish_reason == "length"


def test_notes_of_a_file_that_would_have_no_effect_are_refused(tmp_path: Path) -> None:
    answers = write_table(tmp_path / "t.csv", [{"source_id": "a", "answer": "yes"}])
    with pytest.raises(UsageError, match=r"score_kind=probability has no effect on .*: it has no scores"):
        load_predictions(f"{answers}#score_kind=probability", LoadContext())
    scores = write_table(tmp_path / "s.csv", [{"source_id": "a", "score": 0.5, "score_kind": "logprob"}])
    with pytest.raises(UsageError, match=r"no effect on .*: its rows say logprob themselves"):
        load_predictions(f"{scores}#score_kind=probability", LoadContext())
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match=r"is a folder, which has no columns to name; leave text out"):
        load_predictions(f"{tmp_path / 'folder'}#text=reply", LoadContext())
