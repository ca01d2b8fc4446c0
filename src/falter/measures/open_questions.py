"""Single open questions by two rules: the benchmark's official one, and one that reads as a careful person would."""

from __future__ import annotations

import polars as pl

from falter.answers.open_answers import CAREFUL_VERSION
from falter.measures.measure import Measure
from falter.measures.outcomes.expressions import ONE, PAIRED, judged, o

__all__ = ["ACC_CAREFUL", "ACC_OFFICIAL", "RULES_DIFFER"]

_OPEN = o("open").fill_null(False) & ~PAIRED
_COUNTS = judged(o).cast(pl.Float64)

ACC_OFFICIAL = Measure(
    name="acc_official",
    title="official",
    description=(
        "Accuracy over single open questions by the benchmark's official rule: the answer that the reply gives is the "
        "gold answer letter by letter in lower case; where several humans answered, the official VQA accuracy."
    ),
    grain="pair",
    where=_OPEN,
    sums={"part": _COUNTS * o("official"), "n": _COUNTS},
    higher_is_better=True,
    headline=True,
    shown="when it counts",
    signature_parts=("open:official",),
)

ACC_CAREFUL = Measure(
    name="acc_careful",
    title="careful",
    description=(
        "Accuracy over single open questions as a careful person would judge, who reads question, gold answer and "
        "reply: case, articles, number, wrapping, filler words, spelled numbers, British and American spelling, "
        "synonyms and answers that imply yes or no do not matter; a hedge, two answers at once and another thing that "
        "shares a word are incorrect. Where several humans answered, the VQA accuracy over the answers so compared."
    ),
    grain="pair",
    where=_OPEN,
    sums={"part": _COUNTS * o("careful"), "n": _COUNTS},
    higher_is_better=True,
    headline=True,
    shown="when it counts",
    signature_parts=(f"open:{CAREFUL_VERSION}",),
)

RULES_DIFFER = Measure(
    name="rules_differ",
    title="rules differ",
    description=(
        "Replies to single open questions that the official and the careful rule judge differently; falter "
        "open-answers lists them."
    ),
    grain="pair",
    where=_OPEN,
    sums={"part": o("official") != o("careful"), "n": ONE},
    scale="count",
    shown=_OPEN,
)
