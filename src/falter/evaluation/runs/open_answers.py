"""The replies to single open questions of a run, each judged by the official and by the careful rule, and their table.

The table shows what either rule makes of the replies, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import get_args

import msgspec

from falter.core.files import open_parquet
from falter.core.tables import Block, Column, Grid, ResultTable
from falter.evaluation.answers.open_answers import Oddity, find_oddity
from falter.evaluation.answers.open_answers.reply_claims import given_answer
from falter.evaluation.measures.outcomes import EXCLUDED, Outcome
from falter.evaluation.measures.outcomes.open_questions import judge_open_questions
from falter.evaluation.runs.replies import join_own_replies
from falter.evaluation.runs.scored_items import load_replies, read_distinct_items
from falter.evaluation.runs.store import Run
from falter.evaluation.runs.table_cells import text_cells

_SHOWN = 20


class OpenAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A reply to an open question, and what it is worth by either rule; both are null where there is no reply."""

    model: str
    suite: str
    test: str
    item_id: str
    source_id: str | None
    image_id: str | None
    question: str
    gold: str | None
    reply: str | None
    answer: str | None
    """What the reply gives as its answer: the answer field of a JSON object, else the whole text."""
    outcome: Outcome
    official: float | None
    careful: float | None
    oddity: Oddity | None

    @property
    def differs(self) -> bool:
        """Whether the rules judge the reply differently."""
        return self.official != self.careful


class OpenAnswers(ResultTable[OpenAnswer]):
    """Replies to open questions; what is printed of each run, and the first replies on which the rules differ."""

    noun = "open answers"

    def differing(self) -> OpenAnswers:
        """Those that the two rules judge differently."""
        return OpenAnswers(one for one in self.rows if one.differs)

    def turned_orders(self) -> list[tuple[str, str]]:
        """The pairs of models of which one is better by the official rule, and the other by the careful one."""
        models = list(dict.fromkeys(one.model for one in self.rows))
        worth = {model: self._worth(model) for model in models}
        return [
            (first, second)
            for first, second in combinations(models, 2)
            if (worth[first][0] - worth[second][0]) * (worth[first][1] - worth[second][1]) < 0
        ]

    def _worth(self, model: str) -> tuple[float, float]:
        own = [one for one in self.rows if one.model == model and one.official is not None]
        means = [sum(values) / max(len(own), 1) for values in _columns(own)]
        return means[0], means[1]

    def blocks(self) -> Iterator[Block]:
        if not self.rows:
            yield "There is no open question: each has choices or variants."
            return
        models = list(dict.fromkeys(one.model for one in self.rows))
        yield Grid([Column("model", text_cells(models))], list(self._figures(models)))
        turned = self.turned_orders()
        if len(models) > 1:
            pairs = len(models) * (len(models) - 1) // 2
            names = "".join(f"\n  {first}, {second}" for first, second in turned)
            yield f"Orders of two models that turn with the rule: {len(turned)} of {pairs}.{names}"
        differing = self.differing().rows
        shown = differing[:_SHOWN]
        if shown:
            yield Grid(
                [Column("model", text_cells(one.model for one in shown))],
                [
                    Column("question", text_cells(one.question for one in shown)),
                    Column("gold", text_cells(one.gold or "" for one in shown)),
                    Column("answer", text_cells(" ".join((one.answer or "").split())[:60] for one in shown)),
                    Column("official", text_cells(f"{one.official:g}" for one in shown), right=True),
                    Column("careful", text_cells(f"{one.careful:g}" for one in shown), right=True),
                ],
            )
            yield f"The first {len(shown):,} of {len(differing):,} replies on which the rules differ; --csv writes all."

    def _figures(self, models: Sequence[str]) -> Iterator[Column]:
        own = {model: [one for one in self.rows if one.model == model] for model in models}
        shares = {model: self._worth(model) for model in models}
        outcomes = {model: Counter(one.outcome for one in rows) for model, rows in own.items()}
        oddities = {model: Counter(one.oddity for one in rows) for model, rows in own.items()}

        def count(heading: str, values: Iterable[int]) -> Column:
            return Column(heading, text_cells(f"{value:,}" for value in values), right=True)

        yield count("questions", (len(own[model]) for model in models))
        for place, name in enumerate(("official", "careful")):
            yield Column(name, text_cells(f"{100 * shares[model][place]:.1f}" for model in models), right=True)
        yield count("differ", (sum(one.differs for one in own[model]) for model in models))
        yield count("truncated", (outcomes[model]["truncated"] for model in models))
        for oddity in get_args(Oddity):
            if any(oddities[model][oddity] for model in models):
                yield count(oddity, (oddities[model][oddity] for model in models))


def _columns(rows: Iterable[OpenAnswer]) -> tuple[list[float], list[float]]:
    judged = [(one.official or 0.0, one.careful or 0.0) for one in rows]
    return [one for one, _ in judged], [two for _, two in judged]


def open_answers_of_run(run: Run, model: str) -> list[OpenAnswer]:
    """Every reply to a single open question, in the order of the suite; ``model`` is what the run is called."""
    path = run.suite().items_path
    items = read_distinct_items(path, probes=run.probe_ids())
    if "text" not in items.column_names:
        return []
    items, (replies,) = join_own_replies(path, items, [load_replies(run, items)])
    items, found, outcomes = judge_open_questions(items, replies, where=str(path))
    published = open_parquet(path, ["item_id", "source_id"]).read(["item_id", "source_id"])
    source_ids = dict(zip(*(published[name].to_pylist() for name in published.column_names), strict=True))
    names = ["suite", "test", "item_id", "image_id", "text", "gold"]
    rows = items.select(names).take(found.rows).to_pylist()
    answers = []
    for row, text, outcome, official, careful in zip(
        rows, found.texts, outcomes, found.official.tolist(), found.careful.tolist(), strict=True
    ):
        excluded = outcome in EXCLUDED
        answers.append(
            OpenAnswer(
                model=model,
                source_id=source_ids.get(row["item_id"]),
                question=row.pop("text"),
                reply=text,
                answer=None if text is None else given_answer(text),
                outcome=outcome,
                official=None if excluded else official,
                careful=None if excluded else careful,
                oddity=None if text is None else find_oddity(text),
                **row,
            )
        )
    return answers
