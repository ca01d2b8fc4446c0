"""Questions from probes, and tasks of them: what is shown of an item or a pair, and which answer confirms its label.

The answers of control questions are known, so that they tell how careful someone is. A probe is once in a task, an
image never twice in a row, and controls are spread among the others.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

import msgspec

from falter.apps.people.study import Form, StudyQuestion, StudyTask
from falter.core.errors import InputError, UsageError
from falter.core.tables import format_count
from falter.data.items import YES_NO, Item, Probe

ImageNames = Callable[[Item], str | None]
"""The name under which a study shows an item's image; None for an item without one."""

_EXPECTS = {"same": "same", "different": "different"}


def can_ask(form: Form, probe: Probe) -> bool:
    """Whether a form has something to ask about a probe."""
    if form.about == "item":
        return not form.shows_label or any(_label(item) is not None for item in probe.items)
    if form.confirms == "caption":
        return any(variant.task == "match" and variant.expects == "prefer" for variant in probe.variants)
    if form.confirms == "expects":
        return any(variant.expects in _EXPECTS and variant.text != probe.original.text for variant in probe.variants)
    return bool(probe.variants)


def make_questions(form: Form, probes: Iterable[Probe], image_name: ImageNames, seed: int) -> Iterator[StudyQuestion]:
    """The questions about whole probes, without ids; which text comes first is drawn by the seed and the probe."""
    for probe in probes:
        if form.about == "item":
            asked: dict[str, Item] = {}
            for item in probe.items:
                # Two variants may be the same to look at, as rewrites of one question may be: one answer is enough.
                if not form.shows_label or _label(item) is not None:
                    asked.setdefault(item.item_id, item)
            yield from (_about_item(form, item, image_name) for item in asked.values())
        else:
            for variant in probe.variants:
                if can_ask(form, Probe.of(probe.original, variant)):
                    yield _about_pair(form, probe, variant, image_name, seed)


def _about_item(form: Form, item: Item, image_name: ImageNames) -> StudyQuestion:
    label = _label(item) if form.shows_label else None
    return StudyQuestion(
        question_id="",
        text=item.text,
        label=label,
        context=tuple(item.context or ()),
        choices=_choices(item) if form.choices else None,
        image=image_name(item) if form.shows_image else None,
        test=item.test,
        probe_id=item.probe_id,
        item_id=item.item_id,
        variant=item.variant,
        cluster=item.image_id,
        expected=_label(item) if form.confirms == "gold" else form.confirms,
    )


def _about_pair(form: Form, probe: Probe, variant: Item, image_name: ImageNames, seed: int) -> StudyQuestion:
    original = probe.original
    drawn = Random(f"people\n{seed}\n{original.probe_id}\n{variant.variant}").random() < 0.5
    first = drawn if form.two_sides else True
    texts = (original.text, variant.text) if first else (variant.text, original.text)
    expected = _EXPECTS.get(variant.expects) if form.confirms == "expects" else form.confirms
    return StudyQuestion(
        question_id="",
        text=texts[0],
        second=texts[1],
        context=tuple(original.context or ()),
        image=image_name(original) if form.shows_image else None,
        test=original.test,
        probe_id=original.probe_id,
        item_id=variant.item_id if len(probe.variants) > 1 else None,
        variant=variant.variant,
        cluster=original.image_id,
        original_first=first,
        expected=expected,
    )


def _choices(item: Item) -> tuple[str, ...] | None:
    if item.choices:
        return tuple(item.choices)
    if item.task == "match" or item.gold in YES_NO:
        return YES_NO
    return None


def _label(item: Item) -> str | None:
    """The gold answer; of several people's answers the commonest."""
    if item.gold is not None or not item.answers:
        return item.gold
    return max(item.answers, key=lambda answer: (list(item.answers or ()).count(answer), answer))


def require_probes(path: str, form: Form, number: int) -> None:
    """Refuse a suite that the form has nothing to ask about."""
    if not number:
        what = "captions with foils" if form.confirms == "caption" else "items that the form can ask about"
        raise InputError(path, f"has no {what}", hint="choose another --task")


def sureness(probe: Probe) -> int:
    """How sure a probe's labels are: people were unanimous, else a query answers it, else nobody rejected it."""
    original = probe.original
    answers = [answer for item in probe.items for answer in (item.answers or ())]
    if original.facets.get("unanimous") == "yes" or (answers and _all_agree(probe.items)):
        return 3
    if all(item.meaning is not None for item in probe.items):
        return 2
    return 1 if original.facets.get("valid", "yes") == "yes" else 0


def make_controls(
    form: Form, probes: Sequence[Probe], most: int, image_name: ImageNames, seed: int
) -> list[StudyQuestion]:
    """Controls from the surest probes; where labels are judged, every other one shows a label that is wrong."""
    rng = Random(f"people controls\n{seed}")
    ranked = sorted(
        (probe for probe in probes if can_ask(form, probe)),
        key=lambda probe: (-sureness(probe), rng.random()),
    )
    found: list[StudyQuestion] = []
    for number, probe in enumerate(ranked):
        if len(found) >= most:
            break
        questions = [one for one in make_questions(form, [probe], image_name, seed) if one.expected is not None]
        if not questions:
            continue
        control = msgspec.structs.replace(rng.choice(questions), control=True)
        if form.shows_label and form.confirms == "sound" and number % 2:
            item = next(item for item in probe.items if item.item_id == control.item_id)
            spoiled = _wrong_label(item, ranked, rng)
            if spoiled is None:
                continue
            control = msgspec.structs.replace(control, label=spoiled, expected="label")
        found.append(control)
    return found


def _wrong_label(item: Item, others: Iterable[Probe], rng: Random) -> str | None:
    if item.gold in YES_NO:
        return "no" if item.gold == "yes" else "yes"
    choices = [choice for choice in item.choices or () if choice != item.gold]
    if choices:
        return rng.choice(choices)
    golds = sorted({probe.original.gold for probe in others if probe.original.gold} - {item.gold})
    return rng.choice(golds) if golds else None


def _all_agree(items: Sequence[Item]) -> bool:
    return all(item.answers and len(Counter(item.answers)) == 1 for item in items)


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
