"""Scores, comparisons and checks of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from falter.api.paths import PathOrStr, RunLike, SuiteLike, as_run, as_runs
from falter.core.errors import UsageError
from falter.evaluation.score_options import (
    PLAIN,
    IntervalOptions,
    PairOptions,
    ScoreKeywords,
    ScoreOptions,
    read_options,
)

if TYPE_CHECKING:
    from falter.api.model_jobs import ModelLike
    from falter.api.running import RunKeywords
    from falter.evaluation.runs import Run
    from falter.evaluation.runs.checks import CheckResults
    from falter.evaluation.runs.comparison_tables import Comparisons, ImageAblations, Overlaps, PromptSpreads
    from falter.evaluation.runs.controlled_scores import ControlledScores
    from falter.evaluation.runs.rankings import ModelRanking
    from falter.evaluation.runs.score_tables import Scores

__all__ = ["ScoreOptions", "check", "checks_to_junit", "compare", "evaluate", "read_run_options", "score"]


def score(
    runs: RunLike | Iterable[RunLike] | Any,
    replies: Any = None,
    *,
    helpers: RunLike | Iterable[RunLike] = (),
    suite: PathOrStr | None = None,
    progress: Callable[[], None] | None = None,
    **options: Unpack[ScoreKeywords],
) -> Scores:
    """Score one or more runs, or items and replies in memory, with 95 % intervals over images.

    ``by`` names facets to break scores down by; ``measures`` keeps some measures only; ``n_resamples=0`` computes no
    intervals. Runs of one model with and without its images (``.ablations``), or under several prompts (``.spreads``),
    are also compared.

    ``helpers`` are complete runs of other models on the suite of a run that asked a sample of it: ``.estimates`` then
    has its scores over the whole suite. What the helpers replied and the facets predict what was not asked, and the
    sample corrects the predictions, so that intervals hold whatever the helpers are worth.

    ``falter.score(items, replies)`` takes data frames or lists of dictionaries with columns of ``items.parquet`` and
    ``replies.parquet``: ``item_id`` and ``gold``, and of probes with variants ``probe_id``, ``variant`` and
    ``expects``; of replies ``item_id`` and ``answer``, ``text`` or ``score``.
    """
    if replies is not None:
        from falter.evaluation.runs.table_scores import score_rows

        if suite is not None or helpers:
            raise UsageError("items and replies in memory have no suite folder and no helpers; leave them out")
        return score_rows(runs, replies, read_options(options))
    from falter.evaluation.runs.score_tables import score_runs

    opened = as_runs(runs, suite)
    chosen = read_run_options(options, opened)
    scores = score_runs(opened, chosen, progress=progress or (lambda: None))
    if not chosen.measures and len(opened) > 1:
        scores.ablations = tuple(_image_ablations(opened, chosen))
        scores.spreads = tuple(_prompt_spreads(opened, chosen))
        if chosen.n_resamples:
            scores.rankings = tuple(_main_rankings(opened, chosen))
    scores.estimates = tuple(_estimates(opened, helpers, suite, chosen))
    return scores


def evaluate(suite: SuiteLike, model: ModelLike, **options: Unpack[RunKeywords]) -> Run:
    """Run a model on a suite: ``falter.evaluate(suite, model).scores()``. Options are those of :func:`falter.run`.

    Without ``out`` the run is in a temporary folder, which goes when the run is no longer used.
    """
    from tempfile import TemporaryDirectory
    from weakref import finalize

    from falter.api.running import run

    folder = TemporaryDirectory(prefix="falter-") if options.get("out") is None else None
    if folder is not None:
        options["out"] = Path(folder.name) / "run"
    done: Run = run(suite, model, **options)
    if folder is not None:
        finalize(done, folder.cleanup)
    return done


def _estimates(
    runs: Sequence[Run], helpers: RunLike | Iterable[RunLike], suite: PathOrStr | None, options: ScoreOptions
) -> Iterator[ControlledScores]:
    """By run its scores over the whole suite, where there are complete runs that help to estimate them."""
    if isinstance(helpers, str | PathLike) or not isinstance(helpers, Sequence) or helpers:
        from falter.evaluation.runs.controlled_scores import controlled_scores

        others = as_runs(helpers, suite)
        for run in runs:
            yield controlled_scores(
                run, [one for one in others if one.folder.resolve() != run.folder.resolve()], options
            )


def _main_rankings(runs: Sequence[Run], options: ScoreOptions) -> Iterator[tuple[list[str], ModelRanking]]:
    """For every suite with several runs their ranking by the main figure: over all tests, or of the only one."""
    from falter.data.items import OVERALL
    from falter.evaluation.measures.counting import MICRO
    from falter.evaluation.runs.rankings import rank_runs, runs_by_suite
    from falter.evaluation.runs.score_tables import name_runs

    names = [one.model for one in name_runs(runs)]
    for numbers in runs_by_suite(runs):
        if len(numbers) < 2:
            continue
        rankings = rank_runs([runs[number] for number in numbers], options.replace(by=(), measures=("acc_r", "acc")))
        tests = {one.group for one in rankings}
        whole = [one for one in rankings if one.group.test in (OVERALL, MICRO) or len(tests) == 1]
        if whole:
            yield [names[number] for number in numbers], min(whole, key=lambda one: one.measure != "acc_r")


def _image_ablations(runs: Sequence[Run], options: ScoreOptions) -> Iterator[ImageAblations]:
    """For every run with another image input whose model was also run with the images: what its scores retain."""
    from falter.evaluation.runs.comparison_tables import ImageAblations
    from falter.evaluation.runs.score_tables import measures_in, name_runs
    from falter.evaluation.runs.scoring import ablation_pairs, image_ablation

    names = name_runs(runs)
    for normal, ablated in ablation_pairs(runs):
        rows = image_ablation(runs[normal], runs[ablated], options)
        yield ImageAblations(
            rows, runs=(names[normal], names[ablated]), measures=measures_in(one.group for one in rows)
        )


def _prompt_spreads(runs: Sequence[Run], options: ScoreOptions) -> Iterator[PromptSpreads]:
    """For every model that was run under several prompts: how far its scores vary."""
    from falter.evaluation.runs.comparison_tables import PromptSpreads
    from falter.evaluation.runs.score_tables import measures_in, name_runs
    from falter.evaluation.runs.scoring import prompt_groups, prompt_spread

    names = name_runs(runs)
    for group in prompt_groups(runs):
        rows = prompt_spread([runs[index] for index in group], options)
        yield PromptSpreads(
            rows, runs=[names[index] for index in group], measures=measures_in(one.group for one in rows)
        )


@overload
def compare(
    first: RunLike | Iterable[RunLike],
    *others: RunLike,
    what: Literal["difference"] = "difference",
    anytime: bool = False,
    suite: PathOrStr | None = None,
    **options: Unpack[ScoreKeywords],
) -> Comparisons: ...


@overload
def compare(
    first: RunLike | Iterable[RunLike],
    *others: RunLike,
    what: Literal["overlap"],
    anytime: bool = False,
    suite: PathOrStr | None = None,
    **options: Unpack[ScoreKeywords],
) -> Overlaps: ...


def compare(
    first: RunLike | Iterable[RunLike],
    *others: RunLike,
    what: Literal["difference", "overlap"] = "difference",
    anytime: bool = False,
    suite: PathOrStr | None = None,
    **options: Unpack[ScoreKeywords],
) -> Comparisons | Overlaps:
    """Compare two runs over the pairs that both answered: McNemar exact, paired intervals, Holm over the table.

    With ``anytime``, intervals and p-values hold however often one looks at runs that grow; a run that asked a part in
    random order has no others. ``what="overlap"`` takes two runs or more, and gives for every two of them the share of
    one's correct answers that the other gives as well; of the options it has those of pairs.
    """
    given: list[RunLike] = [*first] if isinstance(first, Iterable) and not isinstance(first, str) else [first]
    opened = as_runs([*given, *others], suite)
    if what == "overlap":
        if anytime:
            raise UsageError("--anytime has no effect on overlaps, which have no intervals; leave it out")
        return _overlap(opened, read_run_options(options, opened, PairOptions))
    if len(opened) != 2:
        raise UsageError(f"a difference is of two runs, not {len(opened)}; overlaps are of more")
    return _difference(opened, read_run_options(options, opened), anytime=anytime)


def _difference(runs: Sequence[Run], options: ScoreOptions, *, anytime: bool) -> Comparisons:
    from falter.evaluation.runs.comparison_tables import Comparisons
    from falter.evaluation.runs.score_tables import measures_in, name_runs
    from falter.evaluation.runs.scored_items import find_limit, scope_notes
    from falter.evaluation.runs.scoring import compare_runs, turned_differences

    first, second = runs
    compared = compare_runs(first, second, options, anytime=anytime)
    measures = measures_in(one.group for one in compared.tests)
    scope = ""
    if any(run.sampled() is not None for run in runs):
        limited = any(find_limit(run) is not None for run in runs)
        scope = "over the probes of the limit" if limited else "over the whole suite"
    elif anytime:
        scope = "for pairs like these, image by image"
    names = name_runs(runs)
    titles = {measure.name: measure.title for measure in measures}
    turned = [] if scope else turned_differences(first, second, options)
    models = [one.model for one in names]
    return Comparisons(
        compared.comparisons,
        runs=names,
        measures=measures,
        tests=compared.tests,
        warnings=[one.in_words(models, titles.get(one.measure, one.measure)) for one in turned],
        anytime=scope,
        scope=list(dict.fromkeys(line for run in runs for line in scope_notes(run, options.subset))),
    )


def _overlap(runs: Sequence[Run], options: ScoreOptions) -> Overlaps:
    from falter.evaluation.runs.comparison_tables import Overlaps
    from falter.evaluation.runs.score_tables import name_runs
    from falter.evaluation.runs.scoring import overlap_runs

    return Overlaps(overlap_runs(runs, options), runs=name_runs(runs))


def check(
    run: RunLike,
    requirements: PathOrStr | Sequence[PathOrStr] = (),
    *,
    baseline: RunLike | None = None,
    allow_missing: float | str | None = None,
    suite: PathOrStr | None = None,
    value: bool = False,
    alpha: float | str | None = None,
    **options: Unpack[IntervalOptions],
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
    chosen = read_run_options(options, [opened], IntervalOptions)
    if value:
        found = check_value(
            opened,
            wanted.requirements,
            baseline=other,
            alpha=settings.get("alpha", 0.05) if alpha is None else parse_alpha(alpha),
            allow_missing=share,
            options=chosen,
        )
    elif alpha is not None:
        raise UsageError("--alpha is that of values over the whole suite; pass --value with it")
    else:
        found = check_run(
            opened,
            wanted.requirements,
            baseline=other,
            allow_missing=share,
            options=chosen,
        )
    compared = other if any(one.baseline for one in wanted.requirements) else None
    scope = dict.fromkeys(
        line for one in (opened, compared) if one is not None for line in scope_notes(one, chosen.subset)
    )
    return CheckResults(found, model=opened.manifest.model.name, notes=[*scope, *image_notes(opened, compared)])


def checks_to_junit(results: Mapping[str, CheckResults]) -> bytes:
    """Checks of several runs, by name, as one JUnit report."""
    from falter.evaluation.runs import checks

    return checks.checks_to_junit(results)


def read_run_options(given: Mapping[str, Any], runs: Sequence[Run] = (), allowed: type = ScoreKeywords) -> ScoreOptions:
    """The options that keywords name; a rule of VQA accuracy needs ``runs`` on what several people answered."""
    options = read_options(given, allowed)
    if runs and options.vqa_rule != PLAIN.vqa_rule:
        from falter.evaluation.measures.outcomes.reading import has_human_answers

        if not any(has_human_answers(run.suite().items_path) for run in runs):
            raise UsageError(
                f"--vqa-rule {options.vqa_rule} has no effect on {runs[0].folder}: no question has several people's "
                "answers; leave it out"
            )
    return options
