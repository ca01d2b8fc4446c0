"""The table of the scores of one or more runs, and how it is made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

import msgspec

from falter.core.errors import UsageError
from falter.core.tables import GAP, PIPE_WIDTH, Block, Column, Grid, ResultTable
from falter.data.items import TOTALS
from falter.evaluation.measures import Measure, Outcomes, count_answered, measures_for
from falter.evaluation.measures.counts import answer_notes
from falter.evaluation.measures.intervals import IntervalKind
from falter.evaluation.measures.results import NO_REPLIES, AnsweredPairs, Group, Score
from falter.evaluation.runs.asked import tell_sampled
from falter.evaluation.runs.scored_items import find_limit, scope_notes
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.runs.store import Run
from falter.evaluation.runs.table_cells import (
    RunName,
    first_of_group,
    format_count_score,
    note_excluded,
    score_cell,
    split_heading,
    text_cells,
)
from falter.evaluation.score_options import PLAIN, ScoreOptions

if TYPE_CHECKING:
    from falter.evaluation.runs.comparison_tables import ImageAblations, PromptSpreads
    from falter.evaluation.runs.controlled_scores import ControlledScores
    from falter.evaluation.runs.rankings import ModelRanking

_MAIN = ("acc_r", "acc", "cons", "c_acc", "set_acc")
"""The measures that a table has room for first."""
_ALWAYS = ("acc_r", "acc", "cons", "c_acc")
"""Names of models are broken into lines before one of these is left out."""
_NARROWEST = 14
"""The least room for a name, in columns."""


class RunScore(msgspec.Struct, frozen=True, kw_only=True):
    """One score of one run: a row of :class:`Scores`."""

    model: str
    run: str
    suite: str
    test: str
    facet: str | None
    facet_value: str | None
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    signature: str
    reason: str | None
    se: float | None = None
    images: int | None = None
    interval: IntervalKind | None = None


class RunScores(msgspec.Struct, frozen=True, kw_only=True):
    """All scores of one run."""

    run: str
    model: str
    complete: bool
    scores: tuple[Score, ...]
    shard: str | None = None
    """Which part of a divided run this is."""
    answered: tuple[AnsweredPairs, ...] = ()
    """By test how many pairs were answered."""
    answer_notes: tuple[str, ...] = ()
    """What is odd about its answers."""
    sampled: str = ""
    """What a run in random order asked, where it asked a part."""
    scope: tuple[str, ...] = ()
    """What was not asked, because of a limit or a shard, and items that are in the suite several times."""

    def notes(self) -> Iterator[str]:
        """What a reader of the scores must know of the run."""
        yield from self.scope
        if self.sampled:
            yield f"{self.run} {self.sampled}"
        elif not self.complete:
            yield f"{self.run} is incomplete; missing replies are excluded"
        yield from note_excluded(self.run, self.answered)
        if self.answer_notes:
            yield f"{self.run}: {'; '.join(self.answer_notes)}"


class Scores(ResultTable[RunScore]):
    """The scores of one or more runs, with their image ablations and prompt spreads where there are any."""

    noun = "scores"

    def __init__(
        self,
        rows: Iterable[RunScore],
        *,
        runs: Sequence[RunScores] = (),
        measures: Sequence[Measure] = (),
        ablations: Sequence[ImageAblations] = (),
        spreads: Sequence[PromptSpreads] = (),
        rankings: Sequence[tuple[Sequence[str], ModelRanking]] = (),
        estimates: Sequence[ControlledScores] = (),
        seed: int = 0,
        show_all: bool = False,
        by: Sequence[str] = (),
    ) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)
        self.measures = tuple(measures)
        self.ablations = tuple(ablations)
        self.spreads = tuple(spreads)
        self.rankings = tuple(rankings)
        """Names of models with their ranking, for each suite that two or more of them ran on."""
        self.estimates = tuple(estimates)
        """By run its scores over the whole suite, where it asked a sample and there are runs that help."""
        self.seed = seed
        self.by = tuple(by)
        """The facets that were asked for; a summary may have others."""
        self.show_all = show_all
        """Whether a printed table has every measure, or the main ones in 80 columns."""

    @classmethod
    def from_runs(cls, runs: Sequence[RunScores], **settings: Any) -> Scores:
        """The table of the scores of several runs."""
        return cls((_run_score(run, score) for run in runs for score in run.scores), runs=runs, **settings)

    def replace_rows(self, rows: Sequence[RunScore]) -> Scores:
        return Scores(rows, runs=self.runs, measures=self.measures, seed=self.seed, show_all=self.show_all, by=self.by)

    def json_value(self) -> Any:
        """One record per run; an ablation is with the ablated run, prompts are with the first of their runs."""
        records: list[dict[str, Any]] = []
        for run in self.runs:
            record: dict[str, Any] = msgspec.structs.asdict(run)
            if run.shard is None:
                del record["shard"]
            if not run.answer_notes:
                del record["answer_notes"]
            if not run.sampled:
                del record["sampled"]
            if not run.scope:
                del record["scope"]
            for ablation in self.ablations:
                if ablation.runs[1].run == run.run:
                    record["image_ablation"] = ablation.json_value()
            for spread in self.spreads:
                if spread.runs[0].run == run.run:
                    record["prompts"] = spread.json_value()
            records.append(record)
        return records

    def blocks(self) -> Iterator[Block]:
        facets = dict.fromkeys(row.facet for row in self.rows)
        if not facets:
            yield "There is nothing to score."
            return
        hidden: dict[str, None] = {}
        for facet in facets:
            if facet is not None:
                if not self.show_all and facet not in self.by:
                    continue
                yield f"By {facet}"
            for suite in dict.fromkeys(row.suite for row in self.rows if row.facet == facet):
                yield self._grid(facet, suite, hidden)
        plain = not self.runs or not all(run.sampled for run in self.runs)
        drawn = f" over images (1,000 resamples, seed {self.seed})" if plain else ""
        yield f"Percent, with 95 % intervals{drawn}."
        yield from self._few_images()
        if hidden:
            yield _fill(f"More measures with --all or --measure NAME: {', '.join(hidden)}.")
        yield from (_fill(note) for run in self.runs for note in run.notes())
        yield from self._reasons()
        yield from self.ranking_lines()
        if self.ablations:
            from falter.evaluation.runs.comparison_tables import image_ablation_blocks

            yield from image_ablation_blocks(self.ablations)
        for spread in self.spreads:
            yield from spread.blocks()

    def _few_images(self) -> Iterator[str]:
        """Which intervals are not from resamples, and which values have none."""
        of_kind: dict[str, list[int]] = {}
        for row in self.rows:
            if row.interval is not None and row.images is not None:
                of_kind.setdefault(row.interval, []).append(row.images)
        if "exact" in of_kind:
            yield _fill(
                f"Where images (the fewest: {min(of_kind['exact'])}), hits or misses are few, intervals of shares are "
                "exact, on the effective number of cases."
            )
        if "none" in of_kind:
            yield _fill(
                f"Values have no interval over too few images (the fewest: {min(of_kind['none'])}), or where too few "
                "of them make a difference."
            )

    def ranking_lines(self) -> Iterator[str]:
        """Who is ahead of whom, with the models that the data cannot order."""
        titles = {measure.name: measure.title for measure in self.measures}
        for names, one in self.rankings:
            tied = "" if one.is_decisive else " Models that share a place cannot be told apart by these data."
            over = f"{one.group.suite}:{one.group.test}"
            ranking = f"Ranking by {titles.get(one.measure, one.measure)} of {over}: {one.in_words(names)}.{tied}"
            yield _fill(ranking)

    def _grid(self, facet: str | None, suite: str, hidden: dict[str, None]) -> Grid:
        """The table of one suite; measures that it has no room for are added to ``hidden``."""
        from falter.evaluation.measures.counting import MACRO, MICRO

        last = (MICRO, MACRO, *TOTALS[1:], TOTALS[0])
        own_rows = [row for row in self.rows if (row.facet, row.suite) == (facet, suite)]
        models = list(dict.fromkeys(row.model for row in own_rows))
        found = {(row.model, _group(row), row.measure): row for row in own_rows}
        groups = sorted(
            {group for _, group, _ in found},
            key=lambda group: (last.index(group.test) + 1 if group.test in last else 0, group),
        )
        rows = [(group, model) for group in groups for model in models]

        def column(measure: str) -> list[RunScore | None]:
            return [found.get((model, group, measure)) for group, model in rows]

        keys = [Column(f"{suite}:", first_of_group(rows, lambda group: group.test))]
        if facet is not None:
            keys.append(Column(facet, first_of_group(rows, lambda group: group.value or "")))
        if len(models) > 1 or self.show_all:
            keys.append(Column("model", text_cells(model for _, model in rows)))
            named = len(keys) - 1
        else:
            keys[0] = Column(f"{suite}:\n{models[0]}", keys[0].cells)
            named = 0
        shown, others = [], []
        for measure in self.measures:
            own = column(measure.name)
            if measure.scale == "count":
                if any(one is not None and one.value for one in own):
                    cells = text_cells(format_count_score(one) for one in own)
                    shown.append((measure, Column(split_heading(measure.title), cells, right=True)))
            elif any(one is not None and one.value is not None for one in own):
                cells = [score_cell(one, measure) for one in own]
                shown.append((measure, Column(split_heading(measure.title), cells, right=True)))
        if not self.show_all:
            wanted = [one for one in shown if one[0].headline or (one[0].scale == "count" and one[0].name not in _MAIN)]
            order = sorted(wanted, key=lambda one: _MAIN.index(one[0].name) if one[0].name in _MAIN else len(_MAIN))
            _narrow(keys, named, [drawn for measure, drawn in order if measure.name in _ALWAYS])
            room = PIPE_WIDTH - sum(one.width + GAP for one in keys)
            kept: list[str] = []
            for measure, drawn in order or shown:
                if not kept or room >= drawn.width + GAP:
                    kept.append(measure.name)
                    room -= drawn.width + GAP
            others = [measure.name for measure, _ in shown if measure.name not in kept and measure.scale != "count"]
            shown = [one for one in shown if one[0].name in kept]
        else:
            shown.sort(key=lambda one: one[0].scale != "count")
        if facet is None:
            hidden.update(dict.fromkeys(others))
        return Grid(keys, [drawn for _, drawn in shown], frozenset(range(0, len(rows), len(models))))

    def _reasons(self) -> Iterator[str]:
        """Which measures a model has no value of anywhere, and why, where the reason is more than a lack of replies."""
        titles = {measure.name: measure.title for measure in self.measures if measure.requires}
        measured = {(row.model, row.measure) for row in self.rows if row.value is not None}
        lacking: dict[tuple[str, str], dict[str, None]] = {}
        for row in self.rows:
            explained = row.reason and row.reason != NO_REPLIES and row.measure in titles
            if explained and (row.model, row.measure) not in measured:
                lacking.setdefault((row.model, str(row.reason)), {})[titles[row.measure]] = None
        for (model, reason), measures in lacking.items():
            yield _fill(f"{model} has no {', '.join(measures)}: {reason}.")


def _run_score(run: RunScores, score: Score) -> RunScore:
    return RunScore(
        model=run.model,
        run=run.run,
        suite=score.group.suite,
        test=score.group.test,
        facet=score.group.facet,
        facet_value=score.group.value,
        measure=score.measure,
        value=score.value,
        low=score.low,
        high=score.high,
        n=score.n,
        signature=score.signature,
        reason=score.reason,
        se=score.se,
        images=score.images,
        interval=score.interval,
    )


def _narrow(keys: list[Column], named: int, values: Sequence[Column]) -> None:
    """Break the names of models into lines where these values would have no room beside them."""
    room = PIPE_WIDTH - GAP - sum(one.width + GAP for one in (*keys[:named], *keys[named + 1 :], *values))
    if keys[named].width > room:
        keys[named] = replace(keys[named], wrap=max(room, _NARROWEST))


def _fill(text: str) -> str:
    return fill(text, PIPE_WIDTH, break_on_hyphens=False, break_long_words=False)


def _group(row: RunScore) -> Group:
    return Group(row.suite, row.test, row.facet, row.facet_value)


def score_runs(
    runs: Sequence[Run], options: ScoreOptions = PLAIN, *, progress: Callable[[], None] = lambda: None
) -> Scores:
    """The scores of runs as one table, which shows all measures that the options name."""
    named = options.measures
    scored: list[RunScores] = []
    known: dict[str, None] = {}
    for run, name in zip(runs, name_runs(runs), strict=True):
        seen: list[Outcomes] = []
        found = score_run(run, options, on_outcomes=seen.append)
        known.update(dict.fromkeys(one.measure for one in found))
        kept = tuple(one for one in found if not named or one.measure in named)
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
                scope=tuple(scope_notes(run, options.subset)),
                answered=answered,
                sampled=told,
                answer_notes=tuple(note for one in seen for note in answer_notes(one)),
            )
        )
        progress()
    lacking = [name for name in named if name not in known]
    if lacking:
        raise UsageError(f"no run has the measure {lacking[0]!r:.60}; there are {', '.join(known) or 'none'}")
    groups = (one.group for each in scored for one in each.scores)
    own = measures_in(groups, named)
    return Scores.from_runs(scored, measures=own, seed=options.seed, by=options.by, show_all=bool(named))


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
