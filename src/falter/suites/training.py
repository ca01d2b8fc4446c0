"""Probes as training questions in GQA's native format, so that a GQA loader takes them beside GQA's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from falter.english import english
from falter.errors import BadInput
from falter.files import atomic_file
from falter.probes import Item, Probe
from falter.scene import (
    And,
    Choose,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    Or,
    Query,
    Related,
    Selection,
    query_from_json,
)
from falter.sources import Source
from falter.suites.protocol import Order, SuiteMaker

__all__ = ["program_of", "write_training"]

Step = dict[str, Any]


def write_training(
    maker: SuiteMaker,
    source: Source,
    out: Path,
    order: Order,
    *,
    split: str = "train",
    tick: Callable[[], None] = lambda: None,
) -> dict[str, int]:
    """Write ``OUT/{split}_{suite}_questions.json`` and give the number of questions of each test.

    Every text is written once a picture; tests that change the picture have nothing to teach here and make none.
    """
    counts: Counter[str] = Counter()
    seen: set[tuple[str | None, str]] = set()
    refused: Counter[str] = Counter()
    path = out / f"{split}_{maker.name}_questions.json"
    with atomic_file(path) as stream:
        stream.write(b"{")
        for probe in maker.probes(source, order, english(*order.extend), refused):
            for key, record in _records(probe, split):
                if (record["imageId"], record["question"]) in seen:
                    continue
                seen.add((record["imageId"], record["question"]))
                stream.write(b",\n" if counts else b"\n")
                stream.write(msgspec.json.encode(key) + b": " + msgspec.json.encode(record))
                counts[probe.original.test] += 1
                tick()
        stream.write(b"\n}\n")
        if not counts:
            raise BadInput(path, "no question could be made", remedy="check the source")
    return dict(sorted(counts.items()))


def _records(probe: Probe, split: str) -> Iterator[tuple[str, dict[str, Any]]]:
    keys = [f"{split}-{item.probe_id}-{item.variant}" for item in probe.items]
    for item, key in zip(probe.items, keys, strict=True):
        others = [other for other in keys if other != key]
        yield key, _record(item, others)


def _record(item: Item, others: list[str]) -> dict[str, Any]:
    program = program_of(query_from_json(item.meaning)) if item.meaning is not None else []
    binary = item.choices == ("yes", "no")
    return {
        "question": item.text,
        "imageId": item.image_id,
        "answer": item.gold,
        "fullAnswer": f"{str(item.gold).capitalize()}.",
        "isBalanced": True,
        "groups": {"global": None, "local": f"{item.suite}-{item.test}"},
        "entailed": others if item.expects == "different" else [],
        "equivalent": others if item.expects == "same" else [],
        "types": {
            "structural": "verify" if binary else "choose",
            "semantic": "obj" if item.facets.get("type", "").startswith("object") else "attr",
            "detailed": item.facets.get("type", item.test),
        },
        "annotations": {"question": {}, "answer": {}, "fullAnswer": {}},
        "semantic": program,
        "semanticStr": "->".join(
            f"{step['operation']}: {step['argument']} {step['dependencies']}".rstrip() for step in program
        ),
    }


def program_of(query: Query) -> list[Step]:
    """A query as one of GQA's functional programs."""
    steps: list[Step] = []
    _add(query, steps)
    return steps


def _step(steps: list[Step], operation: str, argument: str, *dependencies: int) -> int:
    steps.append({"operation": operation, "dependencies": list(dependencies), "argument": argument})
    return len(steps) - 1


def _select(selection: Selection, steps: list[Step]) -> int:
    if selection.relation is None:
        place = _step(steps, "select", f"{selection.kind} (-)")
    else:
        place = _relate(selection, selection.relation, steps)
    for value in selection.attributes:
        place = _step(steps, "filter", value, place)
    return place


def _relate(selection: Selection, related: Related, steps: list[Step]) -> int:
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
        case Choose(options=options):
            first = options[0].when
            assert isinstance(first, HasAttribute | IsKind)  # the choices that templates make
            argument = "|".join(option.answer for option in options)
            operation = "choose name" if isinstance(first, IsKind) else "choose"
            return _step(steps, operation, argument, _select(first.of, steps))
    raise TypeError(f"{type(query).__name__} has no program in GQA's manner")
