"""Writes questions for numbers in Visual7W's format: one answer and three wrong ones each, zeros among them."""

from __future__ import annotations

import random
from typing import Any

from falter.english.words import number_to_word
from falter.scene import Count
from falter.world.compose import WorldScene
from falter.world.question_sampler import QuestionSampler

__all__ = ["visual7w_record"]

_PRESENT, _ABSENT = 2, 1
_WRONG = 3
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
                "answer": _say(number),
                "multiple_choices": [_say(one) for one in rng.sample(near, _WRONG)],
            }
        )
    return {"image_id": image, "filename": f"v7w_{image}.jpg", "split": split, "qa_pairs": pairs}


def _say(number: int) -> str:
    return f"{number_to_word(number).capitalize()}."
