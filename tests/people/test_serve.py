"""The page's server: whole tasks, nothing lost or doubled, nothing shown that people must not see, nobody in."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from falter.apps.people.assign import Assigner
from falter.apps.people.plan import plan_study
from falter.apps.people.site import ServedStudy, serve_study
from falter.apps.people.store import AnswerStore, StorageFullError
from falter.apps.people.study import Study, open_study
from falter.core.errors import InputError, UsageError
from falter.data.items import Item, Probe
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from tests.people.made import Person, question_suite


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    suite = question_suite(folder / "suite", text="<script>window.hacked=1</script>")
    plan_study(suite, folder / "study", sample=6, per_item=2, task_length=6, controls=2)
    return folder / "study"


@pytest.fixture
def study(planned: Path, tmp_path: Path) -> Study:
    (tmp_path / "study").mkdir()
    for name in ("study.json", "questions.jsonl", "tasks.jsonl"):
        (tmp_path / "study" / name).write_bytes((planned / name).read_bytes())
    (tmp_path / "study" / "images").symlink_to(planned / "images")
    return open_study(tmp_path / "study")


@pytest.fixture
def served(study: Study) -> Iterator[ServedStudy]:
    with serve_study(study, annotators=3) as found, found.server:
        yield found


def test_people_answer_everything_and_each_question_gets_its_number(study: Study, served: ServedStudy) -> None:
    people = [Person(study, link) for link in served.new_links.values()]
    for _ in range(100):  # in turns, a few steps each
        stages = {person.work(4)["stage"] for person in people}
        if stages == {"waiting"}:
            break
    assert stages == {"waiting"}
    store = AnswerStore(study)
    rows = list(store.answers())
    judged = Counter(row.question_id for row in rows if row.question_id in study.judged)
    assert judged == dict.fromkeys(study.judged, 2)
    assert {(row.task_id, row.question_id): row.answer for row in rows if row.annotator == "alder"} == (
        people[0].acknowledged
    )
    assert all(person.state()["undo"] for person in people[:1])
    assert [one.qualified for one in store.annotators()] == [True] * 3
    store.close()


def test_a_study_whose_first_question_offers_other_answers_than_the_examples(tmp_path: Path) -> None:
    with create_suite(tmp_path / "suite", SuiteManifest(name="made")) as writer:
        for number in range(12):
            animal: dict[str, Any] = {"gold": "a dog", "choices": ("a cat", "a dog"), "suite": "made", "test": "open"}
            writer.add(Probe((Item.make(text=f"What is it in {number}?", probe_id=str(number), **animal),)))
    plan_study(open_suite(tmp_path / "suite"), tmp_path / "study", sample=6, task_length=6, controls=0)
    with serve_study(open_study(tmp_path / "study"), annotators=1) as served, served.server:
        page = httpx.get(next(iter(served.new_links.values())), follow_redirects=True)
    assert "<b>No.</b> All of the sofa can be seen" in page.text


def test_what_is_sent_twice_counts_once_and_undo_takes_one_back(study: Study, served: ServedStudy) -> None:
    person = Person(study, served.new_links["alder"])
    state = person.work(6)
    assert (state["stage"], state["answered"]) == ("task", 0)
    first = state["question"]["id"]
    body = {"task": state["task"], "question": first, "answer": "yes", "seconds": 2}
    assert person.post("/api/answer", body).json()["answered"] == 1
    again = person.post("/api/answer", {**body, "answer": "no"})  # another tab, or a second click
    assert (again.status_code, again.json()["answered"]) == (200, 1)
    store = AnswerStore(study)
    assert [(row.question_id, row.answer) for row in store.answers()] == [(first, "yes")]
    undone = person.post("/api/undo", {"task": state["task"], "question": first}).json()
    assert (undone["answered"], undone["question"]["id"]) == (0, first)
    assert person.post("/api/undo", {"task": state["task"], "question": first}).json()["answered"] == 0
    assert list(store.answers()) == []
    assert [what for _, _, what, _ in store.events(1)] == ["undone"]
    for wrong in (
        {**body, "answer": "purple"},
        {**body, "question": "q999999"},
        {**body, "task": next(one for one in study.tasks if one != state["task"])},
    ):
        assert person.post("/api/answer", wrong).status_code == 409
    assert person.client.post("/api/answer", content=b"{").status_code == 400
    assert list(store.answers()) == []
    store.close()


def test_the_page_tells_nothing_that_people_must_not_know(study: Study, served: ServedStudy) -> None:
    person = Person(study, served.new_links["alder"])
    state = person.work(7)
    told = json.dumps(state)
    question = study.questions[state["question"]["id"]]
    for secret in (question.probe_id, question.test, "control", "expected", "original", "gold"):
        assert secret not in told
    assert set(state["question"]) == {*("id", "first", "second", "label", "context", "image", "free_text", "options")}
    assert "<script>" not in person.client.get("/").text.replace('<script src="', "")


def test_nobody_gets_in_without_a_good_token(study: Study, served: ServedStudy) -> None:
    owner = served.manage_link.rpartition("=")[2]
    person = Person(study, served.new_links["alder"])
    paths = ("/", "/api/state", "/manage", "/manage/data", "/assets/work.js", "/image/" + "0" * 24)
    for token in ("-", "forged", "x" * 5000, owner[:-1]):
        headers = {"Authorization": f"Bearer {token}"}
        answers = [httpx.get(served.server.url + path, headers=headers, timeout=120) for path in paths]
        assert {(one.status_code, one.text) for one in answers} == {(403, answers[0].text)}
    assert [person.client.get(path).status_code for path in paths] == [200, 200, 404, 404, 200, 404]
    mark = {"name": "aspen", "action": "revoke"}
    assert person.post("/manage/annotator", mark).status_code == 404
    assert person.post("/manage/add", "mallory").status_code == 404
    boss = httpx.Client(
        base_url=served.server.url,
        headers={"Authorization": f"Bearer {owner}", "Origin": served.server.url},
        timeout=120,
    )
    assert boss.post("/api/start", json={}).status_code == 403
    assert boss.post("/manage/annotator", json=mark, headers={"Origin": "https://evil.example"}).status_code == 403
    aspen = Person(study, served.new_links["aspen"])
    assert aspen.client.get("/api/state").status_code == 200
    assert boss.post("/manage/annotator", json=mark).status_code == 200
    assert aspen.client.get("/api/state").status_code == 403
    new = boss.post("/manage/annotator", json={**mark, "action": "link"}).json()["link"]
    assert Person(study, new).client.get("/api/state").status_code == 200
    assert aspen.client.get("/api/state").status_code == 403
    assert boss.post("/manage/annotator", json={"name": "nobody", "action": "revoke"}).status_code == 404
    assert boss.post("/manage/add", json="../x").status_code == 400
    assert Person(study, boss.post("/manage/add", json="fig").json()["link"]).state()["who"] == "fig"
    assert boss.post("/manage/add", json="fig").status_code == 400
    # A token of another study is foreign here.
    assert (study.folder / "links.txt").stat().st_mode & 0o077 == 0


def test_the_person_in_charge_sees_progress_and_decides_who_counts(study: Study, served: ServedStudy) -> None:
    careful, hasty = (
        Person(study, served.new_links["alder"]),
        Person(study, served.new_links["aspen"], lambda question: "no" if question.expected == "yes" else "yes"),
    )
    careful.work()
    hasty.work()
    owner = served.manage_link.rpartition("=")[2]
    boss = httpx.Client(
        base_url=served.server.url,
        headers={"Authorization": f"Bearer {owner}", "Origin": served.server.url},
        timeout=120,
    )
    found = boss.get("/manage/data").json()
    rows = {row["name"]: row for row in found["annotators"]}
    tasks = len(study.tasks)
    assert (rows["alder"]["controls_right"], rows["aspen"]["controls_right"]) == (2 * tasks, 0)
    assert (rows["alder"]["fails_controls"], rows["aspen"]["fails_controls"]) == (False, True)
    assert (found["answers"], found["goal"], found["tasks_done"]) == (24, 24, 2 * tasks)
    assert (found["unanimous"], rows["aspen"]["agreement"], rows["alder"]["seconds"]) == (0.0, 0.0, 1.5)
    assert len(found["disagreements"]) == 12
    assert boss.post("/manage/annotator", json={"name": "aspen", "action": "exclude"}).status_code == 200
    found = boss.get("/manage/data").json()
    assert (found["answers"], found["disagreements"], found["events"][0][2]) == (12, [], "excluded")
    # What the excluded person did is open again, for someone else.
    assert Person(study, served.new_links["birch"]).work(1)["stage"] == "qualification"
    third = Person(study, served.new_links["birch"])
    assert third.work()["stage"] == "waiting"
    assert boss.post("/manage/annotator", json={"name": "aspen", "action": "include"}).status_code == 200
    assert len(third.acknowledged) == sum(len(task.questions) for task in study.tasks.values())


def test_an_abandoned_task_goes_back_and_may_be_taken_up_again(study: Study) -> None:
    now = [1000.0]
    store = AnswerStore(study, clock=lambda: now[0])
    assigner = Assigner(study, store, return_after=60)
    for name in ("one", "two", "three"):
        store.add_annotator(name)
        with store.change() as cursor:
            cursor.execute("UPDATE annotators SET qualified = 1")
    task = assigner.start("one").task_id
    assert {assigner.start(name).task_id for name in ("two", "three")} >= {task}, "tasks get complete one by one"
    held = assigner.start("one")
    assert held.current is not None
    assigner.answer("one", task, held.current, "yes", 1.0)
    now[0] += 61
    assert assigner.return_abandoned() == 3
    assert assigner.position("one").stage == "finished"
    again = assigner.start("one")
    assert (again.task_id, again.answered) == (task, 1), "whoever began a task gets it back first"
    store.close()


def test_a_full_disk_loses_no_answer_that_was_acknowledged(study: Study) -> None:
    store = AnswerStore(study)
    store.add_annotator("one")
    with store.change() as cursor:
        cursor.execute("UPDATE annotators SET qualified = 1")
    assigner = Assigner(study, store)
    position = assigner.start("one")
    saved = 0
    with store.change() as cursor:
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageFullError):
        for _ in range(1000):
            assert position.current is not None
            position = assigner.answer("one", position.task_id, position.current, "yes", 1.0)
            saved += 1
            with store.change() as cursor:
                store.record(cursor, "one", "filler", "x" * 500)
            position = assigner.start("one") if position.stage == "finished" else position
    store.read("PRAGMA max_page_count = 1000000")
    assert len(list(store.answers())) == saved
    store.close()
    assert sqlite3.connect(study.folder / "answers.sqlite").execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_answers_belong_to_one_study_and_are_not_overwritten(study: Study, planned: Path, tmp_path: Path) -> None:
    AnswerStore(study).close()
    with pytest.raises(UsageError, match="holds answers"):
        plan_study(question_suite(tmp_path / "suite"), study.folder, overwrite=True)
    other = plan_study(question_suite(tmp_path / "again"), tmp_path / "other", sample=4, seed=9, controls=1)
    with pytest.raises(InputError, match="another study"):
        AnswerStore(other, path=study.folder / "answers.sqlite")
    (tmp_path / "broken.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(InputError, match="cannot be opened"):
        AnswerStore(other, path=tmp_path / "broken.sqlite")
    with pytest.raises(UsageError, match="not an address"), serve_study(study, public_url="study"):
        pass


def test_another_program_that_holds_the_answers_is_waited_for_and_nothing_is_lost(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("falter.apps.people.site._PATIENCE", 0.3)
    with serve_study(study, annotators=2) as served, served.server:
        person, other = (Person(study, link) for link in served.new_links.values())
        state = person.work(6)
        body = {"task": state["task"], "question": state["question"]["id"], "answer": "yes", "seconds": 2}
        manage = httpx.Client(
            base_url=served.server.url,
            headers={"Authorization": f"Bearer {served.manage_link.partition('=')[2]}", "Origin": served.server.url},
            timeout=60,
        )
        holder = sqlite3.connect(study.folder / "answers.sqlite", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor() as pool:
            refused = [pool.submit(person.post, "/api/answer", body) for _ in range(5)]
            refused.append(pool.submit(manage.post, "/manage/annotator", json={"name": "alder", "action": "exclude"}))
            refused.append(pool.submit(manage.post, "/manage/add", json="someone"))
            # Pages that write nothing go on.
            assert other.client.get("/").status_code == 200
            assert other.client.get("/assets/work.js").status_code == 200
        for answer in (one.result() for one in refused):
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
            assert "held by another program" in answer.text
        holder.execute("ROLLBACK")
        holder.close()
        assert person.post("/api/answer", body).json()["answered"] == 1
    store = AnswerStore(study)
    assert [(row.question_id, row.answer) for row in store.answers()] == [(body["question"], "yes")]
    store.close()
