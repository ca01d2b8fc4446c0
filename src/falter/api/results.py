"""Scores, comparisons and checks of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, RunLike, as_run, as_runs
from falter.core.errors import UsageError

if TYPE_CHECKING:
    from falter.evaluation.measures import VqaRule
    from falter.evaluation.runs import Run
    from falter.evaluation.runs.checks import CheckResults
    from falter.evaluation.runs.comparison_tables import Comparisons, ImageAblations, Overlaps, PromptSpreads
    from falter.evaluation.runs.controlled_scores import ControlledScores
    from falter.evaluation.runs.open_answers import OpenAnswers
    from falter.evaluation.runs.rankings import ModelRanking
    from falter.evaluation.runs.score_tables import Scores

__all__ = [
    "check",
    "checks_to_junit",
    "compare",
    "estimate",
    "find_vqa_rule",
    "image_ablations",
    "open_answers",
    "overlap",
    "prompt_spreads",
    "score",
]


def score(
    runs: RunLike | Iterable[RunLike],
    *,
    by: str | Sequence[str] = (),
    measures: Sequence[str] | None = None,
    vqa_rule: str = "vqa-v2",
    subset: str | None = None,
    seed: int = 0,
    n_resamples: int = 1000,
    suite: PathOrStr | None = None,
    progress: Callable[[], None] | None = None,
) -> Scores:
    """Score one or more runs, with 95 % intervals over images.

    ``by`` names facets to break scores down by; ``measures`` keeps some measures only; ``n_resamples=0`` computes no
    intervals. Runs of one model with and without its images, or under several prompts, are also compared.
    """
    from falter.evaluation.runs.score_tables import score_runs

    opened = as_runs(runs, suite)
    scores = score_runs(
        opened,
        by=by,
        measures=measures,
        vqa_rule=find_vqa_rule(vqa_rule, opened),
        subset=subset,
        seed=seed,
        n_resamples=n_resamples,
        progress=progress or (lambda: None),
    )
    if measures is None and len(opened) > 1:
        scores.ablations = tuple(image_ablations(opened, vqa_rule=vqa_rule, subset=subset, seed=seed))
        scores.spreads = tuple(prompt_spreads(opened, vqa_rule=vqa_rule, subset=subset, seed=seed))
        if n_resamples:
            scores.rankings = tuple(_main_rankings(opened, vqa_rule=vqa_rule, subset=subset, seed=seed))
    return scores


def _main_rankings(
    runs: Sequence[Run], *, vqa_rule: str, subset: str | None, seed: int
) -> Iterator[tuple[list[str], ModelRanking]]:
    """For every suite with several runs their ranking by the main figure: over all tests, or of the only one."""
    from falter.data.items import OVERALL
    from falter.evaluation.measures.counting import MICRO
    from falter.evaluation.runs.rankings import rank_runs, runs_by_suite
    from falter.evaluation.runs.score_tables import name_runs

    names = [one.model for one in name_runs(runs)]
    for numbers in runs_by_suite(runs):
        if len(numbers) < 2:
            continue
        own = [runs[number] for number in numbers]
        found = rank_runs(own, measures=["acc_r", "acc"], seed=seed, vqa_rule=find_vqa_rule(vqa_rule), subset=subset)
        tests = {one.group for one in found}
        whole = [one for one in found if one.group.test in (OVERALL, MICRO) or len(tests) == 1]
        if whole:
            yield [names[number] for number in numbers], min(whole, key=lambda one: one.measure != "acc_r")


def compare(
    first: RunLike,
    second: RunLike,
    *,
    by: str | Sequence[str] = (),
    measures: Sequence[str] | None = None,
    vqa_rule: str = "vqa-v2",
    subset: str | None = None,
    seed: int = 0,
    suite: PathOrStr | None = None,
    anytime: bool = False,
) -> Comparisons:
    """Compare two runs over the pairs that both answered: McNemar exact, paired intervals, Holm over the table.

    With ``anytime``, intervals and p-values hold however often one looks at runs that grow; a run that asked a part in
    random order has no others.
    """
    from falter.evaluation.runs.comparison_tables import Comparisons
    from falter.evaluation.runs.score_tables import measures_in, name_runs
    from falter.evaluation.runs.scored_items import find_limit, scope_notes
    from falter.evaluation.runs.scoring import compare_runs, turned_differences

    runs = [as_run(first, suite), as_run(second, suite)]
    facets = [by] if isinstance(by, str) else list(by)
    found = compare_runs(
        *runs,
        by=facets,
        measures=measures,
        seed=seed,
        vqa_rule=find_vqa_rule(vqa_rule, runs),
        subset=subset,
        anytime=anytime,
    )
    names = measures_in(one.group for one in found.tests)
    told = ""
    if any(run.sampled() is not None for run in runs):
        limited = any(find_limit(run) is not None for run in runs)
        told = "over the probes of the limit" if limited else "over the whole suite"
    elif anytime:
        told = "for pairs like these, image by image"
    own_names = name_runs(runs)
    titles = {measure.name: measure.title for measure in names}
    turned = [] if told else turned_differences(*runs, by=facets, vqa_rule=find_vqa_rule(vqa_rule), subset=subset)
    called = [one.model for one in own_names]
    mixed = [one.in_words(called, titles.get(one.measure, one.measure)) for one in turned]
    return Comparisons(
        found.comparisons,
        runs=own_names,
        measures=names,
        tests=found.tests,
        warnings=mixed,
        anytime=told,
        scope=list(dict.fromkeys(line for run in runs for line in scope_notes(run, subset))),
    )


def estimate(
    run: RunLike,
    helpers: RunLike | Iterable[RunLike],
    *,
    by: str | Sequence[str] = (),
    measures: Sequence[str] | None = None,
    vqa_rule: str = "vqa-v2",
    subset: str | None = None,
    suite: PathOrStr | None = None,
) -> ControlledScores:
    """The scores over the whole suite of a run that asked a sample of it, made more exact by stored runs.

    ``helpers`` are complete runs of other models on the same suite: what they replied and the facets predict what was
    not asked, and the sample corrects the predictions, so that intervals hold whatever the helpers are worth.
    """
    from falter.evaluation.runs.controlled_scores import controlled_scores

    opened = as_run(run, suite)
    return controlled_scores(
        opened,
        [one for one in as_runs(helpers, suite) if one.folder.resolve() != opened.folder.resolve()],
        by=[by] if isinstance(by, str) else list(by),
        measures=measures,
        vqa_rule=find_vqa_rule(vqa_rule, [opened]),
        subset=subset,
    )


def overlap(
    runs: Iterable[RunLike], *, vqa_rule: str = "vqa-v2", subset: str | None = None, suite: PathOrStr | None = None
) -> Overlaps:
    """For every two runs of one suite, the share of one's correct answers that the other gives as well."""
    from falter.evaluation.runs.comparison_tables import Overlaps
    from falter.evaluation.runs.score_tables import name_runs
    from falter.evaluation.runs.scoring import overlap_runs

    opened = as_runs(runs, suite)
    found = overlap_runs(opened, vqa_rule=find_vqa_rule(vqa_rule, opened), subset=subset)
    return Overlaps(found, runs=name_runs(opened))


def open_answers(runs: RunLike | Iterable[RunLike], *, suite: PathOrStr | None = None) -> OpenAnswers:
    """Every reply to a single open question, judged by the official and by the careful rule.

    ``differing()`` keeps those on which the rules differ, ``turned_orders()`` names the pairs of models whose order
    depends on the rule, and ``to_csv(path)`` writes a file.
    """
    from falter.evaluation.runs.open_answers import OpenAnswers, open_answers_of_run
    from falter.evaluation.runs.score_tables import name_runs

    opened = as_runs(runs, suite)
    names = [one.model for one in name_runs(opened)]
    return OpenAnswers(one for run, name in zip(opened, names, strict=True) for one in open_answers_of_run(run, name))


def image_ablations(
    runs: Iterable[RunLike],
    *,
    vqa_rule: str = "vqa-v2",
    subset: str | None = None,
    seed: int = 0,
    suite: PathOrStr | None = None,
) -> list[ImageAblations]:
    """For every run with another image input whose model was also run with the images: what its scores retain."""
    from falter.evaluation.runs.comparison_tables import ImageAblations
    from falter.evaluation.runs.score_tables import measures_in, name_runs
    from falter.evaluation.runs.scoring import ablation_pairs, image_ablation

    opened = as_runs(runs, suite)
    names, rule = name_runs(opened), find_vqa_rule(vqa_rule)
    return [
        ImageAblations(found, runs=(names[normal], names[ablated]), measures=measures_in(one.group for one in found))
        for normal, ablated in ablation_pairs(opened)
        for found in [image_ablation(opened[normal], opened[ablated], seed=seed, vqa_rule=rule, subset=subset)]
    ]


def prompt_spreads(
    runs: Iterable[RunLike],
    *,
    vqa_rule: str = "vqa-v2",
    subset: str | None = None,
    seed: int = 0,
    suite: PathOrStr | None = None,
) -> list[PromptSpreads]:
    """For every model that was run under several prompts: how far its scores vary."""
    from falter.evaluation.runs.comparison_tables import PromptSpreads
    from falter.evaluation.runs.score_tables import measures_in, name_runs
    from falter.evaluation.runs.scoring import prompt_groups, prompt_spread

    opened = as_runs(runs, suite)
    names, rule = name_runs(opened), find_vqa_rule(vqa_rule)
    return [
        PromptSpreads(found, runs=[names[index] for index in group], measures=measures_in(one.group for one in found))
        for group in prompt_groups(opened)
        for found in [prompt_spread([opened[index] for index in group], seed=seed, vqa_rule=rule, subset=subset)]
    ]


def check(
    run: RunLike,
    requirements: PathOrStr | Sequence[PathOrStr] = (),
    *,
    baseline: RunLike | None = None,
    allow_missing: float | str | None = None,
    vqa_rule: str = "vqa-v2",
    subset: str | None = None,
    seed: int = 0,
    suite: PathOrStr | None = None,
    value: bool = False,
    alpha: float | str | None = None,
) -> CheckResults:
    """Check a run against requirements such as ``"carets.negation.c_acc>=60%"``, or those of a YAML file.

    A floor is checked against the lower end of the interval, a ceiling against the upper end. With a ``baseline``, a
    requirement may say ``>=baseline-2%``: the run is worse by at most 2 points, over the pairs that both answered. Of
    the pairs of a test 99 % must be answered, unless ``allow_missing`` is another share than 0.01.

    With ``value``, the values over the whole suite are checked instead: exactly where the run asked everything, and by
    tests that hold at any time where it asked a part in random order (``until``); all verdicts together are wrong with
    probability ``alpha`` at most. The requirements are then by default those that the run was made with.
    """
    from falter.api.gates import parse_alpha, read_wanted
    from falter.evaluation.measures.results import MOST_EXCLUDED
    from falter.evaluation.runs.checks import CheckResults, check_run
    from falter.evaluation.runs.scored_items import image_notes, scope_notes
    from falter.evaluation.runs.value_checks import check_value

    opened = as_run(run, suite)
    settings = opened.manifest.settings
    given = [requirements] if isinstance(requirements, str | PathLike) else list(requirements)
    if value and not given:
        given = list(settings.get("until", ()))
        allow_missing = settings.get("allow_missing") if allow_missing is None else allow_missing
    wanted = read_wanted(given, baseline, allow_missing)
    if not wanted.requirements:
        raise UsageError("nothing is required; pass --require REQUIREMENT or --requirements FILE")
    if baseline is not None and not any(one.baseline for one in wanted.requirements):
        raise UsageError(
            "no requirement refers to --baseline; write one such as 'SUITE.TEST.acc>=baseline-2%', or leave it out"
        )
    other = None if wanted.baseline is None else as_run(wanted.baseline, suite)
    share = MOST_EXCLUDED if wanted.allow_missing is None else wanted.allow_missing
    rule = find_vqa_rule(vqa_rule, [opened])
    if value:
        found = check_value(
            opened,
            wanted.requirements,
            baseline=other,
            alpha=settings.get("alpha", 0.05) if alpha is None else parse_alpha(alpha),
            allow_missing=share,
            vqa_rule=rule,
            subset=subset,
        )
    elif alpha is not None:
        raise UsageError("--alpha is that of values over the whole suite; pass --value with it")
    else:
        found = check_run(
            opened,
            wanted.requirements,
            baseline=other,
            allow_missing=share,
            seed=seed,
            vqa_rule=rule,
            subset=subset,
        )
    compared = other if any(one.baseline for one in wanted.requirements) else None
    scope = dict.fromkeys(line for one in (opened, compared) if one is not None for line in scope_notes(one, subset))
    return CheckResults(found, model=opened.manifest.model.name, notes=[*scope, *image_notes(opened, compared)])


def checks_to_junit(results: Mapping[str, CheckResults]) -> bytes:
    """Checks of several runs, by name, as one JUnit report."""
    from falter.evaluation.runs import checks

    return checks.checks_to_junit(results)


def find_vqa_rule(name: str, runs: Iterable[Run] = ()) -> VqaRule:
    """The rule of VQA accuracy that has this name; another than the default needs ``runs`` on what people answered."""
    from falter.evaluation.measures.outcomes import VQA_RULES, has_human_answers

    rule = next((one for one in VQA_RULES if one == name), None)
    if rule is None:
        raise UsageError(f"unknown VQA rule {name!r}; available: {', '.join(VQA_RULES)}")
    opened = list(runs)
    if opened and rule != VQA_RULES[0] and not any(has_human_answers(run.suite().items_path) for run in opened):
        raise UsageError(
            f"--vqa-rule {rule} has no effect on {opened[0].folder}: no question has several people's answers; leave "
            "it out"
        )
    return rule
