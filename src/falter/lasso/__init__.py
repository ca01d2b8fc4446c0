"""Exact LASSO rankings of many queries over one pool of vectors, each with its certificate."""

from __future__ import annotations

from falter.lasso.ranker import LassoRanker
from falter.lasso.results import NotCertified, NotCertifiedWarning, Path, Ranking
from falter.lasso.shards import rank_in_shards

__all__ = ["LassoRanker", "NotCertified", "NotCertifiedWarning", "Path", "Ranking", "rank_in_shards"]
