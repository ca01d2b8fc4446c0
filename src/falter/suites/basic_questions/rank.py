"""``falter.rank``: the nearest questions of a pool, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from falter.authoring.options import build_options
from falter.errors import UsageError
from falter.parallel import executor_for
from falter.sources import Source, open_source
from falter.sources.protocol import Question
from falter.suites.basic_questions.options import RankingOptions
from falter.suites.basic_questions.pool import QuestionPool, normal_form, read_pool
from falter.suites.basic_questions.ranked_pool import RankedPool
from falter.suites.basic_questions.ranking import Rankings

__all__ = ["questions_from_texts", "rank"]


def questions_from_texts(texts: Sequence[str]) -> list[Question]:
    """Main questions from texts alone; one without any word is a UsageError."""
    if not all(normal_form(text) for text in texts):
        raise UsageError("a question without any word cannot be ranked for")
    return [Question(id=str(index), image_id="", text=text) for index, text in enumerate(texts)]


def rank(
    queries: Sequence[str] | str,
    pool: Sequence[str] | str | Source,
    *,
    ranker: str = "lasso",
    top: int = 21,
    workers: int = 1,
    **options: Any,
) -> Rankings:
    """Rank a pool of questions by their similarity to each query.

    ``pool`` is a source, its spec (``"vqa:data/train"``), or the questions themselves. Further options are those of
    ``falter basic-questions rank``, such as ``encoder``.

    >>> found = rank("Is the dog red?", ["Is the cat red?", "How many trees?"], ranker="bleu-1")
    >>> [question.text for question in found.basics["Is the dog red?"]]
    ['Is the cat red?']
    """
    chosen = build_options("rank", RankingOptions, {"ranker": (ranker,), **options})
    assert chosen is not None
    main = questions_from_texts([queries] if isinstance(queries, str) else list(queries))
    if isinstance(pool, Sequence) and not isinstance(pool, str):
        questions = QuestionPool(texts=tuple(pool))
    else:
        source = open_source(pool) if isinstance(pool, str) else pool
        without = frozenset(normal_form(question.text) for question in main)
        questions = read_pool([source], kind=chosen.pool_type, without=without, keep_duplicates=chosen.keep_duplicates)
    if not len(questions):
        raise UsageError("no question is left in the pool; give another one")
    ranked = RankedPool.rank(main, questions, chosen, executor=executor_for(workers), top=top)
    return ranked.rankings[ranker]
