"""Runs: one model's replies to one suite, appended as they come."""

from falter.runs.limit import select_probes
from falter.runs.manifest import ModelRecord, RunManifest, SuiteRecord
from falter.runs.settings import ImageInput, RunSettings, UntilSettings
from falter.runs.shard import Shard
from falter.runs.store import RUN_FOLDER, Run, open_run

__all__ = [
    "RUN_FOLDER",
    "ImageInput",
    "ModelRecord",
    "Run",
    "RunManifest",
    "RunSettings",
    "Shard",
    "SuiteRecord",
    "UntilSettings",
    "open_run",
    "select_probes",
]
