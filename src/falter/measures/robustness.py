"""Robustness to augmented data (Rosenberg et al., 2021): of what is answered correctly, how much stays correct."""

from __future__ import annotations

from falter.measures.measure import Measure
from falter.measures.outcomes.expressions import ANSWERS, PAIRED, correct, o, v

__all__ = ["RAD_BACKWARD", "RAD_FORWARD"]

_BOTH = correct(o) & correct(v)

RAD_FORWARD = Measure(
    name="rad_forward",
    title="RAD",
    description=(
        "Robustness to augmented data: of the pairs whose original is answered correctly, the share whose variant is "
        "too. There is none where no original is."
    ),
    grain="pair",
    where=ANSWERS & PAIRED,
    sums={"part": _BOTH, "n": correct(o)},
    higher_is_better=True,
    headline=True,
    on_request=True,
    signature_parts=("correct:above-half",),
)

RAD_BACKWARD = Measure(
    name="rad_backward",
    title="RAD backward",
    description=(
        "The same the other way round: of the pairs whose variant is answered correctly, the share whose original is "
        "too."
    ),
    grain="pair",
    where=ANSWERS & PAIRED,
    sums={"part": _BOTH, "n": correct(v)},
    higher_is_better=True,
    on_request=True,
    signature_parts=("correct:above-half",),
)
