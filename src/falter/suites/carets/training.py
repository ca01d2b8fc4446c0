"""CARETS questions in GQA's native format, so that a GQA loader takes them beside GQA's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from falter.probes import Item, Probe
from falter.scene import query_from_json
from falter.scene.programs import query_to_program

__all__ = ["GqaTraining"]

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


class GqaTraining:
    """Turns probes into GQA's records, every text once per image."""

    def __init__(self, split: str) -> None:
        self._split = split
        self._keys: dict[tuple[str | None, str], str] = {}

    def records(self, probe: Probe) -> Iterator[tuple[str, dict[str, Any]]]:
        """The probe's questions that are not written yet, by their keys."""
        own = [f"{self._split}-{item.probe_id}-{item.variant}" for item in probe.items]
        named = [
            self._keys.setdefault((item.image_id, item.text), key) for item, key in zip(probe.items, own, strict=True)
        ]
        for item, key, name in zip(probe.items, own, named, strict=True):
            if key == name:
                yield key, _record(item, key, [other for other in dict.fromkeys(named) if other != key])


def _record(item: Item, key: str, others: list[str]) -> dict[str, Any]:
    program = query_to_program(query_from_json(item.meaning)) if item.meaning is not None else []
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
