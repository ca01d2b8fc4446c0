"""The replies to single open questions of a run, each judged by the official and by the careful rule."""

from __future__ import annotations

from falter.answers.open_answers import find_oddity, given_answer
from falter.files import open_parquet
from falter.measures.outcomes import EXCLUDED, judge_open_questions
from falter.runs.published_ids import join_own_replies
from falter.runs.results.open_answers import OpenAnswer
from falter.runs.scored_items import load_replies, read_distinct_items
from falter.runs.store import Run

__all__ = ["open_answers_of_run"]


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
