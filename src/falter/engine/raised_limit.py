"""Going on in the folder of a run with a larger limit: the probes of the smaller one are among those of the larger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from falter.errors import UsageError
from falter.files import write_atomically
from falter.models.protocol import Model
from falter.probes import Suite
from falter.runs.manifest import RunManifest
from falter.runs.reply_log import LogContent, encode_replies, read_log
from falter.runs.schema import read_replies, replies_from_table
from falter.runs.store import log_name, open_run, parquet_name

__all__ = ["check_raise", "is_raised", "read_so_far", "remove_parquet", "write_logs"]


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
