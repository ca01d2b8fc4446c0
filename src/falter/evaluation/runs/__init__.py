"""Runs: one model's replies to one suite, appended as they come."""

from falter.data.image_mode import ImageInput
from falter.evaluation.runs.asked import select_probes
from falter.evaluation.runs.manifest import ModelRecord, RunManifest, RunSettings, Shard, SuiteRecord, UntilSettings
from falter.evaluation.runs.store import RUN_FOLDER, Run, open_run

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
