"""Captions against foils: measures over pairs of texts of which the first fits the picture (VALSE, Appendix B)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from falter.measures.cells import Bools, Cells, Floats, SetCells
from falter.measures.measure import Ratio, Tally, Unit

__all__ = ["ACC_R", "MATCHES", "MIN_PC_PF", "NEEDS_PROBABILITY", "PREFERENCE", "P_C", "P_F", "LowerRecall"]

MATCHES = frozenset({"match"})
PREFERENCE = frozenset({"prefer"})
NEEDS_PROBABILITY = "the scores are no probabilities, so no threshold can be laid on them"


def _share(flag: Callable[[Cells], Bools]) -> Callable[[Cells], Floats]:
    """1 for every kept pair of which the flag holds."""
    return lambda cells: (flag(cells) & cells.kept).astype(np.float64)


ACC_R = Ratio(
    name="acc_r",
    title="acc_r",
    meaning=(
        "Pairwise ranking accuracy: the share of pairs whose caption scores strictly above its foil. A tie is not won, "
        "and is counted under ties; a pair with an unparsed reply is lost. A reply of yes or no without a score ranks "
        "as 1 or 0."
    ),
    part=_share(lambda cells: cells.won),
    whole=lambda cells: cells.kept.astype(np.float64),
    tasks=MATCHES,
    expects=PREFERENCE,
)

P_C = Ratio(
    name="p_c",
    title="p_c",
    meaning=(
        "The share of captions taken for a match (a probability above one half, or yes). The paper calls it precision; "
        "by its formula and its figures it is the recall of captions. A model that always sees a match has 100 here."
    ),
    part=_share(lambda cells: cells.original.right),
    whole=_share(lambda cells: cells.original.judged),
    tasks=MATCHES,
    expects=PREFERENCE,
    needs=NEEDS_PROBABILITY,
)

P_F = Ratio(
    name="p_f",
    title="p_f",
    meaning="The share of foils taken for no match (a probability of at most one half, or no): the recall of foils.",
    part=_share(lambda cells: cells.variant.right),
    whole=_share(lambda cells: cells.variant.judged),
    tasks=MATCHES,
    expects=PREFERENCE,
    needs=NEEDS_PROBABILITY,
)


@dataclass(frozen=True, kw_only=True)
class LowerRecall:
    """The smaller of the shares of captions and of foils that are told rightly."""

    name: str = "min_pc_pf"
    title: str = "min(p_c, p_f)"
    meaning: str = (
        "The smaller of p_c and p_f: a model that says match to everything, or to nothing, has 0. A mean over tests is "
        "the mean of the tests' minima."
    )
    unit: Unit = "pair"
    tasks: frozenset[str] = MATCHES
    expects: frozenset[str] = PREFERENCE
    needs: str = NEEDS_PROBABILITY

    def tally(self, cells: Cells | SetCells) -> Tally | None:
        """Four sums: captions told rightly and captions judged, then the same of foils."""
        assert isinstance(cells, Cells)
        adds = [measure(cells) for one in (P_C, P_F) for measure in (one.part, one.whole)]
        return Tally(np.stack(adds, axis=1), _smaller_share, lambda sums: np.asarray(sums[..., 1] + sums[..., 3]))


def _smaller_share(sums: Floats) -> Floats:
    part, whole = sums[..., 0::2], sums[..., 1::2]
    shares = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)
    return np.asarray(shares.min(axis=-1))


MIN_PC_PF = LowerRecall()
