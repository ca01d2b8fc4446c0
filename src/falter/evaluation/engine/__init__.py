"""Runs a model on a suite: planning, estimating, calling the model, caching, resuming."""

from falter.evaluation.engine.cache import ReplyCache
from falter.evaluation.engine.estimate import CostEstimate
from falter.evaluation.engine.merge import merge_runs
from falter.evaluation.engine.model_calls import ModelBrokenError, StoppingRule
from falter.evaluation.engine.plan import Plan
from falter.evaluation.engine.run import RunObserver, dry_run, run_suite
from falter.evaluation.engine.run_folder import UsageObserver

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
