"""Writes scenes in GQA's format: scene graphs, and balanced questions with their programs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from falter.scene import SceneGraph
from falter.world.compose import WorldScene
from falter.world.gqa_question import GqaQuestion, ProgramStep
from falter.world.open_questions import (
    choose_attribute,
    choose_side,
    query_attribute,
    query_kind,
    query_place,
    query_relation,
)
from falter.world.position_questions import verify_position
from falter.world.question_mix import sample_questions
from falter.world.references import ReferringSampler
from falter.world.template_questions import (
    exists_either,
    exists_near,
    query_color,
    query_side,
)
from falter.world.yes_no_questions import (
    compare,
    exists,
    exists_related,
    exists_with_attribute,
    logical,
    verify_attribute,
    verify_relation,
)

__all__ = ["gqa_graph", "gqa_questions"]

_FORMS: tuple[tuple[Callable[[ReferringSampler, str], GqaQuestion | None], int], ...] = (
    (exists, 4),
    (exists_with_attribute, 2),
    (exists_related, 2),
    (verify_attribute, 1),
    (verify_relation, 1),
    (logical, 1),
    (query_attribute, 2),
    (query_relation, 1),
    (query_place, 1),
    (query_kind, 1),
    (choose_attribute, 1),
    (choose_side, 1),
    (compare, 1),
    (query_side, 2),
    (query_color, 2),
    (exists_either, 2),
    (exists_near, 2),
    (verify_position, 2),
)
"""Every question form, with its number of questions per scene."""


def gqa_graph(graph: SceneGraph) -> dict[str, Any]:
    """A scene graph in GQA's schema, with Falter's ``complete``."""
    record: dict[str, Any] = {"width": graph.width, "height": graph.height}
    if graph.location is not None:
        record["location"] = graph.location
    if graph.weather is not None:
        record["weather"] = graph.weather
    record["objects"] = {
        thing.id: {
            "name": thing.name,
            "x": round(thing.box.x),
            "y": round(thing.box.y),
            "w": round(thing.box.w),
            "h": round(thing.box.h),
            "attributes": list(thing.attributes),
            "relations": [{"name": relation.name, "object": relation.target} for relation in thing.relations],
        }
        for thing in graph.objects.values()
    }
    record["complete"] = sorted(graph.complete)
    return record


def gqa_questions(scene: WorldScene, seed: int) -> dict[str, dict[str, Any]]:
    """The questions about one scene, by id."""
    rng = random.Random(f"gqa {seed} {scene.index}")
    questions = sample_questions(ReferringSampler(scene, rng), _FORMS, rng)
    number = int(scene.image_id)
    return {
        f"{number}{index:03d}": _record(f"{number}{index:03d}", scene.image_id, question)
        for index, question in enumerate(questions)
    }


def _record(question_id: str, image_id: str, question: GqaQuestion) -> dict[str, Any]:
    return {
        "semantic": [
            {"operation": step.operation, "dependencies": list(step.dependencies), "argument": step.argument}
            for step in question.program
        ],
        "entailed": [],
        "equivalent": [question_id],
        "question": question.text,
        "imageId": image_id,
        "isBalanced": True,
        "groups": {"global": question.group, "local": question.local},
        "answer": question.answer,
        "semanticStr": "->".join(_step(step) for step in question.program),
        "annotations": {
            "answer": {},
            "question": _marks(question.text, question.mentions),
            "fullAnswer": _marks(question.full_answer, question.mentions),
        },
        "types": {"detailed": question.detailed, "semantic": question.semantic, "structural": question.structural},
        "fullAnswer": question.full_answer,
    }


def _step(step: ProgramStep) -> str:
    needs = f" [{', '.join(map(str, step.dependencies))}]" if step.dependencies else ""
    return f"{step.operation}: {step.argument}{needs}"


def _marks(text: str, mentions: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Which words of a sentence stand for which object: ``"3"`` or ``"3:5"`` to the object's id."""
    words = [re.sub(r"[^a-z0-9-]", "", word) for word in text.lower().split()]
    marks: dict[str, str] = {}
    for phrase, object_id in mentions:
        wanted = phrase.split()
        for start in range(len(words) - len(wanted) + 1):
            end = start + len(wanted)
            if words[start:end] == wanted:
                marks[str(start) if len(wanted) == 1 else f"{start}:{end}"] = object_id
                break
    return marks
