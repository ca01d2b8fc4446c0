"""What text-only baselines reach on captions and foils: words, length, common sense and language models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falter.inspection.adversarial_filter import preferred
from falter.inspection.blind_foils import FoilPair, rank_by_length, rank_captions
from falter.inspection.blind_result import FLAG, BlindCheck, ScorerCheck
from falter.inspection.blind_sample import FOILS
from falter.inspection.changed_words import differ_one_way
from falter.inspection.common_sense_check import CommonSenseBaseline, CommonSenseCheck, SensedQuestion
from falter.inspection.conditional_logit import Floats, Ints, split_images, wilson

__all__ = ["FEWEST_PAIRS", "check_pairs", "has_enough"]

FEWEST_PAIRS = 50
_COIN = 0.5


def has_enough(pairs: Sequence[FoilPair], folds: int) -> bool:
    """Whether there are pairs and images enough for a check."""
    return len(pairs) >= FEWEST_PAIRS and len({pair.group for pair in pairs}) >= folds


def check_pairs(
    test: str,
    pairs: Sequence[FoilPair],
    sense: CommonSenseBaseline | None,
    gaps: dict[str, Floats],
    *,
    folds: int = 3,
    sampled_from: int | None = None,
    seed: int = 0,
) -> BlindCheck:
    """Check the pairs of one test; ``gaps`` are those of language models, by name, a value per pair."""
    fold_of = split_images([pair.group for pair in pairs], folds)
    common = _check_sense(pairs, sense, fold_of)
    words = wilson(rank_captions(pairs, fold_of), len(pairs))
    length = wilson(rank_by_length(pairs, fold_of), len(pairs))
    scorers = {"length": ScorerCheck(accuracy=length.value, low=length.low, high=length.high)}
    scorers |= {name: _check_gaps(gap) for name, gap in gaps.items()}
    reached = {"n-grams": words.value, **{name: one.accuracy for name, one in scorers.items()}}
    if not isinstance(common, str):
        reached["common sense"] = common.accuracy
    best = max(reached, key=lambda name: reached[name])
    flagged = reached[best] > FLAG
    return BlindCheck(
        test=test,
        questions=FOILS,
        baseline="regression",
        items=len(pairs),
        accuracy=words.value,
        low=words.low,
        high=words.high,
        majority=_COIN,
        baselines={"regression": words.value},
        sampled_from=len(pairs) if sampled_from is None else sampled_from,
        seed=seed,
        chance=_COIN,
        common_sense=None if isinstance(common, str) else common,
        common_sense_reason=common if isinstance(common, str) else "",
        scorers=scorers,
        flagged=flagged,
        solved_by=best if flagged else "",
        one_way=differ_one_way(pairs),
    )


def _check_sense(pairs: Sequence[FoilPair], sense: CommonSenseBaseline | None, fold_of: Ints) -> CommonSenseCheck | str:
    if sense is None:
        return "pairs were chosen by it"
    said = [sense.reader.of_texts((pair.caption, pair.foil)) for pair in pairs]
    asked = [SensedQuestion(claims, 0, pair.group) for claims, pair in zip(said, pairs, strict=True)]
    return sense.check_options(asked, fold_of)


def _check_gaps(gaps: Floats) -> ScorerCheck:
    share = wilson(preferred(gaps) * len(gaps), len(gaps))
    first, middle, last = (float(one) for one in np.quantile(gaps, (0.25, 0.5, 0.75)))
    return ScorerCheck(
        accuracy=share.value,
        low=share.low,
        high=share.high,
        mean_gap=float(np.mean(gaps)),
        gap_quartiles=(first, middle, last),
    )
