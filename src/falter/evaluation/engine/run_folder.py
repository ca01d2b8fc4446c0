"""The folder of a run: starts a run in it, or resumes the one in it with the same limit or a larger one.

Replies on disk are kept, and only missing items are asked; the probes of a smaller limit are among those of the larger.
Two things are written down while the run goes on: the names of models under which a server replied, as soon as they are
known, and what the run takes of the server, within a second and on top of what it took before.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from falter.core.errors import UsageError
from falter.core.files import write_atomically
from falter.core.untrusted_text import hide_address
from falter.data.model import Capabilities, Model
from falter.data.suite import Suite
from falter.data.usage import RunUsage, Usage, read_usage, sum_usage, write_usage
from falter.evaluation.answers import READER_VERSION
from falter.evaluation.runs.manifest import (
    ModelRecord,
    RunManifest,
    RunSettings,
    SuiteRecord,
    path_to_suite,
    read_run_manifest,
    write_run_manifest,
)
from falter.evaluation.runs.replies import LogContent, encode_replies, read_log, read_replies, replies_from_table
from falter.evaluation.runs.store import log_name, open_run, parquet_name

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


def is_raised(old: RunManifest | None, new: RunManifest) -> bool:
    """Whether a run that can be resumed goes on with a larger limit."""
    return old is not None and old.settings.get("limit") != new.settings.get("limit")


def check_raise(out: Path, old: RunManifest | None, new: RunManifest, model: Model) -> None:
    """Refuse a larger limit where the replies so far may belong to other items then."""
    if is_raised(old, new) and model.capabilities.join_ids is not None:
        raise UsageError(
            f"{out} holds a run with another --limit, and {model.name} looks its replies up by published ids, which "
            "depends on all items of a run; choose another --out"
        )


def read_so_far(out: Path, old: RunManifest | None, suite: Suite, repeat: int) -> list[LogContent]:
    """The replies of each repetition: from the logs, or from the files of a complete run as logs would hold them."""
    numbers = range(1, repeat + 1)
    if old is None or not old.complete:
        return [read_log(out / log_name(number)) for number in numbers]
    run = open_run(out, suite_folder=suite.folder)
    run.check_replies()
    contents = []
    for number in numbers:
        replies = {reply.item_id: reply for reply in replies_from_table(read_replies(run.replies_path(number)))}
        contents.append(LogContent(replies, len(encode_replies(replies.values()))))
    return contents


def write_logs(out: Path, contents: Sequence[LogContent]) -> None:
    """Write logs beside a complete run. A crash leaves it complete, until ``run.json`` says otherwise."""
    for number, content in enumerate(contents, start=1):
        write_atomically(out / log_name(number), encode_replies(content.replies.values()))


def remove_parquet(out: Path, repeat: int) -> None:
    """Remove the files of a run that is no longer complete: its logs hold what they did."""
    for number in range(1, repeat + 1):
        (out / parquet_name(number)).unlink(missing_ok=True)


class ReplyNames:
    """Keeps the manifest of a run that is under way."""

    def __init__(self, out: Path, manifest: RunManifest, model: Model) -> None:
        self._out = out
        self._names = model.capabilities.replied_as
        self.manifest = manifest

    def update(self) -> None:
        """Write the manifest anew where a name is new; call it from one thread at a time."""
        names = () if self._names is None else tuple(self._names())
        if set(names) <= set(self.manifest.model.replied_as):
            return
        self.manifest = with_reply_names(self.manifest, names)
        write_run_manifest(self._out, self.manifest)


def with_reply_names(manifest: RunManifest, names: Iterable[str]) -> RunManifest:
    """The manifest with further names."""
    merged = tuple(sorted({*manifest.model.replied_as, *names}))
    return msgspec.structs.replace(manifest, model=msgspec.structs.replace(manifest.model, replied_as=merged))


_SECONDS_TO_WRITE = 1.0


@runtime_checkable
class UsageObserver(Protocol):
    """An observer of a run that is also given the counter of a model that has one."""

    def on_usage(self, usage: Usage) -> None:
        """Called once, before the plan; the counter goes on while the model is called."""
        ...


@contextmanager
def keep_usage(out: Path, model: Model, observer: object) -> Iterator[UsageKeeper]:
    """Keep the record of a run while the block lasts, however it ends, and let an observer watch the counter."""
    counter = model.capabilities.usage
    if counter is not None and isinstance(observer, UsageObserver):
        observer.on_usage(counter)
    keeper = UsageKeeper(out, model)
    try:
        yield keeper
    finally:
        keeper.write()


class UsageKeeper:
    """Adds what a model counts from now on to the record of a run."""

    def __init__(self, out: Path, model: Model) -> None:
        self._out = out
        self._counter = model.capabilities.usage
        if self._counter is None:
            return
        self._before = read_usage(out) or RunUsage()
        self._began = self._counter.record()
        self._lock = threading.Lock()
        self._written_at = time.monotonic()
        self._written = self._before

    def update(self) -> None:
        """Write the record where the last one is old."""
        if self._counter is not None and time.monotonic() - self._written_at >= _SECONDS_TO_WRITE:
            self.write()

    def write(self) -> None:
        """Write the record, if anything was counted since."""
        if self._counter is None:
            return
        with self._lock:
            self._written_at = time.monotonic()
            now = sum_usage([self._before, self._counter.record().since(self._began)])
            if now != self._written:
                write_usage(self._out, now)
                self._written = now
