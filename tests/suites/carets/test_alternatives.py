"""Which two things are of one near kind."""

from __future__ import annotations

import pytest

from falter.generation.askable.likeness import are_of_one_kind
from falter.generation.english import default_grammar

ONTOLOGY = default_grammar().ontology


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("car", "truck", True),
        ("car", "boat", False),  # of one kind, on other ways
        ("dog", "horse", True),
        ("dog", "car", False),
        ("clock", "laptop", False),  # both are devices, which says too little
        ("sink", "toilet", True),  # of one room
        ("fork", "plate", True),  # of one set
        ("stop sign", "parking meter", True),
        ("oven", "fork", False),
    ],
)
def test_two_things_are_of_one_near_kind(first: str, second: str, wanted: bool) -> None:
    assert are_of_one_kind(first, second, ONTOLOGY) is wanted
    assert are_of_one_kind(second, first, ONTOLOGY) is wanted
