"""Requirements and planning: what a run must meet, when it may stop early, and how many pairs a comparison needs.

Requirements are texts or files, or hold a run against a baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from falter.api.paths import PathOrStr, RunLike, as_run, as_runs
from falter.api.results import find_vqa_rule
from falter.core.errors import UsageError

if TYPE_CHECKING:
    from falter.data.suite import Suite
    from falter.evaluation.engine import StoppingRule
    from falter.evaluation.measures.planning import PairedRates
    from falter.evaluation.measures.requirements import Requirement
    from falter.evaluation.runs import Run, RunSettings, UntilSettings
    from falter.evaluation.runs.planning import GatePlans, PowerPlans

__all__ = ["find_until", "parse_alpha", "plan_gates", "power", "read_wanted", "stopping_rules"]


class Wanted(NamedTuple):
    """Requirements, with the baseline and the share that may be missing; None where nothing is said of them."""

    requirements: list[Requirement]
    baseline: RunLike | None
    allow_missing: float | None


def read_wanted(
    given: PathOrStr | Sequence[PathOrStr], baseline: RunLike | None = None, allow_missing: float | str | None = None
) -> Wanted:
    """Requirements given as texts and as YAML files; what is given besides takes the place of what a file says."""
    from falter.evaluation.measures.requirements import parse_requirement, parse_share, read_requirements

    wanted: list[Requirement] = []
    share = None if allow_missing is None else parse_share(str(allow_missing), "--allow-missing")
    for one in [given] if isinstance(given, str | PathLike) else given:
        if isinstance(one, str) and not _is_requirement_file(one):
            wanted.append(parse_requirement(one))
            continue
        file = read_requirements(Path(one))
        wanted += file.requirements
        baseline = file.baseline if baseline is None else baseline
        share = file.allow_missing if share is None else share
    return Wanted(wanted, baseline, share)


def _is_requirement_file(text: str) -> bool:
    """Whether a text names a file: a requirement has a comparison in it."""
    return text.endswith((".yaml", ".yml")) and not set(text) & set("<>=")


def parse_alpha(given: float | str) -> float:
    """A share such as 0.01 or 1%."""
    from falter.evaluation.measures.requirements import parse_share

    return parse_share(str(given), "--alpha")


def find_until(
    until: PathOrStr | Sequence[PathOrStr],
    *,
    baseline: RunLike | None,
    alpha: float | str,
    look_every: int,
    allow_missing: float | str | None,
) -> tuple[UntilSettings | None, list[Requirement], Run | None]:
    """When a run may stop early, by the requirements given; None where there are none."""
    from falter.evaluation.runs import UntilSettings

    wanted = read_wanted(until, baseline, allow_missing)
    if not wanted.requirements:
        if baseline is not None:
            raise UsageError("--baseline is what requirements refer to; pass --until REQUIREMENT with it")
        return None, [], None
    if baseline is not None and not any(one.baseline for one in wanted.requirements):
        raise UsageError(
            "no requirement of --until refers to --baseline; write one such as 'SUITE.TEST.acc>=baseline-2%', or "
            "leave it out"
        )
    opened = None if wanted.baseline is None else as_run(wanted.baseline)
    replies = (
        None if opened is None else opened.manifest.files.get("replies.parquet", opened.manifest.model.fingerprint)
    )
    settings = UntilSettings(
        requirements=tuple(one.text for one in wanted.requirements),
        alpha=parse_alpha(alpha),
        look_every=look_every,
        baseline=replies if any(one.baseline for one in wanted.requirements) else None,
        **({} if wanted.allow_missing is None else {"allow_missing": wanted.allow_missing}),
    )
    return settings, wanted.requirements, opened


def stopping_rules(
    suite: Suite, settings: RunSettings, requirements: Sequence[Requirement], baseline: Run | None
) -> Callable[[], StoppingRule]:
    """Makes the rule of a run that may stop early, a new one for every run; what cannot be required is said now."""
    from falter.evaluation.runs.value_checks import SuiteGate

    until = settings.until
    assert until is not None

    def make() -> SuiteGate:
        return SuiteGate.from_settings(suite, requirements, until, seed=settings.seed, baseline=baseline)

    first = [make()]
    return lambda: first.pop() if first else make()


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
    vqa_rule: str = "vqa-v2",
    subset: str | None = None,
    suite: PathOrStr | None = None,
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
        vqa_rule=vqa_rule,
        subset=subset,
        suite=suite,
    )
    replaced = [_replace(one, pairs_per_image, design_effect) for one in rates]
    return PowerPlans(plan_pairs(share, one, power=power, alpha=alpha) for one in replaced)


def plan_gates(
    pilot: RunLike | Iterable[RunLike] = (),
    *,
    margin: float,
    pairs: int | None = None,
    differences: Sequence[float] | None = None,
    alpha: float = 0.05,
    measure: str | None = None,
    accuracy: float | None = None,
    disagreement: float | None = None,
    vqa_rule: str = "vqa-v2",
    subset: str | None = None,
    suite: PathOrStr | None = None,
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
        vqa_rule=vqa_rule,
        subset=subset,
        suite=suite,
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
    vqa_rule: str,
    subset: str | None,
    suite: PathOrStr | None,
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
        found = pilot_rates(opened, detect, measure=measure, vqa_rule=find_vqa_rule(vqa_rule, opened), subset=subset)
        return [found if disagreement is None else _disagreeing(found, disagreement)]
    of_pilots = {"--measure": measure, "--subset": subset, "--suite": suite}
    of_pilots["--vqa-rule"] = None if find_vqa_rule(vqa_rule) == find_vqa_rule("vqa-v2") else vqa_rule
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
    import msgspec

    return msgspec.structs.replace(rates, disagreement=disagreement, origin=f"{rates.origin}; disagreement assumed")


def _replace(rates: PairedRates, pairs_per_image: float | None, design_effect: float | None) -> PairedRates:
    import msgspec

    for name, value in (("--pairs-per-image", pairs_per_image), ("--design-effect", design_effect)):
        if value is not None and value < 1:
            raise UsageError(f"{name} {value:g} is below 1")
    given = {"pairs_per_image": pairs_per_image, "design_effect": design_effect}
    return msgspec.structs.replace(rates, **{name: value for name, value in given.items() if value is not None})
