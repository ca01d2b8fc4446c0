"""The table of scores, of one or more runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from falter.measures.results import NO_REPLIES, AnsweredPairs, Group, Score
from falter.runs.results.image_ablations import ImageAblations, image_ablation_blocks
from falter.runs.results.prompt_spreads import PromptSpreads
from falter.runs.results.run_names import note_excluded
from falter.runs.results.table_cells import first_of_group, format_count_score, score_cell, split_heading, text_cells
from falter.tables import Block, Column, Grid, ResultTable

if TYPE_CHECKING:
    from falter.measures import Measure


__all__ = ["RunScore", "RunScores", "Scores"]


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

    def notes(self) -> Iterator[str]:
        """What a reader of the scores must know of the run."""
        if self.shard is not None:
            yield f"{self.run} is part {self.shard} of a run; falter merge joins the parts"
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
        seed: int = 0,
    ) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)
        self.measures = tuple(measures)
        self.ablations = tuple(ablations)
        self.spreads = tuple(spreads)
        self.seed = seed

    @classmethod
    def from_runs(cls, runs: Sequence[RunScores], **settings: Any) -> Scores:
        """The table of the scores of several runs."""
        return cls((_run_score(run, score) for run in runs for score in run.scores), runs=runs, **settings)

    def replace_rows(self, rows: Sequence[RunScore]) -> Scores:
        return Scores(rows, runs=self.runs, measures=self.measures, seed=self.seed)

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
        for facet in facets:
            if facet is not None:
                yield f"By {facet}"
            yield self._grid(facet)
        plain = f" over images (1,000 resamples, seed {self.seed})" if not all(run.sampled for run in self.runs) else ""
        yield f"Percent, with 95 % intervals{plain}. --json adds signatures."
        yield from (note for run in self.runs for note in run.notes())
        yield from self._reasons()
        yield from image_ablation_blocks(self.ablations)
        for spread in self.spreads:
            yield from spread.blocks()

    def _grid(self, facet: str | None) -> Grid:
        from falter.measures.counting import MACRO, MICRO

        models = list(dict.fromkeys(row.model for row in self.rows))
        found = {(row.model, _group(row), row.measure): row for row in self.rows if row.facet == facet}
        groups = sorted({group for _, group, _ in found}, key=lambda group: (group.test in (MICRO, MACRO), group))
        rows = [(group, model) for group in groups for model in models]

        def column(measure: str) -> list[RunScore | None]:
            return [found.get((model, group, measure)) for group, model in rows]

        keys = [Column("test", first_of_group(rows, lambda group: f"{group.suite}:{group.test}"))]
        if facet is not None:
            keys.append(Column(facet, first_of_group(rows, lambda group: group.value or "")))
        keys.append(Column("model", text_cells(model for _, model in rows)))
        values = [
            Column(count.title, text_cells(format_count_score(one) for one in column(count.name)), right=True)
            for count in self.measures
            if count.scale == "count" and any(one is not None and one.value for one in column(count.name))
        ]
        values += [
            Column(split_heading(measure.title), [score_cell(one, measure) for one in column(measure.name)], right=True)
            for measure in self.measures
            if measure.scale != "count"
            and any(one is not None and one.value is not None for one in column(measure.name))
        ]
        return Grid(keys, values, frozenset(range(0, len(rows), len(models))))

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
            yield f"{model} has no {', '.join(measures)}: {reason}."


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
    )


def _group(row: RunScore) -> Group:
    return Group(row.suite, row.test, row.facet, row.facet_value)
