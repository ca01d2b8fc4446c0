"""Making one run out of the parts of a divided one, as if it had never been divided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import msgspec
import pyarrow as pa

from falter.core.errors import FalterError, InputError, UsageError
from falter.core.files import atomic_folder, refuse_full_folder
from falter.core.tables import format_count
from falter.data.model import Reply, split_own_id
from falter.data.suite import Suite
from falter.data.usage import sum_usage, write_usage
from falter.evaluation.engine.requests import distinct_requests
from falter.evaluation.engine.run_folder import differences, with_reply_names
from falter.evaluation.runs.asked import select_probes
from falter.evaluation.runs.manifest import RunManifest, Shard, find_suite, path_to_suite, write_run_manifest
from falter.evaluation.runs.replies import (
    ReplyLog,
    lock_folder,
    read_log,
    read_replies,
    replies_from_table,
    write_replies,
)
from falter.evaluation.runs.store import (
    RUN_FOLDER,
    Run,
    count_statuses,
    log_name,
    open_run,
    parquet_name,
    write_complete_manifest,
)

Parts: TypeAlias = "list[tuple[Shard, Run]]"


def merge_runs(
    parts: Sequence[str | Path], out: str | Path, *, suite_folder: str | Path | None = None, overwrite: bool = False
) -> Run:
    """Write the run that all parts of it make together, byte for byte as an undivided one.

    All parts must be of one model, suite and settings. Where one is incomplete, so is the whole, and running the model
    again on it asks for the rest. ``suite_folder`` says where the suite is now, if that is not where part 1 found it.
    """
    out = Path(out)
    folders = [Path(part) for part in parts]
    inputs = folders if suite_folder is None else [*folders, Path(suite_folder)]
    refuse_full_folder(out, overwrite=overwrite, kind=RUN_FOLDER, inputs=inputs)
    _ordered_parts([open_run(folder) for folder in folders])
    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(lock_folder(folder))
        found = _ordered_parts([open_run(folder) for folder in folders])
        suite = _suite_of_parts(found, None if suite_folder is None else Path(suite_folder))
        manifest = _whole_manifest(found, path_to_suite(out, suite))
        with atomic_folder(out, overwrite=overwrite, kind=RUN_FOLDER, inputs=[*inputs, suite]) as folder:
            if all(run.manifest.complete for _, run in found):
                _write_complete(folder, manifest, found)
            else:
                _write_incomplete(folder, manifest, found, suite)
            usages = [usage for _, run in found if (usage := run.usage) is not None]
            if usages:
                write_usage(folder, sum_usage(usages))
    return open_run(out)


def _ordered_parts(runs: Sequence[Run]) -> Parts:
    """The parts by their number; one that is missing, doubled or of another run is refused."""
    parts: dict[Shard, Run] = {}
    for run in runs:
        if run.shard is None:
            raise UsageError(f"{run.folder} is a whole run; falter merge takes runs made with --shard i/N")
        if run.shard in parts:
            raise UsageError(f"part {run.shard} is given twice: {parts[run.shard].folder} and {run.folder}")
        parts[run.shard] = run
    if not parts:
        raise UsageError("there is no part to merge")
    first_shard, first = next(iter(parts.items()))
    for shard, run in parts.items():
        found = differences(first.manifest, run.manifest, ignore=("shard",))
        if first.manifest.model.name != run.manifest.model.name:
            found = found or [f"its model is {first.manifest.model.name}, not {run.manifest.model.name}"]
        if first.manifest.falter != run.manifest.falter:
            found.append(f"its version of falter is {first.manifest.falter}, not {run.manifest.falter}")
        if first_shard.total != shard.total:
            found.append(f"it is one of {format_count(first_shard.total, 'parts')}, not of {shard.total}")
        if found:
            raise UsageError(f"{first.folder} and {run.folder} are not parts of one run: {'; '.join(found)}")
    wanted = [Shard(number, first_shard.total) for number in range(1, first_shard.total + 1)]
    missing = [str(shard) for shard in wanted if shard not in parts]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise UsageError(f"part {', '.join(missing)} {verb} missing; falter merge takes all parts of a run")
    return sorted(parts.items())


def _suite_of_parts(parts: Parts, suite_folder: Path | None) -> Path:
    """Where the suite is; complete parts are merged without it, and then this is where it was."""
    first = parts[0][1]
    if suite_folder is not None:
        return open_run(first.folder, suite_folder=suite_folder).suite().folder
    try:
        return find_suite(first.folder, first.manifest.suite)
    except FalterError:
        return first.folder.resolve() / first.manifest.suite.path


def _whole_manifest(parts: Parts, path: str) -> RunManifest:
    """What ``run.json`` of the undivided run says before its replies are counted."""
    first = parts[0][1].manifest
    first = with_reply_names(first, (name for _, run in parts for name in run.manifest.model.replied_as))
    return msgspec.structs.replace(
        first,
        suite=msgspec.structs.replace(first.suite, path=path),
        settings={name: value for name, value in first.settings.items() if name != "shard"},
        asked=sum(run.manifest.asked for _, run in parts),
        complete=False,
        counts={},
        files={},
        reader=first.reader if all(run.manifest.reader == first.reader for _, run in parts) else None,
    )


def _write_complete(folder: Path, manifest: RunManifest, parts: Parts) -> None:
    counts: dict[str, int] = {}
    for number in range(1, parts[0][1].repeat + 1):
        tables = [read_replies(run.replies_path(number)) for _, run in parts]
        table = pa.concat_tables(tables, promote_options="default")
        if len(table) != manifest.asked:
            raise InputError(
                parts[0][1].folder,
                f"and its other parts hold {format_count(len(table), 'replies')} to "
                f"{format_count(manifest.asked, 'items')}",
                hint="run the parts again",
            )
        write_replies(folder / parquet_name(number), table)
    for _, run in parts:
        for status, count in run.manifest.counts.items():
            counts[status] = counts.get(status, 0) + count
    write_complete_manifest(folder, manifest, counts, parts[0][1].repeat)


def _write_incomplete(folder: Path, manifest: RunManifest, parts: Parts, suite_folder: Path) -> None:
    """The logs, in the order of the suite, so that the run can be resumed."""
    suite = open_run(parts[0][1].folder, suite_folder=suite_folder).suite()
    logs: list[dict[str, Reply]] = []
    for number in range(1, parts[0][1].repeat + 1):
        replies: dict[str, Reply] = {}
        for _, run in parts:
            replies |= _replies(run, number)
        order = _item_order(suite, manifest, replies)
        logs.append({item_id: replies[item_id] for item_id in order if item_id in replies})
        if replies:
            with ReplyLog(folder / log_name(number)) as log:
                log.append(logs[-1].values())
    if all(run.manifest.counts for _, run in parts):
        # A run that was killed has counted nothing yet, and neither has one of which a part was.
        manifest = msgspec.structs.replace(manifest, counts=count_statuses(logs[0]))
    write_run_manifest(folder, manifest)


def _item_order(suite: Suite, manifest: RunManifest, replies: Mapping[str, Reply]) -> list[str]:
    limit = manifest.settings.get("limit")
    probes = None if limit is None else select_probes(suite, limit=limit, seed=manifest.settings.get("seed", 0))
    own = {(item_id, source_id) for item_id, source_id in map(split_own_id, replies) if source_id is not None}
    return [request.item_id for request in distinct_requests(suite, probes, own=own)]


def _replies(run: Run, number: int) -> dict[str, Reply]:
    if run.manifest.complete:
        table = read_replies(run.replies_path(number))
        return {reply.item_id: reply for reply in replies_from_table(table)}
    return read_log(run.folder / log_name(number)).replies
