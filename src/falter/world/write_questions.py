"""Writes scenes and questions about them in the formats of GQA, VQA v2 and Visual7W.

GQA has scene graphs, and balanced questions with their programs. VQA has open questions, each with ten simulated human
answers that mostly agree. Visual7W has questions for numbers: one answer and three wrong ones each, zeros among them.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from falter.data.word_forms import number_to_word
from falter.generation.scene import Count, SceneGraph
from falter.world.compose import WorldScene
from falter.world.open_questions import (
    choose_attribute,
    choose_side,
    query_attribute,
    query_kind,
    query_place,
    query_relation,
)
from falter.world.questions import GqaQuestion, ProgramStep, QuestionForm, QuestionSampler
from falter.world.references import ReferringSampler
from falter.world.template_questions import exists_either, exists_near, query_color, query_side, verify_position
from falter.world.world_data import load_world_data
from falter.world.yes_no_questions import (
    compare,
    exists,
    exists_related,
    exists_with_attribute,
    logical,
    verify_attribute,
    verify_relation,
)

_TRIES = 10


class _Question(Protocol):
    @property
    def text(self) -> str: ...


Q = TypeVar("Q", bound=_Question)
S = TypeVar("S", bound=QuestionSampler)


def sample_questions(
    sampler: S,
    forms: Sequence[tuple[Callable[[S, str], Q | None], int]],
    rng: random.Random,
) -> list[Q]:
    """Sample up to the given number of questions per form; no text occurs twice."""
    questions: dict[str, Q] = {}
    for form, times in forms:
        # Either answer comes first equally often and the other follows, so that yes and no stay balanced.
        first = rng.random() < 0.5
        for turn in range(times):
            wanted = "yes" if first == (turn % 2 == 0) else "no"
            for _ in range(_TRIES):
                question = form(sampler, wanted)
                if question is not None and question.text not in questions:
                    questions[question.text] = question
                    break
    return list(questions.values())


_GQA_FORMS: tuple[tuple[Callable[[ReferringSampler, str], GqaQuestion | None], int], ...] = (
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
    questions = sample_questions(ReferringSampler(scene, rng), _GQA_FORMS, rng)
    number = int(scene.image_id)
    return {
        f"{number}{index:03d}": _question_record(f"{number}{index:03d}", scene.image_id, question)
        for index, question in enumerate(questions)
    }


def _question_record(question_id: str, image_id: str, question: GqaQuestion) -> dict[str, Any]:
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


_SLIPS = 0.05
"""Share of the ten answers that differ from the correct one."""

_QUESTION_TYPES = (
    "how many people are in", "how many people are", "how many", "what color is the", "what color are the",
    "what is the color of the", "what color is", "what color", "what is the man", "what is the woman", "what is the",
    "what is in the", "what is on the", "what kind of", "what animal is", "what type of", "what is", "what are the",
    "what are", "what", "who is", "which", "where is the", "how", "is there a", "is there", "are there any",
    "are there", "is the man", "is the woman", "is the", "is it", "is this a", "is this", "is", "are the", "are",
    "does the", "do you", "do",
)  # fmt: skip
"""VQA v2's question types, longer beginnings before shorter ones."""


class VqaRecords(NamedTuple):
    """The records of one scene, for the questions file and the annotations file."""

    questions: list[dict[str, Any]]
    annotations: list[dict[str, Any]]


class _Open(NamedTuple):
    text: str
    answer: str
    kind: str
    slips: tuple[str, ...]


def vqa_records(scene: WorldScene, seed: int) -> VqaRecords:
    """The questions about one scene and their human answers."""
    rng = random.Random(f"vqa {seed} {scene.index}")
    questions = sample_questions(QuestionSampler(scene, rng), _VQA_FORMS, rng)
    image = int(scene.image_id)
    records = VqaRecords([], [])
    for index, question in enumerate(questions):
        number = image * 1000 + index
        records.questions.append({"image_id": image, "question": question.text, "question_id": number})
        records.annotations.append(
            {
                "question_type": _question_type(question.text),
                "multiple_choice_answer": question.answer,
                "answers": _ten_answers(rng, question),
                "image_id": image,
                "answer_type": question.kind,
                "question_id": number,
            }
        )
    return records


def _ten_answers(rng: random.Random, question: _Open) -> list[dict[str, Any]]:
    answers = [
        rng.choice(question.slips) if question.slips and rng.random() < _SLIPS else question.answer for _ in range(10)
    ]
    if Counter(answers)[question.answer] < 6:
        answers = [question.answer] * 10
    return [
        {
            "answer": answer,
            "answer_confidence": rng.choices(
                ("yes", "maybe", "no"), (9, 1, 0) if answer == question.answer else (4, 5, 1)
            )[0],
            "answer_id": index,
        }
        for index, answer in enumerate(answers, start=1)
    ]


def _question_type(text: str) -> str:
    words = text.lower().rstrip("?")
    return next(
        (name for name in _QUESTION_TYPES if words == name or words.startswith(f"{name} ")), "none of the above"
    )


def _yes_no(form: QuestionForm) -> Callable[[QuestionSampler, str], _Open | None]:
    def ask(sampler: QuestionSampler, wanted: str) -> _Open | None:
        question = form(sampler, wanted)
        if question is None:
            return None
        return _Open(question.text, question.answer, "yes/no", ("no",) if question.answer == "yes" else ("yes",))

    return ask


def _open_form(form: QuestionForm) -> Callable[[QuestionSampler, str], _Open | None]:
    def ask(sampler: QuestionSampler, wanted: str) -> _Open | None:
        question = form(sampler, wanted)
        if question is None:
            return None
        family = load_world_data().find_family(question.answer)
        slips: tuple[str, ...] = ()
        if question.group in load_world_data().families and family is not None:
            slips = (sampler.other_word(family, question.answer),)
        elif question.answer in sampler.ontology.kinds:
            record = sampler.ontology.kinds[question.answer]
            slips = (*record.synonyms, *(one for one in record.parent_names if sampler.ontology.kinds[one].askable))
        return _Open(question.text, question.answer, "other", slips)

    return ask


def _how_many(sampler: QuestionSampler, wanted: str) -> _Open | None:
    rng = sampler.rng
    if wanted == "yes" and sampler.world.counted_groups:
        kind = rng.choice([group.kind for group in sampler.world.counted_groups])
    elif rng.random() < 0.35:
        kind = rng.choice(("person", "animal", "vehicle", "ball", "tree", "chair"))
    else:
        kind = sampler.present_kind() if rng.random() < 0.7 else sampler.absent_kind()
    description = sampler.select(kind, plural=True)
    if sampler.number(kind) != "singular" or sampler.ontology.is_a(kind, "place"):
        return None
    answer = sampler.answer(Count(description))
    if answer is None or (answer == "0" and rng.random() < 0.6):
        return None
    words = sampler.write(description)
    text = rng.choice(
        (f"How many {words} are there?", f"How many {words} are in the picture?", f"How many {words} can you see?")
    )
    near = [str(int(answer) + 1)] + ([str(int(answer) - 1)] if answer != "0" else [])
    # Nobody miscounts two; with eight it happens.
    return _Open(text, answer, "number", tuple(near) if int(answer) >= 4 else ())


_VQA_FORMS: tuple[tuple[Callable[[QuestionSampler, str], _Open | None], int], ...] = (
    (_yes_no(exists), 2),
    (_yes_no(exists_with_attribute), 1),
    (_yes_no(exists_related), 1),
    (_yes_no(verify_attribute), 1),
    (_yes_no(verify_relation), 1),
    (_how_many, 2),
    (_open_form(query_attribute), 2),
    (_open_form(query_relation), 1),
    (_open_form(query_kind), 1),
    (_open_form(choose_attribute), 1),
)
"""Every question form, with its number of questions per scene."""


_PRESENT, _ABSENT = 2, 1
_WRONG_NUMBERS = 3
_PREDICATES = ("there", "in the picture", "shown", "visible")


def visual7w_record(scene: WorldScene, seed: int, split: str) -> dict[str, Any]:
    """The record of an image: how many there are of each group, of some other things, and of one that is not there."""
    rng = random.Random(f"visual7w {seed} {scene.index}")
    sampler = QuestionSampler(scene, rng)
    kinds = [group.kind for group in scene.counted_groups]
    kinds += [sampler.present_kind() for _ in range(_PRESENT)] + [sampler.absent_kind() for _ in range(_ABSENT)]
    image = int(scene.image_id)
    pairs: list[dict[str, Any]] = []
    for kind in dict.fromkeys(kinds):
        description = sampler.select(kind, plural=True)
        if sampler.number(kind) != "singular" or sampler.ontology.is_a(kind, "place"):
            continue
        answer = sampler.answer(Count(description))
        if answer is None:
            continue
        number = int(answer)
        near = [one for one in range(max(0, number - 3), number + 5) if one != number]
        pairs.append(
            {
                "image_id": image,
                "qa_id": image * 10 + len(pairs),
                "type": "how",
                "question": f"How many {sampler.write(description)} are {rng.choice(_PREDICATES)}?",
                "answer": _number_in_words(number),
                "multiple_choices": [_number_in_words(one) for one in rng.sample(near, _WRONG_NUMBERS)],
            }
        )
    return {"image_id": image, "filename": f"v7w_{image}.jpg", "split": split, "qa_pairs": pairs}


def _number_in_words(number: int) -> str:
    return f"{number_to_word(number).capitalize()}."
