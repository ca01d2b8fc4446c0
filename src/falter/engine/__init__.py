"""Runs a model on a suite: planning, estimating, calling the model, caching, resuming."""

from falter.engine.cache import ReplyCache
from falter.engine.circuit_breaker import ModelBrokenError
from falter.engine.estimate import CostEstimate
from falter.engine.merge import merge_runs
from falter.engine.plan import Plan
from falter.engine.run import RunObserver, dry_run, run_suite
from falter.engine.run_usage import UsageObserver
from falter.engine.stopping import StoppingRule

__all__ = [
    "CostEstimate",
    "ModelBrokenError",
    "Plan",
    "ReplyCache",
    "RunObserver",
    "StoppingRule",
    "UsageObserver",
    "dry_run",
    "merge_runs",
    "run_suite",
]
