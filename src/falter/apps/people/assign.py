"""Who answers what next: tasks are claimed, answered question by question, finished, and returned when abandoned."""

from __future__ import annotations

import sqlite3
from math import isnan
from typing import Literal, NamedTuple

from falter.apps.people.store import QUALIFICATION, AnswerStore
from falter.apps.people.study import Study
from falter.core.errors import FalterError

_MOST_ATTEMPTS = 3
_LONGEST_ANSWER = 500
_MOST_SECONDS = 3600.0

Stage = Literal["start", "qualification", "failed", "task", "finished", "waiting"]


class NotAskedError(FalterError):
    """An answer to a question that this person is not asked, or that is no answer to it."""


class TaskPosition(NamedTuple):
    """Where someone is: in which task, and how far."""

    stage: Stage
    task_id: str = ""
    questions: tuple[str, ...] = ()
    answered: int = 0
    """How many of the task's questions are answered."""
    current: str | None = None
    """The first question without an answer."""
    tasks_done: int = 0
    tasks_left: int = 0
    """How many more tasks there are for this person, the present one included."""
    last: str | None = None
    """The question that was answered last, which can be undone."""


class Assigner:
    """Gives out tasks. Each is done by ``per_item`` people; one that is idle for ``return_after`` seconds goes back."""

    def __init__(self, study: Study, store: AnswerStore, *, return_after: float = 3600.0) -> None:
        self.study = study
        self.store = store
        self.return_after = return_after

    def position(self, who: str) -> TaskPosition:
        """Where someone is, without changing anything."""
        with self.store.change() as cursor:
            return self._position(cursor, who)

    def start(self, who: str) -> TaskPosition:
        """Begin or go on: the qualification, then the task that waits longest for people."""
        with self.store.change() as cursor:
            found = self._position(cursor, who)
            if found.stage == "start":
                self._claim_qualification(cursor, who, 1)
            elif found.stage == "finished":
                self._claim_task(cursor, who)
            return self._position(cursor, who)

    def answer(self, who: str, task_id: str, question_id: str, answer: str, seconds: float) -> TaskPosition:
        """Save an answer; one that was given before stays, so that what is sent twice counts once."""
        self._check(question_id, answer)
        taken = 0.0 if isnan(seconds) else min(max(seconds, 0.0), _MOST_SECONDS)
        with self.store.change() as cursor:
            questions = self._claimed(cursor, who, task_id)
            if question_id not in questions:
                raise NotAskedError("this question is not part of the task")
            now = self.store.clock()
            cursor.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?)",
                (who, task_id, question_id, answer, taken, now),
            )
            given = {row[0] for row in self._given(cursor, who, task_id)}
            if all(one in given for one in questions):
                cursor.execute(
                    "UPDATE claims SET state = 'done', touched = ? WHERE task_id = ? AND annotator = ?",
                    (now, task_id, who),
                )
                if task_id.startswith(QUALIFICATION):
                    self._judge_qualification(cursor, who, task_id, questions)
            else:
                # Whoever goes on with a task that was returned has it again.
                cursor.execute(
                    "UPDATE claims SET state = 'open', touched = ? WHERE task_id = ? AND annotator = ?",
                    (now, task_id, who),
                )
            return self._position(cursor, who)

    def undo(self, who: str, task_id: str, question_id: str) -> TaskPosition:
        """Take the last answer of a task back; it stays in the record of events."""
        with self.store.change() as cursor:
            questions = self._claimed(cursor, who, task_id)
            given = dict(self._given(cursor, who, task_id))
            answered = [one for one in questions if one in given]
            if not answered or answered[-1] != question_id or task_id.startswith(QUALIFICATION):
                return self._position(cursor, who)
            where = (who, task_id, question_id)
            cursor.execute("DELETE FROM answers WHERE annotator = ? AND task_id = ? AND question_id = ?", where)
            cursor.execute(
                "UPDATE claims SET state = 'open', touched = ? WHERE task_id = ? AND annotator = ?",
                (self.store.clock(), task_id, who),
            )
            self.store.record(cursor, who, "undone", f"{task_id} {question_id}", given[question_id])
            return self._position(cursor, who, prefer=task_id)

    def return_abandoned(self) -> int:
        """Give tasks back that nobody has touched for too long."""
        with self.store.change() as cursor:
            return self._return_abandoned(cursor)

    def _check(self, question_id: str, answer: str) -> None:
        question = self.study.questions.get(question_id)
        if question is None:
            raise NotAskedError("there is no such question")
        values = {option.value for option in self.study.options(question)}
        if answer in values:
            return
        if not self.study.takes_text(question) or not answer.strip() or len(answer) > _LONGEST_ANSWER:
            raise NotAskedError("this is no answer to the question")

    def _position(self, cursor: sqlite3.Cursor, who: str, prefer: str = "") -> TaskPosition:
        self._return_abandoned(cursor)
        claims = cursor.execute(
            "SELECT task_id, state FROM claims WHERE annotator = ? ORDER BY touched DESC, task_id DESC", (who,)
        ).fetchall()
        tasks = [(task_id, state) for task_id, state in claims if not task_id.startswith(QUALIFICATION)]
        done = sum(state == "done" for _, state in tasks)
        if self.study.manifest.qualification and not self._is_qualified(cursor, who):
            return self._qualifying(cursor, who, claims)
        open_ = [task_id for task_id, state in tasks if state == "open"]
        left = self._count_left(cursor, who)
        if open_:
            task_id = prefer if prefer in open_ else open_[0]
            return self._in_task(cursor, who, "task", task_id, done, left)
        last_task = tasks[0][0] if tasks and tasks[0][1] == "done" else ""
        if not claims and not self.study.manifest.qualification:
            return TaskPosition("start", tasks_left=left)
        stage: Stage = "finished" if left else "waiting"
        if not last_task:
            return TaskPosition(stage, tasks_done=done, tasks_left=left)
        return self._in_task(cursor, who, stage, last_task, done, left)

    def _in_task(
        self, cursor: sqlite3.Cursor, who: str, stage: Stage, task_id: str, done: int, left: int
    ) -> TaskPosition:
        questions = self._questions(task_id)
        given = {row[0] for row in self._given(cursor, who, task_id)}
        answered = [one for one in questions if one in given]
        return TaskPosition(
            stage,
            task_id,
            questions,
            len(answered),
            next((one for one in questions if one not in given), None),
            done,
            left,
            answered[-1] if answered else None,
        )

    def _questions(self, task_id: str) -> tuple[str, ...]:
        if task_id.startswith(QUALIFICATION):
            return self.study.manifest.qualification
        return self.study.tasks[task_id].questions if task_id in self.study.tasks else ()

    def _claimed(self, cursor: sqlite3.Cursor, who: str, task_id: str) -> tuple[str, ...]:
        found = cursor.execute("SELECT 1 FROM claims WHERE task_id = ? AND annotator = ?", (task_id, who)).fetchone()
        if found is None:
            raise NotAskedError("this task is not yours")
        return self._questions(task_id)

    def _given(self, cursor: sqlite3.Cursor, who: str, task_id: str) -> list[tuple[str, str]]:
        query = "SELECT question_id, answer FROM answers WHERE annotator = ? AND task_id = ?"
        return cursor.execute(query, (who, task_id)).fetchall()

    def _return_abandoned(self, cursor: sqlite3.Cursor) -> int:
        before = self.store.clock() - self.return_after
        return cursor.execute(
            "UPDATE claims SET state = 'returned' WHERE state = 'open' AND touched < ? AND task_id NOT LIKE ?",
            (before, f"{QUALIFICATION}%"),
        ).rowcount

    # Tasks

    def _room(self, cursor: sqlite3.Cursor) -> dict[str, int]:
        """By task how many people are still needed. Those who are excluded do not count."""
        rows = cursor.execute(
            "SELECT task_id, COUNT(*) FROM claims WHERE state != 'returned' AND task_id NOT LIKE ? "
            "AND annotator NOT IN (SELECT name FROM annotators WHERE excluded = 1) GROUP BY task_id",
            (f"{QUALIFICATION}%",),
        )
        taken = dict(rows.fetchall())
        return {task_id: self.study.manifest.per_item - taken.get(task_id, 0) for task_id in self.study.tasks}

    def _own(self, cursor: sqlite3.Cursor, who: str) -> dict[str, str]:
        return dict(cursor.execute("SELECT task_id, state FROM claims WHERE annotator = ?", (who,)).fetchall())

    def _count_left(self, cursor: sqlite3.Cursor, who: str) -> int:
        own = self._own(cursor, who)
        room = self._room(cursor)
        return sum(
            own.get(task_id) == "open" or (number > 0 and own.get(task_id) != "done")
            for task_id, number in room.items()
        )

    def _claim_task(self, cursor: sqlite3.Cursor, who: str) -> None:
        """First a task that was begun and given back, then the one that most people have done: tasks get complete."""
        own = self._own(cursor, who)
        free = {
            task_id: number
            for task_id, number in self._room(cursor).items()
            if number > 0 and own.get(task_id) in (None, "returned")
        }
        if not free:
            return
        per_item = self.study.manifest.per_item
        begun = [task_id for task_id in free if own.get(task_id) == "returned"]
        started = [task_id for task_id, number in free.items() if number < per_item]
        chosen = min(begun or started or free, key=lambda task_id: (free[task_id], task_id))
        cursor.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, 'open', ?)", (chosen, who, self.store.clock()))

    # Qualification

    def _is_qualified(self, cursor: sqlite3.Cursor, who: str) -> bool:
        found = cursor.execute("SELECT qualified FROM annotators WHERE name = ?", (who,)).fetchone()
        return bool(found and found[0])

    def _qualifying(self, cursor: sqlite3.Cursor, who: str, claims: list[tuple[str, str]]) -> TaskPosition:
        attempts = [(task_id, state) for task_id, state in claims if task_id.startswith(QUALIFICATION)]
        open_ = [task_id for task_id, state in attempts if state == "open"]
        if open_:
            return self._in_task(cursor, who, "qualification", open_[0], 0, 0)
        if len(attempts) >= _MOST_ATTEMPTS:
            return TaskPosition("failed")
        if attempts:
            self._claim_qualification(cursor, who, len(attempts) + 1)
            return self._in_task(cursor, who, "qualification", f"{QUALIFICATION}{len(attempts) + 1}", 0, 0)
        return TaskPosition("start")

    def _claim_qualification(self, cursor: sqlite3.Cursor, who: str, attempt: int) -> None:
        if self.study.manifest.qualification:
            task_id = f"{QUALIFICATION}{attempt}"
            cursor.execute("INSERT OR IGNORE INTO claims VALUES (?, ?, 'open', ?)", (task_id, who, self.store.clock()))
        else:
            self._claim_task(cursor, who)

    def _judge_qualification(self, cursor: sqlite3.Cursor, who: str, task_id: str, questions: tuple[str, ...]) -> None:
        given = dict(self._given(cursor, who, task_id))
        right = sum(given[one] == self.study.questions[one].expected_as_shown for one in questions)
        passed = right >= self.study.manifest.pass_share * len(questions)
        self.store.record(cursor, who, "qualified" if passed else "not qualified", who, f"{right}/{len(questions)}")
        if passed:
            cursor.execute("UPDATE annotators SET qualified = 1 WHERE name = ?", (who,))
