"""Control questions: their answers are known, so that they tell how careful someone is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

import msgspec

from falter.people.form import Form
from falter.people.make_questions import ImageNames, can_ask, make_questions
from falter.people.study import StudyQuestion
from falter.probes import Item, Probe

__all__ = ["make_controls", "sureness"]


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
    if item.gold in ("yes", "no"):
        return "no" if item.gold == "yes" else "yes"
    choices = [choice for choice in item.choices or () if choice != item.gold]
    if choices:
        return rng.choice(choices)
    golds = sorted({probe.original.gold for probe in others if probe.original.gold} - {item.gold})
    return rng.choice(golds) if golds else None


def _all_agree(items: Sequence[Item]) -> bool:
    return all(item.answers and len(Counter(item.answers)) == 1 for item in items)
