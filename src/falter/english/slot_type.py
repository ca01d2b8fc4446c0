"""What a slot of a template is: how its value is rendered, and which values a text parses to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from falter.english.ontology import Ontology
from falter.scene import ObjectDescription

__all__ = ["SlotType", "SlotValue"]

SlotValue = ObjectDescription | str | int | tuple[str, ...]


class SlotType(NamedTuple):
    """One slot type: how a value is rendered, and which values a text parses to."""

    example: SlotValue
    render: Callable[[SlotValue, Ontology], str | None]
    parse: Callable[[str, Ontology], Iterator[SlotValue]]
    exact: bool = True
    """Whether a text parses to what would be rendered like it alone; else to whatever it may mean."""
