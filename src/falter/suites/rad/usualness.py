"""How usual an answer is for what is asked about, in steps, so that common sense does not tell yes from no."""

from __future__ import annotations

from math import log, log2

from falter.authoring.balance import SCALE
from falter.suites.rad.answer_pool import PRIOR, AnswerPool
from falter.suites.rad.said_elsewhere import images_with, said_of

__all__ = ["usualness"]

_STEPS = 3


def usualness(pool: AnswerPool, subject: str, answer: str, *, given: bool) -> tuple[str, ...]:
    """Features of an answer about a subject, by the answers of the source and by what is said of other images.

    ``given`` says that it was the answer to the question itself, which counts half.
    """
    said, in_all = said_of(pool.noun(subject), answer)
    seen = pool.count(subject, answer, given=given)
    expected = pool.share(answer)
    rate = (seen.answers + said + PRIOR * expected) / (seen.in_all + in_all + PRIOR)
    lift = f"{SCALE}lift:{round(_STEPS * log(rate / expected))}" if expected and rate > 0 else f"{SCALE}lift:none"
    # What tells most weighs most.
    found = (lift, lift, f"{SCALE}often:{round(log2(1 + said + seen.answers))}")
    images = images_with(answer)
    return found if images is None else (*found, f"{SCALE}common:{round(log2(1 + images))}")
