"""Exact LASSO rankings of many queries over one pool of vectors, each with its certificate."""

from __future__ import annotations

from falter.suites.basic_questions.lasso.ranker import LassoRanker
from falter.suites.basic_questions.lasso.results import NotCertified, NotCertifiedWarning, Path, Ranking
from falter.suites.basic_questions.lasso.shards import rank_in_shards

__all__ = ["LassoRanker", "NotCertified", "NotCertifiedWarning", "Path", "Ranking", "rank_in_shards"]
