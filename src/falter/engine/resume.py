"""Starts a run in a folder, or resumes the one in it: replies on disk are kept, and only missing items are asked."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from falter.answers import READER_VERSION
from falter.errors import UsageError
from falter.models.capabilities import Capabilities
from falter.models.protocol import Model
from falter.probes import Suite
from falter.runs.manifest import ModelRecord, RunManifest, SuiteRecord, read_run_manifest
from falter.runs.settings import RunSettings
from falter.runs.suite_location import path_to_suite
from falter.safe import hide_address

__all__ = ["differences", "image_folder", "manifest_for", "remove_leftovers", "start_or_resume"]

_TEMPORARY = ".tmp-"


def manifest_for(
    suite: Suite, model: Model, settings: RunSettings, *, out: Path, spec: str, name: str | None = None
) -> RunManifest:
    """The manifest of a run that begins in ``out``; ``name`` is what to call the model, if not by its own name."""
    declared = model.capabilities
    prompt = declared.prompt_used()
    return RunManifest(
        model=ModelRecord(
            spec=hide_address(spec),
            name=settings.named(model.name if name is None else name),
            fingerprint=model.fingerprint,
            abilities=tuple(sorted(declared.tasks)),
            needs_image=declared.needs_image,
            rule=declared.method or None,
            prompt=None if prompt is None else prompt.name,
            prompt_fingerprint=None if prompt is None else prompt.fingerprint,
            prompted=_prompted(declared),
        ),
        suite=SuiteRecord(
            name=suite.name,
            path=path_to_suite(out, suite.folder),
            fingerprint=suite.fingerprint,
            items=suite.item_count,
        ),
        settings=settings.recorded(),
        reader=READER_VERSION,
    )


def _prompted(declared: Capabilities) -> tuple[str, ...] | None:
    """The tasks that a model has a prompt for, where it is asked to do others without."""
    tasks = tuple(sorted(task for task in declared.tasks if declared.prompt_used(task) is not None))
    return tasks if 0 < len(tasks) < len(declared.tasks) else None


def start_or_resume(out: Path, new: RunManifest) -> RunManifest | None:
    """The manifest of the run that a folder holds, if it can be resumed; None where there is none yet.

    A run with a smaller limit can be: limits are nested, unless probes are asked in random order.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file, not a folder; choose another --out")
    if not (out / "run.json").exists():
        others = sorted(path.name for path in out.iterdir() if _TEMPORARY not in path.name) if out.exists() else []
        if others:
            raise UsageError(f"{out} is not empty and holds no run (it has {others[0]}); choose another --out")
        return None
    old = read_run_manifest(out)
    found = differences(old, new)
    if found and not differences(old, new, ignore=_ignored_for_limit(new)):
        was, now = old.settings.get("limit"), new.settings.get("limit")
        if was is not None and (now is None or now > was):
            return old
        if was is not None:
            raise UsageError(
                f"{out} holds a run with --limit {was}: a limit can be raised in place, not lowered to {now}; "
                "choose another --out"
            )
    if found:
        raise UsageError(f"{out} holds another run ({'; '.join(found)}); choose another --out or remove it")
    return old


def _ignored_for_limit(new: RunManifest) -> tuple[str, ...]:
    """The settings in which a run that goes on with another limit may differ."""
    if new.settings.get("order") == "random":
        return ()
    # Where nothing is drawn any more, no seed is recorded.
    return ("limit",) if "seed" in new.settings else ("limit", "seed")


def remove_leftovers(out: Path) -> None:
    """Remove what a killed process left half-written; call it with the folder locked."""
    for path in out.iterdir():
        if path.name.startswith(".") and _TEMPORARY in path.name:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


@contextmanager
def image_folder(out: Path) -> Iterator[Path]:
    """A folder for images that are shown during a run; removed when it ends, or by the next one if it is killed."""
    folder = Path(tempfile.mkdtemp(prefix=f".images{_TEMPORARY}", dir=out))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def differences(old: RunManifest, new: RunManifest, *, ignore: Collection[str] = ()) -> list[str]:
    """In what two runs differ, but for the settings to ignore; none where they could be one."""
    found = []
    if old.model.fingerprint != new.model.fingerprint:
        if old.model.name == new.model.name:
            was, now = old.model.fingerprint[:12], new.model.fingerprint[:12]
            found.append(f"the model {new.model.name} has changed (fingerprint {was}, now {now})")
        else:
            found.append(f"its model is {old.model.name}, not {new.model.name}")
    if old.suite.fingerprint != new.suite.fingerprint:
        found.append(f"its suite is {old.suite.path}, and {new.suite.path} differs from that")
    # How answers are compared changes no reply: it is done anew whenever a run is scored.
    ignored = {*ignore, "answers"}
    found.extend(
        f"its {name} is {old.settings.get(name)}, not {new.settings.get(name)}"
        for name in sorted({*old.settings, *new.settings})
        if name not in ignored and old.settings.get(name) != new.settings.get(name)
    )
    return found
