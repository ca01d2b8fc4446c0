"""The options of RAD."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

_TRANSLATED = ("--test back-translation",)


class RadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter generate rad``."""

    draw: Annotated[
        Literal["matched", "frequency"],
        Meta(
            description="How the answer of a no question is drawn: by frequency among answers to questions about the "
            "same subject, so that words alone do not tell (matched), or by frequency among all answers of the "
            "augmentation, as in the paper (frequency)."
        ),
    ] = "matched"
    labels: Annotated[
        Literal["strict", "paper"],
        Meta(
            description="Which labels are trusted: those of an answer with at least 3 votes, and no only for what "
            "none of the humans said in other words (strict), or every majority answer and every other one (paper)."
        ),
    ] = "strict"
    exactly: Annotated[
        bool, Meta(description='Ask for "exactly two dogs", not for "two dogs", which three dogs are too.')
    ] = False
    per_question: Annotated[
        int,
        Meta(ge=1, description="Pairs of each question: more than one ask for further answers, or in further ways."),
    ] = 1
    forward_model: Annotated[
        str,
        Meta(
            description="Marian model for the test back-translation, into the other language: a folder, or an id on "
            "the hub.",
            extra={"metavar": "MODEL", "needs": _TRANSLATED},
        ),
    ] = "Helsinki-NLP/opus-mt-en-de"
    backward_model: Annotated[
        str,
        Meta(
            description="Marian model that translates back into English.",
            extra={"metavar": "MODEL", "needs": _TRANSLATED},
        ),
    ] = "Helsinki-NLP/opus-mt-de-en"
    num_beams: Annotated[
        int, Meta(ge=1, description="Beams of the translation; 1 is greedy.", extra={"needs": _TRANSLATED})
    ] = 4
    num_choices: Annotated[
        int,
        Meta(
            ge=2,
            le=6,
            description="Answers that the tests with -choice offer, of which one is right.",
            extra={"needs": ("--test *-choice",)},
        ),
    ] = 2
