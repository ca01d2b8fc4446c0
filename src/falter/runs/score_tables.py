"""Tables of the scores of one or more runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from falter.errors import UsageError
from falter.measures import Group, Measure, Outcomes, VqaRule, count_answered, measures_for
from falter.measures.answer_notes import answer_notes
from falter.measures.counting import TOTALS
from falter.runs.anytime import tell_sampled
from falter.runs.results import RunName, RunScores, Scores
from falter.runs.scope import find_limit, scope_notes
from falter.runs.scoring import score_run
from falter.runs.store import Run

__all__ = ["measures_in", "name_runs", "score_runs"]


def score_runs(
    runs: Sequence[Run],
    *,
    by: str | Sequence[str] = (),
    measures: Sequence[str] | None = None,
    vqa_rule: VqaRule = "vqa-v2",
    subset: str | None = None,
    seed: int = 0,
    n_resamples: int = 1000,
    progress: Callable[[], None] = lambda: None,
) -> Scores:
    """The scores of runs as one table; ``measures`` keeps some measures only, all of which the printed table has."""
    facets = [by] if isinstance(by, str) else list(by)
    named = None if measures is None else [measures] if isinstance(measures, str) else list(measures)
    scored: list[RunScores] = []
    known: dict[str, None] = {}
    for run, name in zip(runs, name_runs(runs), strict=True):
        seen: list[Outcomes] = []
        found = score_run(
            run,
            by=facets,
            seed=seed,
            n_resamples=n_resamples,
            vqa_rule=vqa_rule,
            subset=subset,
            on_outcomes=seen.append,
            requested=named or (),
        )
        known.update(dict.fromkeys(one.measure for one in found))
        kept = tuple(one for one in found if named is None or one.measure in named)
        shard = None if run.shard is None else str(run.shard)
        sampled = run.sampled()
        limited = find_limit(run) is not None
        told = "" if sampled is None else tell_sampled(sampled, stopped=run.manifest.complete, limited=limited)
        answered = tuple(
            one for one in count_answered(found) if one.group.facet is None and one.group.test not in TOTALS
        )
        scored.append(
            RunScores(
                run=name.run,
                model=name.model,
                complete=run.manifest.complete,
                scores=kept,
                shard=shard,
                scope=tuple(scope_notes(run, subset)),
                answered=answered,
                sampled=told,
                answer_notes=tuple(note for one in seen for note in answer_notes(one)),
            )
        )
        progress()
    lacking = [name for name in named or () if name not in known]
    if lacking:
        raise UsageError(f"no run has the measure {lacking[0]!r:.60}; there are {', '.join(known) or 'none'}")
    groups = (one.group for each in scored for one in each.scores)
    own = measures_in(groups, named or ())
    return Scores.from_runs(scored, measures=own, seed=seed, by=facets, show_all=named is not None)


def name_runs(runs: Sequence[Run]) -> list[RunName]:
    """The models' names; where two are alike, the folder is added, and of equal folders what is above them.

    One model on several suites needs no folder: every suite has a table of its own.
    """
    names = [run.manifest.model.name for run in runs]
    alike = [sum(_would_be_mixed(run, other) for other in runs) > 0 for run in runs]
    for depth in range(1, max((len(run.folder.resolve().parts) for run in runs), default=0) + 1):
        tails = ["/".join(run.folder.resolve().parts[-depth:]) for run in runs]
        shown = [f"{name} ({tail})" if mixed else name for name, tail, mixed in zip(names, tails, alike, strict=True)]
        folders = {(one, run.folder.resolve()) for one, run, mixed in zip(shown, runs, alike, strict=True) if mixed}
        if len({one for one, _ in folders}) == len(folders):
            return [RunName(str(run.folder), one) for run, one in zip(runs, shown, strict=True)]
    return [RunName(str(run.folder), name) for run, name in zip(runs, names, strict=True)]


def _would_be_mixed(one: Run, other: Run) -> bool:
    """Whether two runs have one name and are not one model on two suites."""
    first, second = one.manifest, other.manifest
    if one is other or first.model.name != second.model.name:
        return False
    return first.suite.fingerprint == second.suite.fingerprint or first.model.fingerprint != second.model.fingerprint


def measures_in(groups: Iterable[Group], requested: Sequence[str] = ()) -> Sequence[Measure]:
    """Every measure of the suites of some groups, in the order of tables; with those that were asked for by name."""
    return measures_for(sorted({group.suite for group in groups}), requested)
