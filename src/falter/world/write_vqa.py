"""Writes scenes in VQA v2's format: open questions, each with ten simulated human answers that mostly agree."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from falter.scene import Count
from falter.world.compose import WorldScene
from falter.world.gqa_question import QuestionForm
from falter.world.open_questions import choose_attribute, query_attribute, query_kind, query_relation
from falter.world.question_mix import sample_questions
from falter.world.question_sampler import QuestionSampler
from falter.world.world_data import load_world_data
from falter.world.yes_no_questions import (
    exists,
    exists_related,
    exists_with_attribute,
    verify_attribute,
    verify_relation,
)

__all__ = ["VqaRecords", "vqa_records"]

_SLIPS = 0.05
"""Share of the ten answers that differ from the correct one."""

_TYPES = (
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
    questions = sample_questions(QuestionSampler(scene, rng), _FORMS, rng)
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
    return next((name for name in _TYPES if words == name or words.startswith(f"{name} ")), "none of the above")


def _yes_no(form: QuestionForm) -> Callable[[QuestionSampler, str], _Open | None]:
    def ask(sampler: QuestionSampler, wanted: str) -> _Open | None:
        question = form(sampler, wanted)
        if question is None:
            return None
        return _Open(question.text, question.answer, "yes/no", ("no",) if question.answer == "yes" else ("yes",))

    return ask


def _open(form: QuestionForm) -> Callable[[QuestionSampler, str], _Open | None]:
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


_FORMS: tuple[tuple[Callable[[QuestionSampler, str], _Open | None], int], ...] = (
    (_yes_no(exists), 2),
    (_yes_no(exists_with_attribute), 1),
    (_yes_no(exists_related), 1),
    (_yes_no(verify_attribute), 1),
    (_yes_no(verify_relation), 1),
    (_how_many, 2),
    (_open(query_attribute), 2),
    (_open(query_relation), 1),
    (_open(query_kind), 1),
    (_open(choose_attribute), 1),
)
"""Every question form, with its number of questions per scene."""
