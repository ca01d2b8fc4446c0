"""Runs: one model's replies to one suite, appended as they come."""

from falter.runs.cache import ReplyCache
from falter.runs.engine import Reporter, dry_run, run_suite
from falter.runs.estimate import Estimate
from falter.runs.manifest import ModelRecord, RunManifest, SuiteRecord
from falter.runs.patience import ModelBroken
from falter.runs.plan import Plan
from falter.runs.selection import select_probes
from falter.runs.settings import ImageSwitch, Settings
from falter.runs.store import Run, open_run

__all__ = [
    "Estimate",
    "ImageSwitch",
    "ModelBroken",
    "ModelRecord",
    "Plan",
    "ReplyCache",
    "Reporter",
    "Run",
    "RunManifest",
    "Settings",
    "SuiteRecord",
    "dry_run",
    "open_run",
    "run_suite",
    "select_probes",
]
