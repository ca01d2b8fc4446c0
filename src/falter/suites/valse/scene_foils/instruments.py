"""The instruments that scenes give: those of VALSE, and binding, negation and comparison."""

from __future__ import annotations

from falter.suites.valse.scene_foils.attributes import propose_action_replacement, propose_attributes, propose_binding
from falter.suites.valse.scene_foils.existence import propose_existence, propose_negation
from falter.suites.valse.scene_foils.maker import SceneFoilMaker
from falter.suites.valse.scene_foils.numbers import (
    propose_adversarial,
    propose_comparison,
    propose_counting,
    propose_plurality,
)
from falter.suites.valse.scene_foils.relations import propose_actant_swap, propose_relations

__all__ = [
    "ACTANT_SWAP", "ACTION_REPLACEMENT", "ADVERSARIAL", "ATTRIBUTES", "BALANCED", "BINDING", "COMPARISON", "EXISTENCE",
    "NEGATION", "PLURALITY", "RELATIONS", "SMALL",
]  # fmt: skip

EXISTENCE = SceneFoilMaker("scene-existence", "existence", 534, propose_existence)
PLURALITY = SceneFoilMaker("scene-plurality", "plurality", 1000, propose_plurality)
BALANCED = SceneFoilMaker("scene-counting-balanced", "counting", 1000, propose_counting(0, 20))
SMALL = SceneFoilMaker("scene-counting-small", "counting", 1000, propose_counting(0, 3))
ADVERSARIAL = SceneFoilMaker("scene-counting-adversarial", "counting", 756, propose_adversarial, both_ways=False)
RELATIONS = SceneFoilMaker("scene-relations", "relations", 614, propose_relations)
ATTRIBUTES = SceneFoilMaker("scene-attributes", "attributes", 614, propose_attributes)
ACTION_REPLACEMENT = SceneFoilMaker("scene-action-replacement", "actions", 779, propose_action_replacement)
ACTANT_SWAP = SceneFoilMaker("scene-actant-swap", "actions", 1042, propose_actant_swap)
BINDING = SceneFoilMaker("scene-binding", "binding", 1000, propose_binding)
NEGATION = SceneFoilMaker("scene-negation", "negation", 1000, propose_negation)
COMPARISON = SceneFoilMaker("scene-comparison", "comparison", 1000, propose_comparison)
