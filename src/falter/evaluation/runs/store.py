"""A run on disk: opening it, reading its replies, and closing it up when everything is answered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import msgspec

from falter.core.errors import InputError
from falter.core.files import FolderKind, NameTest, check_file, read_frame, sha256_of_file
from falter.data.model import Reply
from falter.data.suite import Suite, open_suite
from falter.evaluation.answers import READER_VERSION
from falter.evaluation.runs.asked import (
    ASKED_NAME,
    Sampled,
    check_count,
    check_replies,
    item_ids,
    probes_in_order,
    read_rounds,
    select_probes,
    whole_probes,
)
from falter.evaluation.runs.manifest import (
    HINT,
    RunManifest,
    Shard,
    find_suite,
    read_run_manifest,
    write_run_manifest,
)
from falter.evaluation.runs.replies import REPLY_SCHEMA, read_log, replies_to_table, write_replies
from falter.evaluation.score_options import PairOptions, ScoreKeywords, read_options

if TYPE_CHECKING:
    import polars as pl

    from falter.data.usage import RunUsage
    from falter.evaluation.runs.failure_table import FailureTable
    from falter.evaluation.runs.open_answers import OpenAnswers
    from falter.evaluation.runs.score_tables import Scores

LOG_NAME = "replies.jsonl"
PARQUET_NAME = "replies.parquet"


def _own_files(folder: Path) -> NameTest | None:
    if not (folder / "run.json").is_file():
        return None
    read_run_manifest(folder)
    return lambda path: _own_file().fullmatch(path) is not None


@cache
def _own_file() -> re.Pattern[str]:
    from falter.data.usage import USAGE_NAME

    return re.compile(rf"run\.json|{re.escape(USAGE_NAME)}|{re.escape(ASKED_NAME)}|replies(-\d+)?\.(jsonl|parquet)")


RUN_FOLDER = FolderKind("a run", _own_files)


def log_name(number: int) -> str:
    """The log of the first, second ... time that everything is asked.

    >>> log_name(1), log_name(2)
    ('replies.jsonl', 'replies-2.jsonl')
    """
    return LOG_NAME if number == 1 else f"replies-{number}.jsonl"


def parquet_name(number: int) -> str:
    """The Parquet file of the first, second ... time that everything is asked."""
    return PARQUET_NAME if number == 1 else f"replies-{number}.parquet"


class Run:
    """One model's replies to one suite."""

    def __init__(self, folder: str | Path, suite_folder: str | Path | None = None) -> None:
        self.folder = Path(folder)
        self.manifest: RunManifest = read_run_manifest(self.folder)
        self._suite_folder = None if suite_folder is None else Path(suite_folder)
        self._replies_checked = False
        self.image_dirs: tuple[Path, ...] = ()
        """Where images may be read from besides the suite's own folder."""
        self._reread: dict[int, pl.DataFrame] = {}
        self._sampled: Sampled | None = None
        self._sampled_known = False

    def __repr__(self) -> str:
        manifest = self.manifest
        part = "" if self.shard is None else f", part {self.shard}"
        state = "complete" if manifest.complete else "incomplete"
        return (
            f"Run({manifest.model.name!r}, suite {manifest.suite.name!r}, "
            f"{self.answered:,} of {manifest.asked:,} answered{part}, {state})"
        )

    @property
    def answered(self) -> int:
        """How many distinct items have a reply that is neither failed nor unsupported."""
        counts = self.manifest.counts or count_statuses(read_log(self.folder / LOG_NAME).replies)
        return sum(count for status, count in counts.items() if status not in ("failed", "unsupported"))

    @property
    def usage(self) -> RunUsage | None:
        """Requests, tokens and money so far, over all resumptions; None where no server was called."""
        from falter.data.usage import read_usage

        return read_usage(self.folder)

    @property
    def repeat(self) -> int:
        """How often every item is asked."""
        return int(self.manifest.settings.get("repeat", 1))

    @property
    def shard(self) -> Shard | None:
        """Which part of a divided run this is, or None where it is the whole."""
        written = self.manifest.settings.get("shard")
        return None if written is None else Shard.parse(str(written))

    def replies(self, number: int = 1) -> pl.DataFrame:
        """All replies, a row each, sorted by item; of an unfinished run those that there are.

        Answers that another version read out of the texts are read anew, and texts that no rule reads are read with
        the answers that the suite accepts.
        ``number`` is 2 upwards for those of the second time and so on, where the run repeats.
        """
        if not 1 <= number <= self.repeat:
            raise ValueError(f"everything is asked {self.repeat} times: there is no {number}")
        from falter.evaluation.runs.scored_items import has_unread_texts, reread

        frame = self._stored_replies(number)
        if self.is_read_now and not has_unread_texts(frame):
            return frame
        if number in self._reread:
            return frame.with_columns(self._reread[number])
        columns = reread(frame, self.suite().items_path, anew=not self.is_read_now)
        if self.manifest.complete:
            self._reread[number] = columns
        return frame.with_columns(columns)

    def _stored_replies(self, number: int) -> pl.DataFrame:
        import polars as pl

        if self.manifest.complete:
            return read_frame(self.replies_path(number), REPLY_SCHEMA, hint="run the model again")
        replies = read_log(self.folder / log_name(number)).replies
        frame = pl.from_arrow(replies_to_table(replies[item_id] for item_id in sorted(replies)))
        assert isinstance(frame, pl.DataFrame)
        return frame

    def replies_path(self, number: int = 1) -> Path:
        """The Parquet file of a complete run's replies; one that has changed since it was written is refused."""
        name = parquet_name(number)
        if name in self.manifest.files:
            check_file(self.folder / name, self.manifest.files[name], hint=HINT)
        return self.folder / name

    def check_replies(self) -> None:
        """Refuse a complete run that has not one reply to each item that it is about."""
        if not self.manifest.complete or self._replies_checked:
            return
        paths = [self.replies_path(number) for number in range(1, self.repeat + 1)]
        # Replies that fit their hash are those that were written: to the items of the suite, whose hash fits as well.
        unhashed = [path for path in paths if path.name not in self.manifest.files]
        for path in paths:
            if path not in unhashed:
                check_count(path, self.manifest.asked)
        if unhashed:
            expected = item_ids(self.suite(), self.probe_ids(), self.shard)
            for path in unhashed:
                check_replies(path, expected, self.manifest.asked)
        self._replies_checked = True

    @property
    def is_read_now(self) -> bool:
        """Whether the present reader read the answers that the run holds; else all are read anew from the texts."""
        return self.manifest.reader == READER_VERSION

    def status_counts(self) -> dict[str, int]:
        """How many replies there are of each status, as they are read now."""
        counts = self.manifest.counts
        if self.is_read_now and counts and not counts.get("unparsed"):
            return counts
        return dict(Counter(self.replies()["status"].to_list()))

    def scores(self, **options: Unpack[ScoreKeywords]) -> Scores:
        """The scores of the run, with 95 % intervals over images; options as in :func:`falter.score`."""
        from falter.evaluation.runs.score_tables import score_runs

        return score_runs([self], read_options(options))

    def open_answers(self, *others: Run) -> OpenAnswers:
        """Every reply to a single open question, judged by the official and by the careful rule; also of other runs.

        ``differing()`` keeps those on which the rules differ, ``turned_orders()`` names the pairs of models whose order
        depends on the rule, and ``to_csv(path)`` writes a file.
        """
        from falter.evaluation.runs.open_answers import OpenAnswers, open_answers_of_run
        from falter.evaluation.runs.score_tables import name_runs

        runs = [self, *others]
        names = [one.model for one in name_runs(runs)]
        return OpenAnswers(row for run, name in zip(runs, names, strict=True) for row in open_answers_of_run(run, name))

    def failures(self, limit: int = 1000, **options: Unpack[PairOptions]) -> FailureTable:
        """The pairs that failed, the first of every test first: at most ``limit``; in a notebook beside their images.

        They are those of the report, and those with a reply that failed. Options as in :func:`falter.score`.
        """
        from falter.evaluation.runs.failure_table import failures_of_run

        return failures_of_run(self, read_options(options), limit=limit)

    def outcomes(self) -> pl.DataFrame:
        """One row per item: its ids and facets, the outcome of its reply, and what measures count."""
        from falter.evaluation.runs.scoring import outcomes_of_run

        return outcomes_of_run(self).items()

    def answer_notes(self) -> list[str]:
        """What is odd about the answers, a sentence each: mostly unparsed, off the list, or all alike."""
        from falter.evaluation.runs.scoring import answer_notes_of_run

        return answer_notes_of_run(self)

    def suite(self) -> Suite:
        """The suite that was asked; one that has changed since is refused."""
        if self._suite_folder is None:
            self._suite_folder = find_suite(self.folder, self.manifest.suite)
        suite = open_suite(self._suite_folder, image_dirs=self.image_dirs)
        if suite.fingerprint != self.manifest.suite.fingerprint:
            raise InputError(
                self._suite_folder,
                f"is not the suite of the run {self.folder}: the fingerprints differ",
                hint="give the suite that was asked, or run the model on this one",
            )
        return suite

    def probe_ids(self) -> frozenset[str] | None:
        """The probes that a limited run is about, or None where it is about all of them.

        Of a run in random order that asked a part of its probes, that part.
        """
        sampled = self.sampled()
        return self.population() if sampled is None else sampled.asked

    def sampled(self) -> Sampled | None:
        """What a run in random order asked before it stopped or was cut off; None where it asked everything.

        It is also None where the order was not random: what such a run has asked so far is no sample.
        """
        settings = self.manifest.settings
        if not self._sampled_known and settings.get("order") == "random":
            may_stop = "until" in settings
            if may_stop or not self.manifest.complete:
                self._sampled = self._find_sampled(may_stop=may_stop)
        self._sampled_known = True
        return self._sampled

    def _find_sampled(self, *, may_stop: bool) -> Sampled | None:
        suite = self.suite()
        order = tuple(probes_in_order(suite, self.manifest.settings.get("seed", 0), self.population()))
        rounds: Sequence[tuple[str, ...]] = read_rounds(self.folder) if may_stop else (order,)
        if self.manifest.complete:
            if ASKED_NAME in self.manifest.files:
                check_file(self.folder / ASKED_NAME, self.manifest.files[ASKED_NAME], hint=HINT)
        else:
            replies = read_log(self.folder / LOG_NAME).replies
            asked = [probe_id for one in rounds for probe_id in one]
            whole = frozenset(whole_probes(suite, asked, replies))
            rounds = [kept for one in rounds if (kept := tuple(probe_id for probe_id in one if probe_id in whole))]
        if sum(map(len, rounds)) == len(order):
            return None
        return Sampled(order, tuple(rounds))

    def population(self) -> frozenset[str] | None:
        """The probes that a run is to ask if nothing stops it, or None where these are all."""
        limit = self.manifest.settings.get("limit")
        if limit is None:
            return None
        return select_probes(self.suite(), limit=limit, seed=self.manifest.settings.get("seed", 0))


def open_run(folder: str | Path, *, suite_folder: str | Path | None = None) -> Run:
    """Open a run, complete or not; ``suite_folder`` says where its suite is now, if it has moved."""
    return Run(folder, suite_folder)


def count_statuses(replies: Mapping[str, Reply]) -> dict[str, int]:
    """How many replies there are of each status."""
    counted = Counter(reply.status for reply in replies.values())
    return {status: counted[status] for status in ("ok", "unparsed", "unsupported", "failed")}


def compact(
    folder: Path,
    manifest: RunManifest,
    replies: Mapping[str, Reply],
    repetitions: Sequence[Mapping[str, Reply]] = (),
) -> None:
    """Close a run up: its replies to Parquet, the manifest marked complete, the logs removed.

    In this order a crash at any moment leaves either logs that tell everything or a complete run.
    """
    for number, each in enumerate((replies, *repetitions), start=1):
        write_replies(folder / parquet_name(number), each.values())
    write_complete_manifest(folder, manifest, count_statuses(replies), 1 + len(repetitions))
    remove_logs(folder, 1 + len(repetitions))


def write_complete_manifest(folder: Path, manifest: RunManifest, counts: dict[str, int], repeat: int) -> None:
    """Write ``run.json`` of a run whose replies are all in Parquet files, with their hashes."""
    names = [parquet_name(number) for number in range(1, repeat + 1)]
    names += [ASKED_NAME] if (folder / ASKED_NAME).exists() else []
    files = {name: sha256_of_file(folder / name) for name in names}
    write_run_manifest(folder, msgspec.structs.replace(manifest, complete=True, counts=counts, files=files))


def remove_logs(folder: Path, repeat: int) -> None:
    """Remove the logs of a complete run; a crash may have left them beside it."""
    for number in range(1, repeat + 1):
        (folder / log_name(number)).unlink(missing_ok=True)
