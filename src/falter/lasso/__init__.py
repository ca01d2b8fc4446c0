"""Exact LASSO rankings of many queries over one pool of vectors, each with a certificate of optimality."""

from __future__ import annotations

from falter.lasso.ranker import LassoRanker, rank_in_shards
from falter.lasso.results import LassoPath, NotCertifiedError, NotCertifiedWarning, Ranking

__all__ = ["LassoPath", "LassoRanker", "NotCertifiedError", "NotCertifiedWarning", "Ranking", "rank_in_shards"]
