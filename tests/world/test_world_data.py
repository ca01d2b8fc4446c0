"""The data files of the world refer to what exists: layouts, drawable kinds, verbs, backgrounds and words."""

from __future__ import annotations

import random

import pytest

from falter.world.action_layouts import ACTION_LAYOUTS, ActionBuilder
from falter.world.drawing import BACKGROUNDS, DRAWABLE
from falter.world.drawn_objects import AppearanceSampler
from falter.world.world_data import Verb, load_world_data

DATA = load_world_data()


def test_every_layout_serves_a_verb_and_every_verb_has_one() -> None:
    assert {verb.layout for verb in DATA.verbs.values()} == set(ACTION_LAYOUTS)


def test_environments_name_backgrounds_kinds_and_verbs_that_exist() -> None:
    for environment in DATA.environments.values():
        assert set(environment.background) <= set(BACKGROUNDS)
        assert set(environment.actions) <= set(DATA.verbs)
        rows = (environment.back, environment.front, environment.wall, environment.sky, *environment.tables.values())
        kinds = {kind for row in rows for kind in row} | set(environment.tables)
        kinds |= {kind for row in environment.groups.values() for kind in row}
        assert kinds <= set(DRAWABLE), kinds - set(DRAWABLE)


def test_a_word_has_one_family() -> None:
    words = [word for family in DATA.families.values() for word in family.values]
    assert len(words) == len(set(words))
    assert {DATA.find_family(word) for word in words} == set(DATA.families)
    assert DATA.find_family("no such word") is None


@pytest.mark.parametrize("verb", DATA.verbs.values(), ids=lambda verb: verb.name)
def test_every_verb_relates_its_agent_to_its_patient(verb: Verb) -> None:
    """For every pair of kinds of its roles; where a layout refuses one of them, some other must do."""
    built = 0
    for agent in verb.agents:
        for patient in verb.patients:
            if agent == patient:
                continue
            sampler = AppearanceSampler(random.Random(f"{agent} {patient}"))
            tool = next(iter(verb.tool), "")
            builder = ActionBuilder(sampler, verb, scale=140.0, foot=330.0, tool=tool)
            group = ACTION_LAYOUTS[verb.layout](builder, agent, patient)
            if group is None:
                continue
            built += 1
            (action,) = group.actions
            assert (action.verb, action.agent.kind) == (verb.name, agent)
            assert (action.patient is None) == (patient == "ground")
            assert (action.tool is None) == (not verb.tool)
            assert all(one in group.objects for one in (action.agent, action.patient, action.tool) if one is not None)
            if action.patient is not None:
                assert action.patient.kind == patient
                assert (verb.name, patient) in {(one.name, one.object.kind) for one in group.relations}
    assert built
