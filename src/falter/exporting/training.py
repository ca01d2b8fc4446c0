"""Probes as training questions in GQA's native format, so that a GQA loader takes them beside GQA's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.authoring.generator import Order, SuiteMaker
from falter.english import default_grammar
from falter.errors import InputError, UsageError
from falter.files import atomic_file
from falter.probes import Item, Probe
from falter.scene import (
    And,
    Choose,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    ObjectDescription,
    Option,
    Or,
    Query,
    Related,
    query_from_json,
)
from falter.sources import Source

__all__ = ["TrainingCounts", "program_of", "write_training"]

Step = dict[str, Any]

_TYPES = {
    "object_verification": ("verify", "obj"),
    "conjunctive_verification": ("logical", "obj"),
    "disjunctive_verification": ("logical", "obj"),
    "attribute_verification": ("verify", "attr"),
    "object_choice": ("choose", "cat"),
    "attribute_choice": ("choose", "attr"),
    "action_choice": ("choose", "attr"),
}
"""What GQA calls the structure and the subject of each type of question."""


class TrainingCounts(NamedTuple):
    """How many questions were written for each test, and what was refused, by its reason."""

    questions: dict[str, int]
    refused: dict[str, int]


def write_training(
    maker: SuiteMaker,
    source: Source,
    out: Path,
    order: Order,
    *,
    split: str = "train",
    overwrite: bool = False,
    tick: Callable[[], None] = lambda: None,
) -> TrainingCounts:
    """Write ``OUT/{split}_{suite}_questions.json``, whole or not at all.

    Every text is written once a picture; tests that change the picture have nothing to teach here and make none.
    """
    counts: Counter[str] = Counter()
    keys: dict[tuple[str | None, str], str] = {}
    refused: Counter[str] = Counter()
    path = out / f"{split}_{maker.name}_questions.json"
    if path.exists() and not overwrite:
        raise UsageError(f"{path} is there already: give another --out, or --overwrite to replace it")
    with atomic_file(path) as stream:
        stream.write(b"{")
        for probe in maker.probes(source, order, default_grammar(*order.extend), refused):
            for key, record in _records(probe, split, keys):
                stream.write(b",\n" if counts else b"\n")
                stream.write(msgspec.json.encode(key) + b": " + msgspec.json.encode(record))
                counts[probe.original.test] += 1
                tick()
        stream.write(b"\n}\n")
        if not counts:
            raise InputError(path, "no question could be made", hint="check the source")
    return TrainingCounts(dict(sorted(counts.items())), dict(sorted(refused.items())))


def _records(probe: Probe, split: str, keys: dict[tuple[str | None, str], str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The probe's questions that are not written yet; ``keys`` knows those that are, so that all can be referred to."""
    own = [f"{split}-{item.probe_id}-{item.variant}" for item in probe.items]
    named = [keys.setdefault((item.image_id, item.text), key) for item, key in zip(probe.items, own, strict=True)]
    for item, key, name in zip(probe.items, own, named, strict=True):
        if key == name:
            yield key, _record(item, key, [other for other in dict.fromkeys(named) if other != key])


def _record(item: Item, key: str, others: list[str]) -> dict[str, Any]:
    program = program_of(query_from_json(item.meaning)) if item.meaning is not None else []
    kind = item.facets.get("type", item.test)
    structural, semantic = _TYPES.get(kind, ("verify" if item.choices == ("yes", "no") else "choose", "attr"))
    if structural == "verify" and item.facets.get("form") == "related":
        semantic = "rel"
    return {
        "question": item.text,
        "imageId": item.image_id,
        "answer": item.gold,
        "fullAnswer": f"{str(item.gold).capitalize()}.",
        "isBalanced": True,
        "groups": {"global": None, "local": f"{item.suite}-{item.test}"},
        "entailed": others if item.expects == "different" else [],
        "equivalent": [key, *others] if item.expects == "same" else [key],
        "types": {
            "structural": structural,
            "semantic": semantic,
            "detailed": kind,
        },
        "annotations": {"question": {}, "answer": {}, "fullAnswer": {}},
        "semantic": program,
        "semanticStr": "->".join(
            f"{step['operation']}: {step['argument']}" + (f" {step['dependencies']}" if step["dependencies"] else "")
            for step in program
        ),
    }


def program_of(query: Query) -> list[Step]:
    """A query as one of GQA's functional programs; empty where GQA has no operation for it.

    ``not`` is our own: GQA asks no negated questions.
    """
    steps: list[Step] = []
    try:
        _add(query, steps)
    except _Inexpressible:
        return []
    return steps


class _Inexpressible(Exception):
    """GQA has no operation for this."""


def _step(steps: list[Step], operation: str, argument: str, *dependencies: int) -> int:
    steps.append({"operation": operation, "dependencies": list(dependencies), "argument": argument})
    return len(steps) - 1


def _select(selection: ObjectDescription, steps: list[Step]) -> int:
    if selection.relation is None:
        place = _step(steps, "select", f"{selection.kind} (-)")
    else:
        place = _relate(selection, selection.relation, steps)
    for value in selection.attributes:
        place = _step(steps, "filter", value, place)
    return place


def _relate(selection: ObjectDescription, related: Related, steps: list[Step]) -> int:
    target = _select(related.to, steps)
    return _step(steps, "relate", f"{selection.kind},{related.name},s (-)", target)


def _add(query: Query, steps: list[Step]) -> int:
    match query:
        case Exists(of=selection):
            return _step(steps, "exist", "?", _select(selection, steps))
        case Not(of=inner):
            return _step(steps, "not", "", _add(inner, steps))
        case And(of=parts):
            return _step(steps, "and", "", *[_add(part, steps) for part in parts])
        case Or(of=parts):
            return _step(steps, "or", "", *[_add(part, steps) for part in parts])
        case HasAttribute(of=selection, value=value):
            return _step(steps, "verify", value, _select(selection, steps))
        case IsKind(of=selection, kind=kind):
            return _step(steps, "verify name", kind, _select(selection, steps))
        case Choose(options=(Option(when=HasAttribute() | IsKind() as first), *_) as options):
            argument = "|".join(option.answer for option in options)
            operation = "choose name" if isinstance(first, IsKind) else "choose"
            return _step(steps, operation, argument, _select(first.of, steps))
    raise _Inexpressible
