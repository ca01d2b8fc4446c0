"""``falter.plan``: how many pairs a comparison needs, and how many a gate asks before it stops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Unpack

import msgspec

from falter.api.paths import PathOrStr, RunLike, as_runs
from falter.api.results import read_run_options
from falter.core.errors import UsageError
from falter.evaluation.score_options import PLAIN, PairOptions

if TYPE_CHECKING:
    from falter.evaluation.measures.planning import PairedRates
    from falter.evaluation.runs.planning import GatePlans, PowerPlans

_USUAL = (0.1, 0.2, 0.3, 0.4)
"""How often two models disagree, where nothing is known."""


def power(
    pilot: RunLike | Iterable[RunLike] = (),
    *,
    detect: float,
    power: float = 0.8,
    alpha: float = 0.05,
    measure: str | None = None,
    accuracy: float | None = None,
    disagreement: float | None = None,
    pairs_per_image: float | None = None,
    design_effect: float | None = None,
    suite: PathOrStr | None = None,
    **options: Unpack[PairOptions],
) -> PowerPlans:
    """How many pairs a comparison needs to find a difference of ``detect`` points (2 is 2 points).

    The rates come from one or two pilot runs, from an assumed ``accuracy`` (0.7; errors are then independent) or an
    assumed ``disagreement`` (0.2: the models differ on a fifth of the pairs); without any, plans for several.
    """
    from falter.evaluation.measures.planning import plan_pairs
    from falter.evaluation.runs.planning import PowerPlans

    share = detect / 100
    rates = _rates(
        pilot,
        share,
        measure=measure,
        accuracy=accuracy,
        disagreement=disagreement,
        suite=suite,
        options=options,
    )
    replaced = [_replace(one, pairs_per_image, design_effect) for one in rates]
    return PowerPlans(plan_pairs(share, one, power=power, alpha=alpha) for one in replaced)


def gates(
    pilot: RunLike | Iterable[RunLike] = (),
    *,
    margin: float,
    pairs: int | None = None,
    differences: Sequence[float] | None = None,
    alpha: float = 0.05,
    measure: str | None = None,
    accuracy: float | None = None,
    disagreement: float | None = None,
    suite: PathOrStr | None = None,
    **options: Unpack[PairOptions],
) -> GatePlans:
    """How many pairs ``falter run --until ...>=baseline-MARGIN`` asks, as a distribution.

    ``margin`` and ``differences`` are in points: by how much the model may be worse, and how far it truly is from the
    baseline (by default several). ``pairs`` is the size of the suite, by default that of the pilot.
    """
    from falter.evaluation.measures.planning import plan_gate
    from falter.evaluation.runs.planning import GatePlans
    from falter.evaluation.runs.scoring import outcomes_of_run

    share = margin / 100
    runs: list[RunLike] = [*pilot] if isinstance(pilot, Iterable) and not isinstance(pilot, str) else [pilot]
    rates = _rates(
        runs,
        max(abs(share), 0.01),
        measure=measure,
        accuracy=accuracy,
        disagreement=disagreement,
        suite=suite,
        options=options,
    )
    if pairs is None:
        if not runs:
            raise UsageError("a gate is planned for a suite of some size; pass --pairs N or a pilot run")
        pairs = len(outcomes_of_run(as_runs(runs, suite)[0]).pairs)
    given = (
        [-2 * share, -share, -share / 2, 0.0, share, 2 * share]
        if differences is None
        else [one / 100 for one in differences]
    )
    return GatePlans(
        plan_gate(one, margin=share, difference=each, pairs=pairs, alpha=alpha)
        for one in rates
        for each in dict.fromkeys(given)
        if differences is not None or abs(each) <= one.disagreement
    )


def _rates(
    pilot: RunLike | Iterable[RunLike],
    detect: float,
    *,
    measure: str | None,
    accuracy: float | None,
    disagreement: float | None,
    suite: PathOrStr | None,
    options: PairOptions,
) -> list[PairedRates]:
    from falter.evaluation.measures.planning import PairedRates
    from falter.evaluation.runs.planning import independent_disagreement, pilot_rates

    if accuracy is not None and disagreement is not None:
        raise UsageError("give --accuracy or --disagreement, not both")
    for name, value in (("--accuracy", accuracy), ("--disagreement", disagreement)):
        if value is not None and not 0 < value < 1:
            raise UsageError(f"{name} {value:g} is not a share above 0 and below 1")
    runs: list[RunLike] = [*pilot] if isinstance(pilot, Iterable) and not isinstance(pilot, str) else [pilot]
    if runs:
        if accuracy is not None:
            raise UsageError("a pilot run has an accuracy of its own; leave out --accuracy or the run")
        opened = as_runs(runs, suite)
        chosen = read_run_options(options, opened, PairOptions)
        found = pilot_rates(opened, detect, chosen if measure is None else chosen.replace(measures=(measure,)))
        return [found if disagreement is None else _disagreeing(found, disagreement)]
    chosen = read_run_options(options, (), PairOptions)
    of_pilots = {"--measure": measure, "--subset": chosen.subset, "--suite": suite}
    of_pilots["--vqa-rule"] = None if chosen.vqa_rule == PLAIN.vqa_rule else chosen.vqa_rule
    for option, given in of_pilots.items():
        if given is not None:
            raise UsageError(f"{option} has no effect without a pilot run; give one, or leave {option} out")
    if disagreement is not None:
        return [PairedRates(disagreement=disagreement)]
    if accuracy is not None:
        independent = independent_disagreement(accuracy, detect)
        return [PairedRates(disagreement=independent, origin=f"accuracy {100 * accuracy:g} %, errors independent")]
    usual = [PairedRates(disagreement=one) for one in _USUAL if one >= detect]
    return usual or [PairedRates(disagreement=min(1.0, 2 * detect))]


def _disagreeing(rates: PairedRates, disagreement: float) -> PairedRates:
    return msgspec.structs.replace(rates, disagreement=disagreement, origin=f"{rates.origin}; disagreement assumed")


def _replace(rates: PairedRates, pairs_per_image: float | None, design_effect: float | None) -> PairedRates:
    for name, value in (("--pairs-per-image", pairs_per_image), ("--design-effect", design_effect)):
        if value is not None and value < 1:
            raise UsageError(f"{name} {value:g} is below 1")
    given = {"pairs_per_image": pairs_per_image, "design_effect": design_effect}
    return msgspec.structs.replace(rates, **{name: value for name, value in given.items() if value is not None})
