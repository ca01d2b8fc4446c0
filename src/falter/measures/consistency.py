"""Accuracy and consistency over pairs, by the formulas of CARETS (Section 5.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from falter.measures.cells import Bools, Cells, Floats, SetCells
from falter.measures.foils import MATCHES, NEEDS_PROBABILITY, PREFERENCE
from falter.measures.measure import ANSWERS, EVERY_EXPECTATION, Ratio, Tally, Unit

__all__ = [
    "ACC",
    "ACC_ORIGINAL",
    "ACC_PERTURBED",
    "CONS",
    "CONS_INDEPENDENT",
    "CONS_STRICT",
    "C_ACC",
    "ConsistencyOfIndependentAnswers",
]

TIED = frozenset({"same", "different"})


def _kept(cells: Cells) -> Floats:
    return cells.kept.astype(np.float64)


def _share(flag: Bools, cells: Cells) -> Floats:
    return (flag & cells.kept).astype(np.float64)


ACC = Ratio(
    name="acc",
    title="ACC",
    meaning=(
        "Accuracy: the share of right answers over both questions of every pair, so that an original with V variants "
        "counts V times. An unparsed reply is wrong. Where several people answered, an answer is right when its VQA "
        "accuracy is above one half. Where texts are matched, the share of captions taken for a match and of foils "
        "taken for none, by the probability's threshold of one half or by yes and no."
    ),
    part=lambda cells: _share(cells.original.right, cells) + _share(cells.variant.right, cells),
    whole=lambda cells: _share(cells.original.judged, cells) + _share(cells.variant.judged, cells),
    tasks=ANSWERS | MATCHES,
    expects=EVERY_EXPECTATION | PREFERENCE,
    needs=NEEDS_PROBABILITY,
)

ACC_ORIGINAL = Ratio(
    name="acc_original",
    title="ACC orig.",
    meaning="The share of pairs whose original question is answered rightly.",
    part=lambda cells: _share(cells.original.right, cells),
    whole=_kept,
)

ACC_PERTURBED = Ratio(
    name="acc_perturbed",
    title="ACC pert.",
    meaning="The share of pairs whose variant is answered rightly.",
    part=lambda cells: _share(cells.variant.right, cells),
    whole=_kept,
)

CONS = Ratio(
    name="cons",
    title="CONS",
    meaning=(
        "Self-consistency by the paper's formula: the share of pairs whose two answers are equal where they should be, "
        "or differ where they should. Right answers play no part in it, nor do the choices; a pair with an unparsed "
        "reply is not consistent, for nothing was said that could be."
    ),
    part=lambda cells: _share(cells.consistent, cells),
    whole=_kept,
    expects=TIED,
)

CONS_STRICT = Ratio(
    name="cons_strict",
    title="CONS strict",
    meaning=(
        "Self-consistency of pairs whose two answers are also both among the choices: an answer from off the list "
        "differs from everything, and does not pass for consistent because of it."
    ),
    part=lambda cells: _share(cells.consistent & cells.original.listed & cells.variant.listed, cells),
    whole=_kept,
    expects=TIED,
)

C_ACC = Ratio(
    name="c_acc",
    title="C-ACC",
    meaning="Comprehensive accuracy: the share of pairs in which both questions are answered rightly.",
    part=lambda cells: _share(cells.both_right, cells),
    whole=_kept,
)


class _Stratum(NamedTuple):
    expects: str
    choices: int


@dataclass(frozen=True)
class ConsistencyOfIndependentAnswers:
    """CONS as it would be if the two answers of a pair had nothing to do with each other."""

    name: str = "cons_independent"
    title: str = "CONS indep."
    meaning: str = (
        "The CONS that two independent answers of these accuracies would have. Pairs are taken by number of choices k; "
        "within each, the original is right with probability r1 and names a wrong choice with probability w1, the "
        "variant likewise r2 and w2, wrong choices being equally likely, answers off the list equal to nothing, and a "
        "reply unparsed with probability u1 or u2. Two answers then agree with probability r1 r2 + w1 w2 / (k - 1) "
        "where the right answers are the same; where they differ, with probability (r1 w2 + w1 r2) / (k - 1) + "
        "w1 w2 (k - 2) / (k - 1)^2, and the answers differ with (1 - u1)(1 - u2) less that. For yes/no questions "
        "both are r1 r2 + w1 w2. The mean over the pairs of all k; open questions and pairs whose two questions "
        "differ in k are left out."
    )
    unit: Unit = "pair"
    tasks: frozenset[str] = ANSWERS
    expects: frozenset[str] = TIED

    def tally(self, cells: Cells | SetCells) -> Tally | None:
        """Seven sums a stratum: pairs, then right, wrong among the choices, and unparsed, of either side."""
        assert isinstance(cells, Cells)
        comparable = (cells.original.choices == cells.variant.choices) & (cells.original.choices > 1)
        strata = sorted(
            {
                _Stratum(str(expects), int(choices))
                for expects, choices in zip(cells.expects[comparable], cells.original.choices[comparable], strict=True)
            }
        )
        if not strata:
            return None
        adds = [
            np.where(member[:, None], _pair_and_sides(cells), 0.0)
            for stratum in strata
            for member in [
                comparable & (cells.expects == stratum.expects) & (cells.original.choices == stratum.choices)
            ]
        ]

        def value(sums: Floats) -> Floats:
            by_stratum = sums.reshape(*sums.shape[:-1], len(strata), _SUMS)
            agreed = np.zeros(sums.shape[:-1])
            for number, stratum in enumerate(strata):
                agreed = agreed + by_stratum[..., number, 0] * _expected(by_stratum[..., number, :], stratum)
            n = size(sums)
            return np.asarray(np.divide(agreed, n, out=np.full(np.shape(n), np.nan), where=n > 0))

        def size(sums: Floats) -> Floats:
            return np.asarray(sums[..., ::_SUMS].sum(axis=-1))

        return Tally(np.concatenate(adds, axis=1), value, size)


_SUMS = 7


def _pair_and_sides(cells: Cells) -> Floats:
    columns = [cells.kept]
    for side in (cells.original, cells.variant):
        columns += [cells.kept & side.right, cells.kept & side.is_("wrong"), cells.kept & side.is_("unparsed")]
    return np.stack(columns, axis=1).astype(np.float64)


def _expected(sums: Floats, stratum: _Stratum) -> Floats:
    n = np.maximum(sums[..., 0], 1)
    right1, wrong1, unparsed1, right2, wrong2, unparsed2 = (sums[..., 1 + column] / n for column in range(6))
    others = stratum.choices - 1
    if stratum.expects == "same":
        return np.asarray(right1 * right2 + wrong1 * wrong2 / others)
    agree = (right1 * wrong2 + wrong1 * right2) / others + wrong1 * wrong2 * (others - 1) / others**2
    return np.asarray((1 - unparsed1) * (1 - unparsed2) - agree)


CONS_INDEPENDENT = ConsistencyOfIndependentAnswers()
