"""Contrast sets from scenes: every variant turns the answer by one atom, sets are nested, labels are derived again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from falter.authoring.generator import GenerateContext, GenerateOptions
from falter.english import default_grammar
from falter.errors import UsageError
from falter.inspection.audit import audit
from falter.probes import Item, Probe
from falter.sources import open_source
from falter.suites.contrast_sets.audit import audit as audit_set
from falter.suites.contrast_sets.generator import CONTRAST_SETS
from falter.suites.contrast_sets.options import ContrastSetOptions
from tests.suites.made import raw_graphs, write_graphs

pytestmark = pytest.mark.bundle("contrast-sets")

SCENES = 40


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_graphs(tmp_path_factory.mktemp("gqa"), raw_graphs(SCENES))


def make(
    source: str, *, tests: tuple[str, ...] = (), size: int | None = None, **own: Any
) -> tuple[list[Probe], Counter[str]]:
    opened = open_source(source)
    options = GenerateOptions(tests=tests, size=size, images="none", suite_options=ContrastSetOptions(**own))
    context = GenerateContext(source=opened, options=options)
    return list(CONTRAST_SETS.probes(opened, options, context)), context.rejected


@pytest.fixture(scope="module")
def probes(source: str) -> list[Probe]:
    return make(source, per_question=5)[0]


def test_all_six_templates_give_sets_and_every_label_is_derived_again(source: str, probes: list[Probe]) -> None:
    made = Counter(probe.original.test for probe in probes)
    assert set(made) == {"side", "color", "near", "or", "relation-object", "relation"}
    assert min(made.values()) >= 8
    result = audit(probes, open_source(source), default_grammar())
    assert result.disagreements == []
    assert result.agree == result.items == sum(len(probe.items) for probe in probes)


def test_every_variant_turns_the_answer(probes: list[Probe]) -> None:
    for probe in probes:
        assert 1 <= len(probe.variants) <= 5
        assert len({item.text for item in probe.items}) == len(probe.items)
        assert all(variant.gold != probe.original.gold for variant in probe.variants)


@pytest.mark.parametrize("fewer", [2])
def test_sets_of_fewer_variants_are_part_of_sets_of_more(source: str, probes: list[Probe], fewer: int) -> None:
    small, _ = make(source, per_question=fewer)
    large = {probe.probe_id: [item.text for item in probe.items] for probe in probes}
    assert [probe.probe_id for probe in small] == list(large)
    assert any(len(texts) > fewer + 1 for texts in large.values())
    for probe in small:
        assert [item.text for item in probe.items] == large[probe.probe_id][: fewer + 1]


def test_the_audit_finds_a_second_changed_atom_and_a_wrong_label(source: str, probes: list[Probe]) -> None:
    either = next(probe for probe in probes if probe.original.test == "or" and probe.original.gold == "no")
    opened = open_source(source)
    assert audit_set(either, opened) == ""

    def with_variant(**fields: Any) -> Probe:
        changed: Item = either.variants[0].change(**fields)
        return Probe((either.original, changed))

    assert "one atom" in audit_set(with_variant(text="Is there a submarine or a castle?"), opened)
    assert "answer of its original" in audit_set(with_variant(gold="no"), opened)
    with pytest.raises(UsageError, match="--scenes"):
        audit_set(either, None)


def test_a_size_is_sets_per_test(source: str) -> None:
    few, _ = make(source, size=4, per_question=1)
    assert Counter(probe.original.test for probe in few) == dict.fromkeys(
        ("side", "color", "near", "or", "relation-object", "relation"), 4
    )
