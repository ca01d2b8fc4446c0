"""Exact LASSO rankings of many queries over one pool of vectors, each with a certificate of optimality."""

from __future__ import annotations

from falter.lasso.ranker import LassoRanker
from falter.lasso.results import LassoPath, NotCertifiedError, NotCertifiedWarning, Ranking
from falter.lasso.shards import rank_in_shards

__all__ = ["LassoPath", "LassoRanker", "NotCertifiedError", "NotCertifiedWarning", "Ranking", "rank_in_shards"]
