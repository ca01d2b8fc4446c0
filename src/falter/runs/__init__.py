"""Runs: one model's replies to one suite, appended as they come."""

from falter.runs.limit import select_probes
from falter.runs.manifest import ModelRecord, RunManifest, SuiteRecord
from falter.runs.settings import ImageSwitch, Settings
from falter.runs.store import Run, open_run

__all__ = [
    "ImageSwitch",
    "ModelRecord",
    "Run",
    "RunManifest",
    "Settings",
    "SuiteRecord",
    "open_run",
    "select_probes",
]
