"""Runs a model on a suite: what to ask, what it will take, asking it, resuming."""

from falter.engine.cache import ReplyCache
from falter.engine.circuit_breaker import ModelBroken
from falter.engine.estimate import Estimate
from falter.engine.plan import Plan
from falter.engine.run import Reporter, dry_run, run_suite

__all__ = ["Estimate", "ModelBroken", "Plan", "ReplyCache", "Reporter", "dry_run", "run_suite"]
