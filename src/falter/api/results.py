"""Scores, comparisons and checks of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, RunLike, as_run, as_runs
from falter.errors import UsageError

if TYPE_CHECKING:
    from falter.measures import VqaRule
    from falter.measures.requirements import Requirement
    from falter.runs.results import (
        CheckResults,
        Comparisons,
        ImageAblations,
        OpenAnswers,
        Overlaps,
        PromptSpreads,
        Scores,
    )

__all__ = ["check", "compare", "find_vqa_rule", "image_ablations", "open_answers", "overlap", "prompt_spreads", "score"]


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
    from falter.runs.score_tables import score_runs

    opened = as_runs(runs, suite)
    scores = score_runs(
        opened,
        by=by,
        measures=measures,
        vqa_rule=find_vqa_rule(vqa_rule),
        subset=subset,
        seed=seed,
        n_resamples=n_resamples,
        progress=progress or (lambda: None),
    )
    if measures is None:
        scores.ablations = tuple(image_ablations(opened, vqa_rule=vqa_rule, subset=subset, seed=seed))
        scores.spreads = tuple(prompt_spreads(opened, vqa_rule=vqa_rule, subset=subset, seed=seed))
    return scores


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
) -> Comparisons:
    """Compare two runs over the pairs that both answered: McNemar exact, paired bootstrap, Holm over the table."""
    from falter.runs.results import Comparisons
    from falter.runs.score_tables import measures_in, name_runs
    from falter.runs.scoring import compare_runs

    runs = [as_run(first, suite), as_run(second, suite)]
    facets = [by] if isinstance(by, str) else list(by)
    found = compare_runs(
        *runs, by=facets, measures=measures, seed=seed, vqa_rule=find_vqa_rule(vqa_rule), subset=subset
    )
    names = measures_in(one.group for one in found.tests)
    return Comparisons(found.comparisons, runs=name_runs(runs), measures=names, tests=found.tests)


def overlap(
    runs: Iterable[RunLike], *, vqa_rule: str = "vqa-v2", subset: str | None = None, suite: PathOrStr | None = None
) -> Overlaps:
    """For every two runs of one suite, the share of one's correct answers that the other gives as well."""
    from falter.runs.results import Overlaps
    from falter.runs.score_tables import name_runs
    from falter.runs.scoring import overlap_runs

    opened = as_runs(runs, suite)
    found = overlap_runs(opened, vqa_rule=find_vqa_rule(vqa_rule), subset=subset)
    return Overlaps(found, runs=name_runs(opened))


def open_answers(runs: RunLike | Iterable[RunLike], *, suite: PathOrStr | None = None) -> OpenAnswers:
    """Every reply to a single open question, judged by the official and by the careful rule.

    ``differing()`` keeps those on which the rules differ, ``turned_orders()`` names the pairs of models whose order
    depends on the rule, and ``to_csv(path)`` writes a file.
    """
    from falter.runs.open_answers import open_answers_of_run
    from falter.runs.results import OpenAnswers
    from falter.runs.score_tables import name_runs

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
    from falter.runs.results import ImageAblations
    from falter.runs.score_tables import measures_in, name_runs
    from falter.runs.scoring import ablation_pairs, image_ablation

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
    from falter.runs.results import PromptSpreads
    from falter.runs.score_tables import measures_in, name_runs
    from falter.runs.scoring import prompt_groups, prompt_spread

    opened = as_runs(runs, suite)
    names, rule = name_runs(opened), find_vqa_rule(vqa_rule)
    return [
        PromptSpreads(found, runs=[names[index] for index in group], measures=measures_in(one.group for one in found))
        for group in prompt_groups(opened)
        for found in [prompt_spread([opened[index] for index in group], seed=seed, vqa_rule=rule, subset=subset)]
    ]


def check(
    run: RunLike,
    requirements: PathOrStr | Sequence[PathOrStr],
    *,
    baseline: RunLike | None = None,
    allow_missing: float | str | None = None,
    vqa_rule: str = "vqa-v2",
    subset: str | None = None,
    seed: int = 0,
    suite: PathOrStr | None = None,
) -> CheckResults:
    """Check a run against requirements such as ``"carets.negation.c_acc>=60%"``, or those of a YAML file.

    A floor is checked against the lower end of the interval, a ceiling against the upper end. With a ``baseline``, a
    requirement may say ``>=baseline-2%``: the run is worse by at most 2 points, over the pairs that both answered. Of
    the pairs of a test 99 % must be answered, unless ``allow_missing`` is another share than 0.01.
    """
    from falter.measures.requirement_files import read_requirements
    from falter.measures.requirements import parse_requirement, parse_share
    from falter.measures.results import MOST_EXCLUDED
    from falter.runs.checking import check_run
    from falter.runs.results import CheckResults

    given = [requirements] if isinstance(requirements, str | PathLike) else list(requirements)
    wanted: list[Requirement] = []
    share = None if allow_missing is None else parse_share(str(allow_missing), "--allow-missing")
    for one in given:
        if isinstance(one, str) and not _is_requirement_file(one):
            wanted.append(parse_requirement(one))
            continue
        file = read_requirements(Path(one))
        wanted += file.requirements
        baseline = file.baseline if baseline is None else baseline
        share = file.allow_missing if share is None else share
    if not wanted:
        raise UsageError("nothing is required; pass --require REQUIREMENT or --requirements FILE")
    opened = as_run(run, suite)
    found = check_run(
        opened,
        wanted,
        baseline=None if baseline is None else as_run(baseline, suite),
        allow_missing=MOST_EXCLUDED if share is None else share,
        seed=seed,
        vqa_rule=find_vqa_rule(vqa_rule),
        subset=subset,
    )
    return CheckResults(found, model=opened.manifest.model.name)


def _is_requirement_file(text: str) -> bool:
    """Whether a text names a file: a requirement has a comparison in it."""
    return text.endswith((".yaml", ".yml")) and not set(text) & set("<>=")


def find_vqa_rule(name: str) -> VqaRule:
    """The rule of VQA accuracy that has this name."""
    from falter.measures.outcomes import VQA_RULES

    for rule in VQA_RULES:
        if rule == name:
            return rule
    raise UsageError(f"unknown VQA rule {name!r}; available: {', '.join(VQA_RULES)}")
