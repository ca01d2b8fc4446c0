"""Answers are read from the raw text when a run is scored, so that a better reader mends old runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

import falter
from falter.data.items import Item, Probe, Task
from falter.data.model import Reply, Request
from falter.evaluation.answers import READER_VERSION
from falter.evaluation.engine.reply_processing import read_anew
from falter.evaluation.reporting.collect_data import collect
from falter.evaluation.runs import Run, open_run
from falter.evaluation.runs.manifest import read_run_manifest, write_run_manifest
from falter.evaluation.runs.replies import read_replies, replies_from_table, write_replies
from falter.evaluation.runs.store import parquet_name
from falter.evaluation.score_options import ScoreOptions
from tests.measures.tables import probe, write

STALE = {"status": "ok", "answer": "maybe"}
"""What no reader reads out of a text that says yes."""


def make_run(folder: Path, say: Mapping[str, Reply | str], *, task: str = "answer", **settings: object) -> Run:
    """A run over four yes/no questions; all that ``say`` does not name get a yes."""
    if not (folder / "suite").exists():
        write(folder / "suite", *(probe(f"p{number}", "same", ["yes", "yes"], task=task) for number in range(2)))

    def reply(batch: Sequence[Request]) -> list[Reply | str]:
        return [say.get(request.item_id, "Yes, it is.") for request in batch]

    return falter.run(folder / "suite", reply, **{"out": folder / "run", "name": "m", "version": "1", **settings})


def make_old(run: Run, reader: str | None, changed: Mapping[str, Mapping[str, object]]) -> Run:
    """The run as an older reader would have left it."""
    path = run.folder / parquet_name(1)
    rows = {one.item_id: one for one in replies_from_table(read_replies(path))}
    for item_id, fields in changed.items():
        kept = {name: getattr(rows[item_id], name) for name in rows[item_id].__struct_fields__}
        rows[item_id] = Reply(**{**kept, **fields})
    write_replies(path, rows.values())
    write_run_manifest(run.folder, msgspec.structs.replace(run.manifest, reader=reader, files={}))
    return open_run(run.folder)


def answers(run: Run) -> dict[str, str | None]:
    return dict(run.replies().select("item_id", "answer").iter_rows())


@pytest.mark.parametrize("reader", [None, "0"])
def test_a_run_that_an_older_reader_read_is_mended(tmp_path: Path, reader: str | None) -> None:
    fresh = make_run(tmp_path, {})
    scores = {row.measure: row.value for row in fresh.scores(n_resamples=0).rows}
    stale = {"p0.0": STALE, "p1.1": {"status": "unparsed", "answer": None}}
    old = make_old(fresh, reader, stale)
    assert answers(old) == dict.fromkeys(("p0.0", "p0.1", "p1.0", "p1.1"), "yes")
    assert {row.measure: row.value for row in old.scores(n_resamples=0).rows} == scores
    assert scores["acc"] == 1
    assert old.status_counts() == {"ok": 4}
    assert old.outcomes()["answer_text"].to_list() == ["yes"] * 4
    assert not falter.compare(old, old).rows[0].difference
    assert falter.check(old, ["s.t.acc>=0.9"]).rows[0].score.value == 1
    assert collect([old], ScoreOptions(n_resamples=0)).failures == []


def test_a_run_that_the_present_reader_read_is_taken_as_it_is(tmp_path: Path) -> None:
    run = make_old(make_run(tmp_path, {}), READER_VERSION, {"p0.0": STALE})
    assert answers(run)["p0.0"] == "maybe"


def test_what_is_not_read_from_a_text_stays(tmp_path: Path) -> None:
    own = Reply(item_id="p0.0", text="Yes, it is.", answer="no")
    refused = Reply(item_id="p0.1", text="Yes.", status="unparsed")
    run = make_old(make_run(tmp_path, {"p0.0": own, "p0.1": refused}), None, {"p1.0": STALE})
    assert answers(run) == {"p0.0": "no", "p0.1": None, "p1.0": "yes", "p1.1": "yes"}


def test_scores_of_choices_and_of_matches_stay(tmp_path: Path) -> None:
    scored = {"yes": -2.0, "no": -1.0}
    say: dict[str, Reply | str] = {
        name: Reply(item_id=name, text="Yes", choice_scores=scored) for name in ("p0.0", "p0.1", "p1.0")
    }
    say["p1.1"] = Reply(item_id="p1.1", text="Yes", status="unparsed")
    run = make_old(make_run(tmp_path / "answers", say), None, {"p1.1": {"given": False}})
    assert list(answers(run).values()) == ["no", "no", "no", None]

    matched = {"status": "ok", "text": "Yes", "score": 0.1, "score_kind": "probability"}
    changed = {**dict.fromkeys(("p0.0", "p0.1", "p1.0"), matched), "p1.1": {"status": "unparsed", "text": "Yes"}}
    run = make_old(make_run(tmp_path / "matches", {}, task="match"), None, changed)
    assert run.replies()["status"].to_list() == ["ok", "ok", "ok", "unparsed"]
    assert list(answers(run).values()) == [None] * 4


def test_texts_that_are_matched_are_read_as_yes_or_no(tmp_path: Path) -> None:
    said = ("Yes, it does.", "No.", "Hmm, let me look.", "Yes")
    changed = {name: {**STALE, "text": text} for name, text in zip(("p0.0", "p0.1", "p1.0", "p1.1"), said, strict=True)}
    run = make_old(make_run(tmp_path, {}, task="match"), None, changed)
    assert list(answers(run).values()) == ["yes", "no", None, "yes"]


@pytest.mark.parametrize("task", ["answer", "match"])
def test_the_cache_and_scoring_read_a_stored_reply_alike(tmp_path: Path, task: Task) -> None:
    said = ("Yes, it does.", "No.", "Hmm, let me look.", "a dog", "", "<think>Yes", "I cannot tell.", "Nope", "5")
    probes = [probe(f"p{number}", "same", ["yes"], task=task) for number in range(len(said))]
    write(tmp_path / "suite", *probes)
    fresh = falter.run(tmp_path / "suite", lambda batch: ["Yes"] * len(batch), out=tmp_path / "run", name="m")
    kinds: list[dict[str, object]] = [
        *({"status": status, "answer": answer} for status, answer in (("ok", "yes"), ("unparsed", None))),
        *({"status": "ok", "answer": "no", "given": True}, {"status": "unparsed", "answer": None, "given": True}),
        *({"status": "truncated", "answer": None}, {"status": "ok", "choice_scores": {"yes": -1.0, "no": -2.0}}),
    ]
    for kind in kinds:
        stored = {f"p{number}.0": {"text": text, **kind} for number, text in enumerate(said)}
        # The first reply was given, so that the run says which ones were.
        stored["p0.0"]["given"] = True
        scored = make_old(fresh, "0", stored).replies().select("item_id", "status", "answer").iter_rows()
        for item_id, status, answer in scored:
            request = Request(item_id=item_id, task=task, text="?", choices=("yes", "no"))
            cached = read_anew(request, Reply(item_id=item_id, **stored[item_id]))
            assert (status, answer) == (cached.status, cached.answer), (kind, cached.text)


def test_a_resumed_run_is_of_the_reader_that_began_it(tmp_path: Path) -> None:
    run = make_run(tmp_path, {"p1.1": Reply(item_id="p1.1", status="failed", error="transient: busy")})
    assert not run.manifest.complete
    write_run_manifest(run.folder, msgspec.structs.replace(run.manifest, reader="0"))
    resumed = make_run(tmp_path, {})
    assert resumed.manifest.complete
    assert read_run_manifest(run.folder).reader == "0"
    assert resumed.status_counts() == {"ok": 4}


def test_a_run_whose_answers_were_compared_by_older_rules_is_resumed(tmp_path: Path) -> None:
    run = make_run(tmp_path, {"p1.1": Reply(item_id="p1.1", status="failed", error="transient: busy")})
    settings = {**run.manifest.settings, "answers": "vqa-v2.1"}
    write_run_manifest(run.folder, msgspec.structs.replace(run.manifest, settings=settings))
    assert make_run(tmp_path, {}).status_counts() == {"ok": 4, "unparsed": 0, "unsupported": 0, "failed": 0}


def test_a_cached_text_is_read_by_the_present_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from falter.evaluation.engine import reply_processing

    unparsed = reply_processing.read_reply("answer", ("yes", "no"), "maybe")
    monkeypatch.setattr(reply_processing, "read_reply", lambda *_, **__: unparsed)
    first = make_run(tmp_path / "a", {}, cache=tmp_path / "cache")
    monkeypatch.undo()
    assert set(answers(first).values()) == {None}
    if_asked = dict.fromkeys(answers(first), "No.")
    again = make_run(tmp_path / "a", if_asked, cache=tmp_path / "cache", out=tmp_path / "again")
    assert set(answers(again).values()) == {"yes"}


def test_the_signature_names_the_reader(tmp_path: Path) -> None:
    rows = make_run(tmp_path, {}).scores(n_resamples=0).rows
    assert all(f"|reader:{READER_VERSION}|" in row.signature for row in rows)


def test_parts_that_were_read_by_different_readers_are_read_anew(tmp_path: Path) -> None:
    own = {name: Reply(item_id=name, text="Yes.", answer="no") for name in ("p0.0", "p0.1")}
    whole = make_run(tmp_path, own)
    parts = [
        falter.run(
            tmp_path / "suite",
            lambda batch: [own.get(request.item_id, "Yes, it is.") for request in batch],
            out=tmp_path / f"part{number}",
            name="m",
            version="1",
            shard=f"{number}/2",
        )
        for number in (1, 2)
    ]
    merged = falter.merge([part.folder for part in parts], tmp_path / "merged")
    assert merged.manifest.reader == READER_VERSION
    assert (merged.folder / parquet_name(1)).read_bytes() == (whole.folder / parquet_name(1)).read_bytes()
    make_old(parts[1], "0", {})
    mixed = falter.merge([part.folder for part in parts], tmp_path / "mixed")
    assert mixed.manifest.reader is None
    assert answers(mixed) == answers(whole)


def test_an_accepted_text_is_the_same_answer_at_every_door(tmp_path: Path) -> None:
    item = Item.make(suite="s", test="t", probe_id="p", text="What does it say?", gold="do not enter", source_id="7")
    suite = falter.write_suite([Probe.of(item)], tmp_path / "suite", name="s", images="none")
    run = falter.run(suite, lambda batch: ["Do not enter."], out=tmp_path / "run", name="m")
    # Nothing on disk knows the gold answer.
    assert run.manifest.counts == {"ok": 0, "unparsed": 1, "unsupported": 0, "failed": 0}
    assert run.status_counts() == {"ok": 1}
    assert run.replies().select("status", "answer").row(0) == ("ok", "do not enter")
    assert run.outcomes().select("outcome", "answer_text").row(0) == ("correct", "do not enter")
    assert {row.measure: row.value for row in run.scores(n_resamples=0).rows}["unparsed"] == 0
    assert collect([run], ScoreOptions(n_resamples=0)).models[0].counts == {"ok": 1}
    falter.export(run, "vqa", out=tmp_path / "vqa")
    (results,) = (tmp_path / "vqa").glob("*.json")
    assert json.loads(results.read_text()) == [{"question_id": 7, "answer": "do not enter"}]
