"""No text crashes an instrument: what cannot be used is counted with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from falter.generation.scene import SceneGraph
from falter.generation.sources import Dialogue, DialogueRound, FoiledCaption, Question, Situation
from falter.suites.valse.foiling import FOIL_MAKERS, FoilingContext, Funnel, find_maker
from tests.nlp.wordnet_there import needs_wordnet
from tests.suites.captions import HOSTILE

pytest.importorskip("spacy", reason="parsing needs spaCy")

_TEXTS = (
    *HOSTILE,
    "TWO DOGS ON A BENCH NEXT TO A MAN",
    "“Two dogs” — on a ‘bench’… next to a man; how many? 2!",
    "A dog on a bench.A cat under a table.",
    "on on on in front of in front of",
    "in front of a bench",
    "A dog on",
    "👩‍👩‍👧 on a 🪑 next to 2️⃣ dogs",
    "a\u0301 do\u0301g on\u200b a bench\u2028next to a man",
    " ".join(["Two dogs on a bench under a tree next to a man in front of a car."] * 70),
)


class _HostileSource:
    """Everything that a source can have, in such texts; a caption of sane words lets something be made."""

    name, licence = "hostile", ""

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "split": "train"}

    def image_ids(self) -> Sequence[str]:
        return [str(number) for number in range(len(_TEXTS))]

    def image_path(self, image_id: str) -> Path | None:
        return None

    def captions(self, image_id: str) -> Sequence[str]:
        return [_TEXTS[int(image_id)], _TEXTS[int(image_id)]]

    def questions(self) -> Iterator[Question]:
        for number, text in enumerate(_TEXTS):
            for asked in (text, f"How many {text}", f"How many dogs are {text}?", "How many dogs are there?"):
                for answer in ("2", "0", "-1", "99999999999999999999", text):
                    yield Question(
                        id=f"{number}-{asked}-{answer}",
                        image_id=str(number),
                        text=asked,
                        answer=answer,
                        answers=(answer,) * 10,
                    )

    def dialogues(self) -> Iterator[Dialogue]:
        for number, text in enumerate(_TEXTS):
            rounds = tuple(
                DialogueRound(question=question, answer=answer)
                for question in (text, f"is it {text}", "is he", "is this outside?")
                for answer in ("yes", f"no, {text}", text, None)
            )
            yield Dialogue(image_id=str(number), caption=text, rounds=rounds)

    def situations(self) -> Iterator[Situation]:
        for number, text in enumerate(_TEXTS):
            for verb in ("pushing", text):
                fillers = {"agent": text, "item": "n02084071"}
                yield Situation(image_id=f"{number}", verb=verb, frames=(fillers, {}, fillers))

    def abstract(self, verb: str) -> str | None:
        return f"the AGENT {verb} a ITEM at a PLACE"

    def noun(self, synset: str) -> str | None:
        return synset

    def foils(self) -> Iterator[FoiledCaption]:
        for number, text in enumerate(_TEXTS):
            for foil in (text, f"{text} x", "a dog", ""):
                yield FoiledCaption(
                    id=f"{number}-{foil}", image_id=str(number), caption=text, foil=foil, word=text, foil_word=foil
                )

    def scene(self, image_id: str) -> SceneGraph | None:
        return None

    def scenes(self) -> Iterator[SceneGraph]:
        return iter(())


@needs_wordnet
@pytest.mark.parametrize("test", FOIL_MAKERS)
def test_no_text_crashes_an_instrument(test: str, context: FoilingContext) -> None:
    funnel = Funnel(test)
    made = list(find_maker(test).make(context, funnel))
    assert funnel.kept == len(made)
    assert funnel.candidates == funnel.kept + sum(funnel.rejected.values())
    assert test.startswith("scene") or funnel.skipped or funnel.rejected
    for one in made:
        assert one.candidate.caption != one.candidate.foil
        assert one.candidate.foil.strip()


@pytest.fixture(scope="module")
def context() -> FoilingContext:
    return FoilingContext(source=_HostileSource(), language_model="none")
