"""What a run is scored over: the part of the suite that it was asked, without copies, and its replies read anew.

A run was asked all of its suite, the probes of a limit, or one part of several. The texts of stored replies are read as
the present reader of answers reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from falter.core.tables import format_count
from falter.data.model import own_id
from falter.data.suite import SuiteManifest
from falter.evaluation.measures.catalogue import measures_for, summaries_for
from falter.evaluation.measures.counting import Summary
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes import (
    Copies,
    accept_golds,
    choose_subset,
    count_copies,
    has_matching,
    merge_copies,
    read_items,
    read_replies,
    replies_from_frame,
    suites_in,
)
from falter.evaluation.measures.results import escape_part
from falter.evaluation.measures.scoring import facets_used
from falter.evaluation.runs.manifest import RunManifest
from falter.evaluation.runs.store import Run
from falter.evaluation.score_options import ScoreOptions, Subset

if TYPE_CHECKING:
    import polars as pl


def read_scored_items(
    path: Path,
    options: ScoreOptions,
    measures: Sequence[Measure] | None = None,
    *,
    probes: Collection[str] | None,
    summaries: Sequence[Summary] | None = (),
    facets: bool = False,
) -> tuple[pa.Table, Sequence[Measure]]:
    """The items to score and the measures of their suites; facets are read where they or a breakdown need them.

    The options have the subset that was chosen for the suite. Copies of a probe are left out: each counts once.
    """
    items = read_distinct_items(path, facets=facets or bool(options.by), subset=options.subset, probes=probes)
    suites = suites_in(items)
    own = measures_for(suites, options.measures) if measures is None else measures
    used = facets_used(own, summaries_for(suites) if summaries is None else summaries)
    if "facets" not in items.column_names and used:
        items = read_distinct_items(path, facets=True, subset=options.subset, probes=probes)
    return items, own


def read_distinct_items(
    path: Path, *, facets: bool = False, subset: Subset | None = None, probes: Collection[str] | None = None
) -> pa.Table:
    """The columns of items that scoring needs, without copies."""
    items, groups = _read_with_groups(path, facets=facets, subset=subset, probes=probes)
    return merge_copies(items, path, groups)


def _read_with_groups(
    path: Path, *, facets: bool = False, subset: Subset | None = None, probes: Collection[str] | None = None
) -> tuple[pa.Table, list[str]]:
    """The items, and the facets by which measures of their suites tell groups apart."""
    items = read_items(path, facets=facets, subset=subset, probes=probes)
    suites = suites_in(items)
    groups = facets_used(measures_for(suites), summaries_for(suites))
    if groups and "facets" not in items.column_names:
        items = read_items(path, facets=True, subset=subset, probes=probes)
    return items, groups


@lru_cache(maxsize=8)
def _count(path: Path, stamp: tuple[int, int], subset: Subset | None, probes: frozenset[str] | None) -> Copies:
    """``stamp`` is the time and size of the file, so that one written anew is read anew."""
    del stamp
    items, groups = _read_with_groups(path, subset=subset, probes=probes)
    return count_copies(items, path, groups)


def find_copies(path: Path, *, subset: Subset | None = None, probes: frozenset[str] | None = None) -> Copies:
    """How many probes of a suite (or of some of them) are copies, and how many items contradict others."""
    stat = path.stat()
    return _count(path, (stat.st_mtime_ns, stat.st_size), subset, probes)


def load_replies(run: Run, items: pa.Table) -> pa.Table:
    """The columns of a run's replies that scoring these items needs."""
    run.check_replies()
    if run.manifest.complete and run.is_read_now:
        return read_replies(run.replies_path(), scores=has_matching(items), texts="text" in items.column_names)
    return replies_from_frame(run.replies())


_IMAGE_INPUTS = {
    "none": "without images",
    "blank": "with a gray image in place of each",
    "shuffle": "with the image of another item",
}


class Limit(NamedTuple):
    """How many probes a limited run was to ask, and of how many."""

    asked: int
    probes: int

    def __str__(self) -> str:
        return f"--limit {self.asked} took {self.asked:,} of {format_count(self.probes, 'probes')}"


def find_limit(run: Run) -> Limit | None:
    """The limit of a run; None where it leaves nothing out."""
    limit = run.manifest.settings.get("limit")
    if limit is None:
        return None
    probes = len(run.suite())
    return None if limit >= probes else Limit(limit, probes)


def scope_parts(manifest: RunManifest, suite: SuiteManifest) -> tuple[str, ...]:
    """What signatures say of a run that was not asked the whole suite: ``limit:6-of-40``, ``shard:1/2``."""
    settings = manifest.settings
    limit, shard, probes = settings.get("limit"), settings.get("shard"), suite.counts.get("probes")
    counted = isinstance(probes, int)
    limited = limit is not None and not (counted and limit >= probes)
    return (
        *([f"limit:{limit}-of-{probes}" if counted else f"limit:{limit}"] if limited else []),
        *([] if shard is None else [f"shard:{escape_part(str(shard))}"]),
    )


def scope_notes(run: Run, subset: Subset | None = None) -> Iterator[str]:
    """What a reader of figures must know of what they are over, a sentence each: what was not asked, and copies."""
    limit = find_limit(run)
    if limit is not None:
        evenly = ", evenly over the tests, so totals weigh tests otherwise than the whole suite does"
        yield (
            f"{run.folder} asked a part of the suite: {limit} (drawn by the seed"
            f"{evenly if len(run.suite().tests()) > 1 else ''}); figures are over these alone"
        )
    if run.shard is not None:
        yield f"{run.folder} is part {run.shard} of a run; falter merge joins the parts"
    yield from copy_notes(run, subset)


def copy_notes(run: Run, subset: Subset | None = None) -> Iterator[str]:
    """Which of the probes are copies of others, and which items have several golds."""
    suite = run.suite()
    chosen = choose_subset(suite.items_path, subset)
    yield from find_copies(suite.items_path, subset=chosen, probes=run.population()).notes(suite.name)


def image_notes(run: Run, baseline: Run | None = None) -> Iterator[str]:
    """What a gate must say of runs that were not shown the images of the suite."""
    runs = [run] if baseline is None else [run, baseline]
    inputs = [one.manifest.settings.get("image") for one in runs]
    for one, given in zip(runs, inputs, strict=True):
        if given is not None:
            shown = _IMAGE_INPUTS.get(str(given), f"with --image-input {given}")
            yield f"{one.folder} ran {shown} (--image-input {given}): its replies tell nothing about the images"
    if len(set(inputs)) > 1:
        yield "one of the two runs was shown the images and the other was not: the gate compares an image ablation"


_KINDS = {"has_text": "text", "has_score": "score", "has_choice_scores": "choice_scores"}


def reread(replies: pl.DataFrame, items_path: Path, *, anew: bool) -> pl.DataFrame:
    """The columns ``status`` and ``answer`` of stored replies, as they are read now.

    ``anew`` reads all texts: another reader read them. Texts that no rule reads are read with the answers that their
    items accept, which no model and no run is told.
    """
    import polars as pl

    read = _read_anew(replies, items_path) if anew else replies
    if not has_unread_texts(read):
        return read.select("status", "answer")
    # A reply to one published id of an item is read as one to the item.
    table = read.with_columns(pl.col("item_id").str.split(own_id("", "")).list.first()).to_arrow()
    accepted = pl.from_arrow(accept_golds(read_items(items_path), table).select(["status", "answer"]))
    assert isinstance(accepted, pl.DataFrame)
    return accepted


def has_unread_texts(replies: pl.DataFrame) -> bool:
    """Whether there are texts that no rule reads: one may be an answer that its item accepts."""
    import polars as pl

    unread = (pl.col("status") == "unparsed") & pl.col("text").is_not_null()
    if "given" in replies.columns:
        unread &= ~pl.col("given").fill_null(value=False)
    return bool(replies.select(unread.any()).item())


def _read_anew(replies: pl.DataFrame, items_path: Path) -> pl.DataFrame:
    """Replies whose answers are read from their texts, row by row; those whose answers are not stay as they are.

    Equal texts with equal choices are read once.
    """
    import polars as pl

    from falter.evaluation.answers import read_reply

    # A reply to one published id of an item is read as one to the item.
    rows = replies.with_row_index("row").with_columns(pl.col("item_id").str.split(own_id("", "")).list.first())
    rows = rows.join(_questions(items_path), on="item_id", how="left", maintain_order="left")
    rows = rows.filter(_is_read(rows)).select("row", "text", "task", "choices", "question")
    distinct = rows.unique(["text", "question"], maintain_order=True)
    read = [
        read_reply(task, choices, text)
        for text, task, choices in zip(distinct["text"], distinct["task"], distinct["choices"].to_list(), strict=True)
    ]
    columns = pl.DataFrame(
        {"new_status": [one.status for one in read], "new_answer": [one.answer for one in read]},
        schema={"new_status": pl.String, "new_answer": pl.String},
    )
    found = rows.select("row", "text", "question").join(
        distinct.select("text", "question").hstack(columns), on=["text", "question"], how="left", nulls_equal=True
    )
    both = replies.select("status", "answer").with_row_index("row")
    both = both.join(found, on="row", how="left", maintain_order="left")
    is_new = pl.col("new_status").is_not_null()
    return replies.with_columns(
        both.select(
            status=pl.when(is_new).then("new_status").otherwise("status"),
            answer=pl.when(is_new).then("new_answer").otherwise("answer"),
        )
    )


def _is_read(rows: pl.DataFrame) -> pl.Series:
    """By row whether its answer is read from its text; the rule is asked once for every kind of reply."""
    import polars as pl

    from falter.evaluation.answers import is_read_from_text

    given = pl.col("given").fill_null(value=False) if "given" in rows.columns else _given_before_it_was_marked()
    kinds = rows.select(
        "task", "status", given=given, **{name: pl.col(column).is_not_null() for name, column in _KINDS.items()}
    )
    distinct = kinds.unique()
    # An item that the suite does not have has no task.
    is_read = [row["task"] is not None and is_read_from_text(**row) for row in distinct.iter_rows(named=True)]
    distinct = distinct.with_columns(is_read=pl.Series(is_read, dtype=pl.Boolean))
    return kinds.join(distinct, on=kinds.columns, how="left", nulls_equal=True, maintain_order="left")["is_read"]


def _given_before_it_was_marked() -> pl.Expr:
    """Old runs do not say which replies the model gave itself: those without an answer, where others have scores."""
    import polars as pl

    is_scored = pl.col("choice_scores").is_not_null() | ((pl.col("task") == "match") & pl.col("score").is_not_null())
    return is_scored.any().over("task", pl.col("choices").is_null()).fill_null(value=False)


def _questions(items_path: Path) -> pl.DataFrame:
    """By item its task and choices, and a number for each distinct combination of them."""
    import polars as pl

    items = read_items(items_path)
    frame = pl.DataFrame({name: pl.Series(pl.from_arrow(items[name])) for name in ("item_id", "task", "choices")})
    frame = frame.with_columns(pl.col("item_id", "task").cast(pl.String), pl.col("choices").cast(pl.List(pl.String)))
    frame = frame.unique("item_id", keep="first")
    distinct = frame.select("task", "choices").unique().with_row_index("question")
    return frame.join(distinct, on=["task", "choices"], how="left", nulls_equal=True)
