"""Writes dialogues in VisDial 1.0's format: lists of questions and answers, and rounds with 100 options each.

The options of a round are answers of other rounds: to the same question, frequent ones, and random ones, none of which
is right as well. They can be chosen only when all answers are known, so the dialogues wait in a file until then.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import IO

import msgspec

from falter.data.items import YES_NO
from falter.generation.english import default_grammar
from falter.generation.scene import ObjectDescription
from falter.world.dialogues import AnswerMeaning, DialogueDraft, RoundDraft
from falter.world.world_data import load_world_data

OPTIONS = 100
_SAME_QUESTION, _FREQUENT = 40, 30
"""How many options are answers to the same question, and how many the most frequent ones; the others are random."""
_SPLITS = {"train": "train", "val": "val2018"}
_MOST_COUNTED = 20


class VisdialWriter:
    """The dialogues of one split."""

    def __init__(self, folder: Path, split: str, seed: int) -> None:
        self._path = folder / f"visdial_1.0_{split}.json"
        self._drafts_path = folder / "dialogues.part"
        self._drafts: IO[bytes] = self._drafts_path.open("wb")
        self._split, self._seed = split, seed
        self._questions: dict[str, int] = {}
        self._answers: dict[str, int] = {}
        self._meanings: list[AnswerMeaning] = []
        self._given: Counter[int] = Counter()
        self._given_to: dict[int, Counter[int]] = {}

    def add(self, draft: bytes) -> None:
        """Add an encoded :class:`DialogueDraft`."""
        self._drafts.write(draft + b"\n")
        for one in msgspec.json.decode(draft, type=DialogueDraft).rounds:
            question = self._questions.setdefault(one.question, len(self._questions))
            answer = self._answer(one.answer, one.meaning)
            self._given[answer] += 1
            self._given_to.setdefault(question, Counter())[answer] += 1

    def _answer(self, text: str, meaning: AnswerMeaning) -> int:
        if text not in self._answers:
            self._answers[text] = len(self._answers)
            self._meanings.append(meaning)
        return self._answers[text]

    def close(self) -> None:
        """Choose the options and write the file."""
        self._drafts.close()
        for text, meaning in _spare_answers():
            if len(self._answers) >= 3 * OPTIONS:
                break
            self._answer(text, meaning)
        frequent = [answer for answer, _ in sorted(self._given.items(), key=lambda entry: (-entry[1], entry[0]))]
        with self._path.open("wb") as file, self._drafts_path.open("rb") as drafts:
            head = msgspec.json.encode({"version": "1.0", "split": _SPLITS[self._split], "data": {}})
            file.write(head[:-2] + b'"dialogs":[')
            for number, line in enumerate(drafts):
                file.write(b",\n" if number else b"\n")
                file.write(msgspec.json.encode(self._record(msgspec.json.decode(line, type=DialogueDraft), frequent)))
            lists = {"questions": list(self._questions), "answers": list(self._answers)}
            file.write(b"\n]," + msgspec.json.encode(lists)[1:-1] + b"}}\n")
        self._drafts_path.unlink()

    def _record(self, draft: DialogueDraft, frequent: list[int]) -> dict[str, object]:
        rounds = []
        for number, one in enumerate(draft.rounds, start=1):
            rng = random.Random(f"visdial options {self._seed} {draft.image_id} {number}")
            question, answer = self._questions[one.question], self._answers[one.answer]
            options = self._options(question, answer, one, frequent, rng)
            rounds.append(
                {
                    "question": question,
                    "answer": answer,
                    "answer_options": options,
                    "gt_index": options.index(answer),
                }
            )
        return {"image_id": draft.image_id, "caption": draft.caption, "dialog": rounds}

    def _options(
        self, question: int, answer: int, draft: RoundDraft, frequent: list[int], rng: random.Random
    ) -> list[int]:
        """The answer and others, none of which may be right as well, in a drawn order."""
        chosen = {answer: None}
        same = sorted(self._given_to[question])
        everything = list(range(len(self._meanings)))
        for among, upto in ((same, _SAME_QUESTION), (frequent, _SAME_QUESTION + _FREQUENT), (everything, OPTIONS)):
            order = rng.sample(among, len(among)) if among is not frequent else among
            for other in order:
                if len(chosen) >= upto:
                    break
                if other not in chosen and not may_be_right(self._meanings[other], draft):
                    chosen[other] = None
        options = list(chosen)
        rng.shuffle(options)
        return options


def may_be_right(other: AnswerMeaning, draft: RoundDraft) -> bool:
    """Whether another answer may be right where the draft's is."""
    meaning = draft.meaning
    if other == meaning:
        return True
    if {other.sort, meaning.sort} == {"no", "count"}:
        return "0" in (other.value, meaning.value)
    if meaning.sort in YES_NO and other.sort == "count":
        return True
    if other.sort == "word":
        known = (*draft.words, meaning.value) if meaning.sort == "word" else draft.words
        return other.value in known
    if other.sort == "kind":
        known = (*draft.kinds, meaning.value) if meaning.sort == "kind" else draft.kinds
        return any(_related(other.value, kind) for kind in known)
    return False


@lru_cache(maxsize=1 << 16)
def _related(one: str, other: str) -> bool:
    return not default_grammar().ontology.are_disjoint(one, other)


@lru_cache(maxsize=1)
def _spare_answers() -> tuple[tuple[str, AnswerMeaning], ...]:
    """Answers for worlds of few scenes, which do not have enough of their own."""
    data = load_world_data()
    phrases = default_grammar().phrases
    words = [word for family in data.families.values() for word in family.values]
    places = [(*one.front, *one.back, *one.sky, *one.wall) for one in data.environments.values()]
    kinds = sorted({kind for place in places for kind in place})
    ontology = default_grammar().ontology
    spare = [(word, AnswerMeaning("word", word)) for word in words]
    spare += [(str(number), AnswerMeaning("count", str(number))) for number in range(_MOST_COUNTED)]
    for kind in kinds:
        description = ObjectDescription(kind, (), None, ontology.grammatical_number(kind))
        spare.append((phrases.render(description, "a"), AnswerMeaning("kind", kind)))
    return tuple(spare)
