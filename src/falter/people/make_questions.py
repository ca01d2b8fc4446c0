"""Questions from probes: what is shown of an item or a pair, and which answer confirms its label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random

from falter.errors import InputError
from falter.people.form import Form
from falter.people.study import StudyQuestion
from falter.probes import Item, Probe

__all__ = ["ImageNames", "can_ask", "make_questions"]

ImageNames = Callable[[Item], str | None]
"""The name under which a study shows an item's image; None for an item without one."""

_YES_NO = ("yes", "no")
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
    if item.task == "match" or item.gold in _YES_NO:
        return _YES_NO
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
