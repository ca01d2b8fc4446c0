"""The scores of runs on disk, and of runs of one suite side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from falter.core.errors import InputError, UsageError
from falter.data.suite import SuiteManifest
from falter.evaluation.measures.catalogue import MEASURES, find_measure, measures_for, summaries_for
from falter.evaluation.measures.counting import Summary
from falter.evaluation.measures.counts import answer_notes, note_odd_replies
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes import (
    Outcomes,
    choose_subset,
    facet_names,
    outcomes,
    replies_from_frame,
    subset_signature,
    suites_in,
    tasks_in,
)
from falter.evaluation.measures.results import ImageAblation, Overlap, PromptSpread, Score, escape_part
from falter.evaluation.measures.scoring import ScoringSettings, score_tables
from falter.evaluation.runs.asked import ANYTIME, Sampled, sampled_parts
from falter.evaluation.runs.manifest import RunManifest
from falter.evaluation.runs.replies import join_own_replies
from falter.evaluation.runs.scored_items import (
    find_limit,
    load_replies,
    read_distinct_items,
    read_scored_items,
    scope_parts,
)
from falter.evaluation.runs.store import Run
from falter.evaluation.score_options import PLAIN, ScoreOptions

if TYPE_CHECKING:
    from falter.evaluation.measures.comparisons import ComparedRuns
    from falter.evaluation.measures.paired import PairedRuns
    from falter.evaluation.measures.standardised import StandardisedDifference

__all__ = [
    "ablation_pairs",
    "answer_notes_of_run",
    "compare_runs",
    "image_ablation",
    "load_replies",
    "outcomes_of_run",
    "overlap_runs",
    "pair_runs",
    "prompt_groups",
    "prompt_spread",
    "read_scored_items",
    "score_run",
    "signature_parts",
    "turned_differences",
]

_TASK_OF_PART = {"decide": "answer", "match": "match"}
"""Parts of a method that are about one task alone, by their names."""


def score_run(
    run: Run,
    options: ScoreOptions = PLAIN,
    *,
    measures: Sequence[Measure] | None = None,
    summaries: Sequence[Summary] | None = None,
    on_outcomes: Callable[[Outcomes], None] | None = None,
) -> list[Score]:
    """The scores of a run: by test its measures and counts; then, for every facet to break down by, by value.

    Tests of captions and foils are also summarized: as a test ``all`` (over pairs) and a
    test ``mean`` (over tests, each counting the same). A run that repeats its items has its repeatability, too.
    Measures that are scored on request alone are, if the options name them; nothing else is left out for it.
    """
    suite, asked_for = run.suite(), options
    path = suite.items_path
    options = options.replace(subset=choose_subset(path, options.subset))
    items, own = read_scored_items(path, options, measures, probes=run.probe_ids(), summaries=summaries)
    sampled = run.sampled()
    parts = signature_parts(run.manifest, tasks_in(items), suite.manifest)
    if sampled is not None:
        parts, options = (*parts, *sampled_parts(sampled)), options.replace(n_resamples=0)
    items, (replies,) = join_own_replies(path, items, [load_replies(run, items)])
    scores = score_tables(
        items,
        replies,
        options,
        where=str(path),
        signature_parts=parts,
        measures=own,
        summaries=summaries,
        on_outcomes=on_outcomes,
    )
    if sampled is not None and asked_for.n_resamples:
        from falter.evaluation.runs.anytime import anytime_tables, revise_scores

        tables = anytime_tables([run], options, measures=own, summaries=summaries)
        scores = revise_scores(tables, scores)
    if run.repeat > 1:
        settings = ScoringSettings(options, (*parts, *subset_signature(options.subset)))
        repeats = [replies_from_frame(run.replies(number)) for number in range(1, run.repeat + 1)]
        from falter.evaluation.measures.repeats import score_repeats

        scores += score_repeats(items, repeats, settings, str(path))
    return scores


def outcomes_of_run(
    run: Run,
    options: ScoreOptions = PLAIN,
    *,
    facets: Sequence[str] | None = None,
    probes: Collection[str] | None = None,
) -> Outcomes:
    """The outcomes of a run with ids and facets (all of them, unless named).

    A limited run is about the probes of its limit; ``probes`` takes some of them alone.
    """
    path = run.suite().items_path
    chosen = choose_subset(path, options.subset)
    limit = run.probe_ids()
    if probes is not None and limit is not None:
        limit = limit & frozenset(probes)
    items = read_distinct_items(
        path, facets=facets is None or bool(facets), subset=chosen, probes=probes if limit is None else limit
    )
    items, (replies,) = join_own_replies(path, items, [load_replies(run, items)])
    return outcomes(items, replies, vqa_rule=options.vqa_rule, facets=facets, ids=True, where=str(path))


def answer_notes_of_run(run: Run) -> list[str]:
    """What is odd about the answers of a run, a sentence each; nothing where they cannot be scored."""
    path = run.suite().items_path
    items = read_distinct_items(path, probes=run.probe_ids())
    try:
        items, (replies,) = join_own_replies(path, items, [load_replies(run, items)])
        found = outcomes(items, replies, where=str(path))
    except InputError:
        return []
    return [*answer_notes(found), *note_odd_replies(items, replies)]


class _Shared(NamedTuple):
    """The items that several runs have in common, and what each of them replied."""

    items: pa.Table
    replies: list[pa.Table]
    where: str
    options: ScoreOptions
    """With the subset that was taken."""

    sampled: Sequence[Sampled]
    """Of the runs that asked a part in random order, what they asked."""
    parts: tuple[str, ...] = ()
    """What signatures say of limits."""

    def settings(self, *parts: str) -> ScoringSettings:
        """Without plain intervals where a run may have stopped because of what it saw."""
        parts = (*dict.fromkeys((*parts, *self.parts)), *(sampled_parts(self.sampled[0]) if self.sampled else ()))
        options = self.options.replace(n_resamples=0) if self.sampled else self.options
        return ScoringSettings(options, (*parts, *subset_signature(options.subset)))


def _load_shared(runs: Sequence[Run], options: ScoreOptions, measures: Sequence[Measure] | None = None) -> _Shared:
    """The items that no run's limit leaves out."""
    first = runs[0]
    for run in runs[1:]:
        if run.manifest.suite.fingerprint != first.manifest.suite.fingerprint:
            raise UsageError(f"{first.folder} and {run.folder} are runs of different suites: give runs of the same one")
    path = first.suite().items_path
    limits = [limit for run in runs if (limit := run.probe_ids()) is not None]
    options = options.replace(subset=choose_subset(path, options.subset))
    probes = frozenset.intersection(*limits) if limits else None
    items, _ = read_scored_items(path, options, measures, probes=probes)
    items, replies = join_own_replies(path, items, [load_replies(run, items) for run in runs])
    limited = [limit for run in runs if find_limit(run) is not None and (limit := run.population()) is not None]
    parts = (f"limit:{len(frozenset.intersection(*limited))}-of-{len(first.suite())}",) if limited else ()
    sampled = [one for run in runs if (one := run.sampled()) is not None]
    return _Shared(items, replies, str(path), options, sampled, parts)


def compare_runs(
    a: Run,
    b: Run,
    options: ScoreOptions = PLAIN,
    *,
    measures: Sequence[Measure] | None = None,
    summaries: Sequence[Summary] | None = None,
    anytime: bool = False,
) -> ComparedRuns:
    """Compare two runs of one suite on the pairs that both answered.

    The headline measures are compared, unless others are named by the options or given as they are. Tests without a
    comparison are told with the reason. With ``anytime``, p-values and intervals hold however often one looks; so they
    do where a run asked a part in random order.
    """
    chosen = _find_measures(options) if measures is None else measures
    shared = _load_shared((a, b), options, chosen)
    first, second = shared.replies
    settings = shared.settings()
    revise = None
    if shared.sampled or anytime:
        if not shared.sampled:
            settings = ScoringSettings(options.replace(n_resamples=0), (ANYTIME, *settings.signature_parts))
        from falter.evaluation.runs.anytime import anytime_revision

        revise = anytime_revision((a, b), options, measures=chosen, summaries=summaries)
    from falter.evaluation.measures.comparisons import compare_tables

    return compare_tables(
        shared.items,
        first,
        second,
        by=options.by,
        measures=chosen,
        summaries=summaries,
        settings=settings,
        where=shared.where,
        revise=revise,
    )


def pair_runs(
    runs: Sequence[Run], options: ScoreOptions = PLAIN, *, measures: Sequence[Measure] | None = None
) -> PairedRuns:
    """The outcomes of several runs of one suite, joined by item.

    The headline measures are joined for, unless others are named by the options or given as they are.
    """
    given = _find_measures(options) if measures is None else measures
    shared = _load_shared(runs, options, given)
    own = given or [one for one in measures_for(suites_in(shared.items)) if one.headline]
    from falter.evaluation.measures.paired import paired

    return paired(
        shared.items,
        shared.replies,
        measures=own,
        summaries=summaries_for(suites_in(shared.items)),
        by=options.by,
        settings=shared.settings(),
        where=shared.where,
    )


_MOST_STANDARDISED = 200_000
"""Larger suites are standardised by tests, and by the facets that are asked for."""


def turned_differences(a: Run, b: Run, options: ScoreOptions = PLAIN) -> list[StandardisedDifference]:
    """The differences between two runs whose sign turns once every test, or every value of a facet, counts the same."""
    suite = a.suite()
    known = facet_names(suite.items_path) if suite.item_count <= _MOST_STANDARDISED else ()
    facets = tuple(dict.fromkeys([*options.by, *known]))
    joined = pair_runs((a, b), options.replace(by=facets, measures=()))
    from falter.evaluation.measures.standardised import turned_signs

    return turned_signs(replace(joined, by=()), facets)


def _find_measures(options: ScoreOptions) -> list[Measure] | None:
    """The measures that options name; None where they name none."""
    found = {name: find_measure(name) for name in options.measures}
    for name, measure in found.items():
        if measure is None:
            raise UsageError(f"unknown measure {name!r}: there are {', '.join(MEASURES.names())}")
    return [one for one in found.values() if one is not None] or None


def overlap_runs(runs: Sequence[Run], options: ScoreOptions = PLAIN) -> list[Overlap]:
    """How much of what each run gets right each other run gets right as well, for each test of the suite they share."""
    from falter.evaluation.measures.comparisons import overlap_tables

    shared = _load_shared(runs, options.replace(by=()))
    return overlap_tables(shared.items, shared.replies, settings=shared.settings(), where=shared.where)


def ablation_pairs(runs: Sequence[Run]) -> list[tuple[int, int]]:
    """Indices of runs of one model and suite, the first with its images and the second without.

    Runs that asked a part in random order are left out: an interval over images does not hold for them.
    """
    found = []
    whole = [(index, run) for index, run in enumerate(runs) if run.sampled() is None]
    for index, ablated in whole:
        if not ablated.manifest.is_control:
            continue
        for other, normal in whole:
            if not normal.manifest.is_control and _ablation_key(normal) == _ablation_key(ablated):
                found.append((other, index))
                break
    return found


def _ablation_key(run: Run) -> tuple[object, ...]:
    settings = run.manifest.settings
    limit = settings.get("limit")
    # The seed draws swapped images, too: it tells limited runs apart only where a limit is drawn by it.
    drawn = None if limit is None else settings.get("seed")
    return run.manifest.model.fingerprint, run.manifest.suite.fingerprint, limit, drawn


def image_ablation(with_image: Run, ablated: Run, options: ScoreOptions = PLAIN) -> list[ImageAblation]:
    """How much of the score of a run is reached without its images, for every test."""
    shared = _load_shared((with_image, ablated), options.replace(by=()))
    parts = signature_parts(ablated.manifest, tasks_in(shared.items), ablated.suite().manifest)
    from falter.evaluation.measures.comparisons import ablate_tables

    return ablate_tables(
        shared.items,
        shared.replies[0],
        shared.replies[1],
        str(ablated.manifest.settings.get("image")),
        settings=shared.settings(*parts),
        where=shared.where,
    )


def prompt_groups(runs: Sequence[Run]) -> list[list[int]]:
    """Indices of runs that differ in the prompt alone, two or more together; all of them asked everything."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, run in enumerate(runs):
        model, settings = run.manifest.model, run.manifest.settings
        if model.prompt is None or not model.spec or run.sampled() is not None:
            continue
        told = tuple((name, repr(settings.get(name))) for name in ("limit", "seed", "image", "extend"))
        groups.setdefault((model.spec, model.rule, run.manifest.suite.fingerprint, told), []).append(index)
    several = [_first_per_prompt(indices, runs) for indices in groups.values()]
    return [indices for indices in several if len(indices) > 1]


def _first_per_prompt(indices: Sequence[int], runs: Sequence[Run]) -> list[int]:
    by_prompt: dict[str | None, int] = {}
    for index in indices:
        by_prompt.setdefault(runs[index].manifest.model.prompt_fingerprint, index)
    return list(by_prompt.values())


def prompt_spread(runs: Sequence[Run], options: ScoreOptions = PLAIN) -> list[PromptSpread]:
    """How far the scores of one model under several prompts lie apart, for every test."""
    from falter.evaluation.measures.comparisons import spread_tables

    shared = _load_shared(runs, options.replace(by=()))
    labels = _prompt_labels(runs)
    return spread_tables(shared.items, shared.replies, labels, settings=shared.settings(), where=shared.where)


def _prompt_labels(runs: Sequence[Run]) -> list[str]:
    """The names of the prompts; two files of one name are told apart by their fingerprints."""
    names = [run.manifest.model.prompt or "?" for run in runs]
    return [
        name if names.count(name) == 1 else run.manifest.model.prompt_fingerprint or run.folder.name
        for name, run in zip(names, runs, strict=True)
    ]


def signature_parts(
    manifest: RunManifest, tasks: Collection[str], suite: SuiteManifest | None = None
) -> tuple[str, ...]:
    """What a signature says of how a model was asked: its method, its prompt and its images, as far as tasks need it.

    Where the texts of the suite have a number of tokens at most, it says what counted them: ``tokens:words<=80``; where
    a part of the suite was asked, which: ``limit:6-of-40``.

    A method such as ``lm:mean,bos:on`` makes the parts ``lm:mean`` and ``bos:on``. How a model decides between answers
    says nothing of captions, and a prompt that is only put around questions is not named with them.
    """
    model = manifest.model
    method = [] if model.rule is None else [part.strip() for part in model.rule.split(",") if part.strip()]
    image = manifest.settings.get("image")
    prompt = model.prompt_fingerprint
    if model.prompted is not None and not set(model.prompted) & set(tasks):
        prompt = None
    return (
        *(escape_part(part) for part in method if _TASK_OF_PART.get(part.partition(":")[0]) in (None, *tasks)),
        *([f"prompt:{escape_part(prompt)}"] if prompt is not None else []),
        *([f"image:{escape_part(str(image))}"] if image is not None else []),
        *([] if suite is None else (*_counted_tokens(suite), *scope_parts(manifest, suite))),
    )


def _counted_tokens(suite: SuiteManifest) -> list[str]:
    counter, most = suite.parameters.get("tokenizer"), suite.parameters.get("max_tokens")
    return [] if counter is None or most is None else [f"tokens:{escape_part(str(counter))}<={most}"]
