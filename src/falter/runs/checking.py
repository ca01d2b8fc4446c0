"""A run on disk against requirements, some of them relative to another run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from falter.errors import UsageError
from falter.measures.catalogue import measures_for, summaries_for
from falter.measures.comparisons import compare_paired
from falter.measures.measure import Measure
from falter.measures.outcomes import Outcomes, VqaRule
from falter.measures.paired import PairedRuns
from falter.measures.requirements import CheckResult, Requirement, check_requirement, facets_required
from falter.measures.results import MOST_EXCLUDED, Comparison, Group, Score
from falter.measures.scoring import ScoringSettings
from falter.measures.units import AnsweredUnits, count_units
from falter.runs.scoring import anytime_revision, pair_runs, score_run
from falter.runs.store import Run

__all__ = ["check_run"]

_Units = Mapping[tuple[Group, str], AnsweredUnits]


def check_run(
    run: Run,
    requirements: Sequence[Requirement],
    *,
    baseline: Run | None = None,
    allow_missing: float = MOST_EXCLUDED,
    seed: int = 0,
    vqa_rule: VqaRule = "vqa-v2",
    subset: str | None = None,
) -> list[CheckResult]:
    """Check every requirement; a run that lacks more answers than the share ``allow_missing`` meets none of them."""
    relative = [one for one in requirements if one.baseline]
    if relative and baseline is None:
        raise UsageError(f"the requirement {relative[0].text!r} needs a run to compare with; pass --baseline RUN")
    by = facets_required(requirements)
    kept: list[Outcomes] = []
    named = {one.measure for one in requirements}
    scores = score_run(
        run, by=by, seed=seed, vqa_rule=vqa_rule, subset=subset, on_outcomes=kept.append, requested=named
    )
    units: _Units = {}
    if kept:
        suites = _suites(scores)
        alone = PairedRuns(kept, _measures(suites, requirements), summaries_for(suites), by, ScoringSettings())
        units = count_units(alone)
    shared_units: _Units = {}
    comparisons: list[Comparison] = []
    if relative and baseline is not None:
        both = pair_runs(
            (baseline, run),
            by=facets_required(relative),
            measures=_measures(_suites(scores), relative),
            seed=seed,
            vqa_rule=vqa_rule,
            subset=subset,
        )
        revise = None
        if run.sampled() is not None or baseline.sampled() is not None:
            revise = anytime_revision(
                (baseline, run),
                by=facets_required(relative),
                measures=_measures(_suites(scores), relative),
                vqa_rule=vqa_rule,
                subset=subset,
            )
        comparisons, shared_units = compare_paired(both, revise).comparisons, count_units(both)
    return [
        check_requirement(
            one,
            scores,
            units=shared_units if one.baseline else units,
            comparisons=comparisons,
            allow_missing=allow_missing,
        )
        for one in requirements
    ]


def _suites(scores: Sequence[Score]) -> list[str]:
    return sorted({score.group.suite for score in scores})


def _measures(suites: Sequence[str], requirements: Sequence[Requirement]) -> list[Measure]:
    """The measures of the suites that requirements name."""
    named = {one.measure for one in requirements}
    return [measure for measure in measures_for(suites, named) if measure.name in named]
