"""Many people at once while the server is killed again and again: no answer lost, none doubled, no task stuck."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random

import httpx
import pytest

from falter.apps.people.agreement import measure_agreement
from falter.apps.people.judgements import read_judgements
from falter.apps.people.plan import plan_study
from falter.apps.people.store import AnswerStore
from falter.apps.people.study import Study, StudyQuestion
from tests.people.made import Person, question_suite


class Killed:
    """The real program, started again on the same port whenever it was killed."""

    def __init__(self, study: Study, people: int) -> None:
        self.command = [sys.executable, "-m", "falter", "people", "serve", str(study.folder)]
        self.command += ["--annotators", str(people)]
        self.log = study.folder / "server.log"
        self.stopping = False
        self.kills = 0
        self.process = self._start()
        deadline = time.monotonic() + 120
        links = study.folder / "links.txt"
        while not links.is_file() or len(links.read_text().splitlines()) < people:
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)
        self.links = dict(line.split() for line in links.read_text().splitlines())

    def _start(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as stream:
            return subprocess.Popen(self.command, stdout=stream, stderr=stream, env={**os.environ})

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.kills += 1
        self.process = self._start()
        address = next(iter(self.links.values())).partition("/?")[0]
        deadline = time.monotonic() + 120
        while True:  # until it listens again: starting takes longer than answering
            try:
                httpx.get(address, timeout=120)
                break
            except httpx.TransportError:
                assert time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.05)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(120)


def answer_all(person: Person, problems: list[str]) -> None:
    """Go on whatever happens to the server: what was not acknowledged is sent again."""
    for _ in range(100_000):
        try:
            if person.work()["stage"] == "waiting":
                return
        except (httpx.TransportError, httpx.HTTPStatusError, KeyError, ValueError) as error:
            if isinstance(error, httpx.HTTPStatusError) and error.response.status_code not in (409, 503):
                problems.append(str(error))
                return
            time.sleep(0.05)
    problems.append("never done")


def run_study(
    folder: Path, *, images: int, per_image: int, people: int, per_item: int, pause: float = 0.0, answers: int = 0
) -> int:
    """Kill the server every ``pause`` seconds, or after so many ``answers`` more; how often it was killed."""
    suite = question_suite(folder / "suite", images=images, per_image=per_image)
    study = plan_study(suite, folder / "study", sample=None, per_item=per_item, task_length=12, controls=2)
    server = Killed(study, people)
    errors = {name: 0.05 + 0.3 * number / people for number, name in enumerate(sorted(server.links))}

    def chooser(name: str):  # type: ignore[no-untyped-def]
        rng = Random(name)

        def choose(question: StudyQuestion) -> str:
            if answers and name == min(server.links) and acknowledged() >= answers:
                # Somebody is left to answer when the server is killed, however busy the machine is.
                killed.wait(120)
            right = question.expected_as_shown or ""
            return {"yes": "no", "no": "yes"}[right] if rng.random() < errors[name] else right

        return choose

    def acknowledged() -> int:
        return sum(len(one.acknowledged) for one in workers.values())

    killed = threading.Event()
    workers = {name: Person(study, link, chooser(name)) for name, link in server.links.items()}
    problems: list[str] = []
    threads = [threading.Thread(target=answer_all, args=(one, problems)) for one in workers.values()]
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(pause)
            goal = answers * (server.kills + 1)
            while acknowledged() < goal and any(thread.is_alive() for thread in threads):
                time.sleep(0.005)
            if any(thread.is_alive() for thread in threads):
                server.kill()
                killed.set()
        for thread in threads:
            thread.join()
    finally:
        server.stop()
    assert problems == []
    store = AnswerStore(study)
    rows = list(store.answers())
    stored = {(row.annotator, row.task_id, row.question_id): row.answer for row in rows}
    assert len(stored) == len(rows)
    for name, person in workers.items():
        for (task, question), answer in person.acknowledged.items():
            # An answer may have been saved without its acknowledgement, and stays when it is sent again.
            assert (name, task, question) in stored, "an acknowledged answer is lost"
            assert stored[name, task, question] in ("yes", "no")
            del answer
    judged = Counter(row.question_id for row in rows if row.question_id in study.judged)
    assert judged == dict.fromkeys(study.judged, per_item), "an answer is lost or doubled, or a task is stuck"
    states = Counter(state for (state,) in store.read("SELECT state FROM claims WHERE task_id LIKE 't%'"))
    assert states == {"done": per_item * len(study.tasks)}
    assert store.read("PRAGMA integrity_check") == [("ok",)]
    if people >= 50:
        found = measure_agreement(read_judgements(study, rows))
        inside = [
            one.accuracy_low <= 1 - errors[one.annotator] <= one.accuracy_high
            for one in found.people
            if one.accuracy_low is not None and one.accuracy_high is not None
        ]
        assert sum(inside) >= 0.85 * len(inside)
    store.close()
    return server.kills


def test_a_killed_server_loses_and_doubles_nothing(tmp_path: Path) -> None:
    assert run_study(tmp_path, images=4, per_image=3, people=3, per_item=2, answers=30) >= 1


@pytest.mark.soak
def test_fifty_people_and_five_thousand_items_with_a_kill_every_few_hundred_answers(tmp_path: Path) -> None:
    kills = run_study(tmp_path, images=500, per_image=5, people=50, per_item=1, answers=400)
    assert kills >= 5
