"""Tasks from questions: a probe once in a task, an image never twice in a row, controls spread among the others."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from random import Random

from falter.errors import UsageError
from falter.people.study import StudyQuestion, StudyTask
from falter.tables import format_count

__all__ = ["compose_tasks"]


def compose_tasks(
    questions: Sequence[StudyQuestion], controls: Sequence[StudyQuestion], *, length: int, controls_each: int, seed: int
) -> list[StudyTask]:
    """Deal the questions into tasks of about equal length, at most ``length`` with the controls.

    Original and variant are never in one task. Questions about one image are in different tasks while there are enough
    of them, and never side by side.
    """
    room = length - controls_each
    if room < 1 or controls_each < 0:
        raise UsageError(
            f"a task of {format_count(length, 'questions')} has no room beside "
            f"{format_count(controls_each, 'controls')}"
        )
    rng = Random(f"people tasks\n{seed}")
    dealt = _deal(questions, room, rng)
    pool = list(controls)
    rng.shuffle(pool)
    tasks: list[StudyTask] = []
    taken = 0
    for number, own in enumerate(dealt, start=1):
        chosen: list[StudyQuestion] = []
        probes = {one.probe_id for one in own}
        for _ in range(len(pool)):
            if len(chosen) == controls_each:
                break
            control = pool[taken % len(pool)]
            taken += 1
            if control.probe_id not in probes:
                chosen.append(control)
                probes.add(control.probe_id)
        ordered = _order([*own, *chosen], rng)
        tasks.append(StudyTask(f"t{number:05d}", tuple(one.question_id for one in ordered)))
    return tasks


def _deal(questions: Sequence[StudyQuestion], room: int, rng: Random) -> list[list[StudyQuestion]]:
    """Each question to the task that has fewest, has nothing of its probe and, where there is one, of its image."""
    if not questions:
        return []
    most_of_probe = max(Counter(one.probe_id for one in questions).values())
    images = Counter(one.cluster for one in questions if one.cluster is not None)
    most_of_image = max(images.values(), default=0)
    number = max(-(-len(questions) // room), most_of_probe, -(-most_of_image // max(1, room // 2)))
    tasks: list[list[StudyQuestion]] = [[] for _ in range(number)]
    heap = [(0, rng.random(), index) for index in range(number)]
    heapq.heapify(heap)
    groups: dict[str, list[StudyQuestion]] = {}
    for one in questions:
        groups.setdefault(one.cluster or one.probe_id, []).append(one)
    order = sorted(groups)
    rng.shuffle(order)
    # Large groups first, while every task has room for them.
    order.sort(key=lambda name: -len(groups[name]))
    for name in order:
        group = groups[name]
        rng.shuffle(group)
        for one in group:
            skipped: list[tuple[int, float, int]] = []
            second: tuple[int, float, int] | None = None
            while heap:
                entry = heapq.heappop(heap)
                inside = tasks[entry[2]]
                if any(other.probe_id == one.probe_id for other in inside):
                    skipped.append(entry)
                elif one.cluster is not None and any(other.cluster == one.cluster for other in inside):
                    skipped.append(entry)
                    second = second or entry
                else:
                    break
            else:
                assert second is not None, "there are as many tasks as items of a probe"
                skipped.remove(second)
                entry = second
            for other in skipped:
                heapq.heappush(heap, other)
            tasks[entry[2]].append(one)
            heapq.heappush(heap, (entry[0] + 1, rng.random(), entry[2]))
    return [task for task in tasks if task]


def _order(questions: list[StudyQuestion], rng: Random) -> list[StudyQuestion]:
    """A drawn order in which no image follows itself; an image that fills half of what is left comes first."""
    left = list(questions)
    rng.shuffle(left)
    ordered: list[StudyQuestion] = []
    while left:
        last = ordered[-1].cluster if ordered else None
        counts = Counter(one.cluster for one in left if one.cluster is not None)
        allowed = [one for one in left if one.cluster is None or one.cluster != last]
        urgent = [one for one in allowed if one.cluster is not None and 2 * counts[one.cluster] > len(left)]
        chosen = (urgent or allowed or left)[0]
        left.remove(chosen)
        ordered.append(chosen)
    return ordered
