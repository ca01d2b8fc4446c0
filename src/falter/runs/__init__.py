"""Runs: one model's replies to one suite, appended as they come."""

from falter.runs.manifest import ModelRecord, RunManifest, SuiteRecord
from falter.runs.store import Run, open_run

__all__ = ["ModelRecord", "Run", "RunManifest", "SuiteRecord", "open_run"]
