"""Edited data are refused or asked again, with the file's name; what older versions wrote opens with a note."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from falter.core.errors import FalterWarning, InputError
from falter.data.suite import open_suite
from falter.evaluation.engine import ReplyCache, merge_runs, run_suite
from falter.evaluation.runs import RunSettings, Shard, open_run
from falter.evaluation.runs.replies import read_replies, write_replies
from tests.engine.small_suite import Recorder
from tests.integrity.attack import SETTINGS, looking_model, make_targets, scores_of
from tests.integrity.sealing import make_old


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("integrity") / "whole"
    make_targets(folder)
    return folder


@pytest.fixture
def here(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "here"))


def edit_column(path: Path, column: str, change: Callable[[pl.Expr], pl.Expr]) -> None:
    table = pq.read_table(path)
    frame = pl.from_arrow(table.select([column]))
    assert isinstance(frame, pl.DataFrame)
    edited = frame.select(change(pl.col(column))).to_arrow()[column].cast(table.schema.field(column).type)
    table = table.set_column(table.schema.names.index(column), table.schema.field(column), edited)
    pq.write_table(table, path, compression="zstd")


def swap(column: pl.Expr) -> pl.Expr:
    return column.replace({"yes": "no", "no": "yes"})


def edit_rows(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    write_replies(path, change(read_replies(path)))


ITEM_EDITS: dict[str, Callable[[Path], None]] = {
    "golds swapped": lambda path: edit_column(path, "gold", swap),
    "texts changed": lambda path: edit_column(path, "text", lambda text: text.str.replace("thing", "dog")),
    "rows removed": lambda path: pq.write_table(pq.read_table(path).slice(0, 24), path),
}


@pytest.mark.filterwarnings("ignore:.*has no checksum:falter.core.errors.FalterWarning")
@pytest.mark.parametrize("edit", ITEM_EDITS)
@pytest.mark.parametrize("old", [False, True])
def test_edited_items_are_refused(here: Path, edit: str, old: bool) -> None:
    if old:
        make_old(here / "suite" / "suite.json")
    ITEM_EDITS[edit](here / "suite" / "items.parquet")
    with pytest.raises(
        InputError, match=r"items\.parquet: is damaged or was edited.*generate or import the suite again"
    ):
        open_suite(here / "suite")


@pytest.mark.parametrize("name", ["votes.parquet", "suite.json"])
def test_other_edited_files_of_a_suite_are_refused(here: Path, name: str) -> None:
    path = here / "suite" / name
    if name == "suite.json":
        path.write_text(path.read_text().replace("CC BY 4.0", "CC BY 3.0"))
    else:
        edit_column(path, "answer", swap)
    with pytest.raises(InputError, match=f"{name}: is damaged or was edited"):
        open_suite(here / "suite")


RUN_EDITS: dict[str, Any] = {
    "asked": 3,
    "complete": False,
    "counts": {"ok": 48, "unparsed": 0, "unsupported": 0, "failed": 1},
    "settings": {"answers": 1, "repeat": 2, "limit": 4},
    "files": {},
    "model": {"spec": "", "name": "better", "fingerprint": "1", "abilities": ["answer"], "needs_image": True},
}


@pytest.mark.parametrize("key", RUN_EDITS)
def test_an_edited_run_manifest_is_refused(here: Path, key: str) -> None:
    path = here / "complete" / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: RUN_EDITS[key]}))
    with pytest.raises(InputError, match=r"run\.json: is damaged or was edited.*run the model again"):
        open_run(here / "complete")


@pytest.mark.parametrize("name", ["replies.parquet", "replies-2.parquet"])
def test_edited_replies_are_refused(here: Path, name: str) -> None:
    edit_column(here / "complete" / name, "answer", swap)
    with pytest.raises(InputError, match=f"{name}: is damaged or was edited"):
        scores_of(here / "complete", here / "suite")


ROW_EDITS: dict[str, tuple[Callable[[pa.Table], pa.Table], str]] = {
    "half removed": (lambda table: table.slice(0, 24), "lacks the replies to 24 of 48 items"),
    "one doubled": (lambda table: pa.concat_tables([table, table.slice(3, 1)]), "holds 1 reply a second time"),
    "one for another": (
        lambda table: pa.concat_tables([table.slice(1), table.slice(5, 1)]),
        "holds 1 reply a second time",
    ),
    "one of another suite": (
        lambda table: pa.concat_tables(
            [table, table.slice(0, 1).set_column(0, table.schema.field(0), pa.array(["elsewhere"]))]
        ),
        "replies to 1 item that the run was not asked",
    ),
}


@pytest.mark.filterwarnings("ignore:.*has no checksum:falter.core.errors.FalterWarning")
@pytest.mark.parametrize("edit", ROW_EDITS)
@pytest.mark.parametrize("name", ["replies.parquet", "replies-2.parquet"])
def test_a_complete_run_with_replies_missing_or_doubled_is_refused(here: Path, edit: str, name: str) -> None:
    """Also where the run was written before there were checksums."""
    change, problem = ROW_EDITS[edit]
    make_old(here / "complete" / "run.json")
    edit_rows(here / "complete" / name, change)
    with pytest.raises(InputError, match=f"{name}: .*{problem}"):
        scores_of(here / "complete", here / "suite")


@pytest.mark.filterwarnings("ignore:.*has no checksum:falter.core.errors.FalterWarning")
def test_limited_and_divided_runs_are_held_to_their_part_alone(here: Path) -> None:
    suite = open_suite(here / "suite")
    for name, settings in {
        "limited": RunSettings(limit=5),
        "part": RunSettings(shard=Shard(1, 2)),
        "both": RunSettings(limit=5, shard=Shard(2, 2)),
    }.items():
        run = run_suite(suite, looking_model(), here / name, settings)
        run.check_replies()
        edit_rows(run.folder / "replies.parquet", lambda table: table.slice(1))
        make_old(run.folder / "run.json")
        with pytest.raises(InputError, match="lacks the replies to 1 of"):
            open_run(run.folder, suite_folder=suite.folder).check_replies()


def test_what_was_written_before_checksums_opens_with_one_note(here: Path) -> None:
    expected = scores_of(here / "complete", here / "suite")
    make_old(here / "suite" / "suite.json")
    make_old(here / "complete" / "run.json")
    with pytest.warns(FalterWarning, match="has no checksum") as caught:
        assert scores_of(here / "complete", here / "suite") == expected
    assert len({str(one.message) for one in caught}) == 2, "one for the suite and one for the run"


def test_an_edited_line_of_a_log_is_asked_again(here: Path) -> None:
    log = here / "interrupted" / "replies.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b"yes", b"no") if b"yes" in lines[3] else lines[3].replace(b'"no"', b'"yes"')
    log.write_bytes(b"".join(lines))
    with pytest.warns(FalterWarning, match=r"replies\.jsonl, line 4: cut off, damaged or edited"):
        run = run_suite(open_suite(here / "suite"), looking_model(), here / "interrupted", SETTINGS)
    assert run.replies().equals(open_run(here / "complete").replies())


def edit_cache(folder: Path, change: Callable[[bytes], Any]) -> int:
    with sqlite3.connect(folder / "replies.sqlite") as database:
        rows = database.execute("SELECT key, reply FROM replies").fetchall()
        database.executemany(
            "UPDATE replies SET reply = ? WHERE key = ?", [(change(reply), key) for key, reply in rows]
        )
    database.close()
    return len(rows)


@pytest.mark.parametrize(
    "change",
    [
        lambda reply: reply.replace(b'"yes"', b'"no"').replace(b'"text":"no"', b'"text":"yes"'),
        lambda reply: reply[:-3],
        lambda reply: None,
        lambda reply: reply.decode() + "x",
        lambda reply: 7,
    ],
)
def test_an_edited_reply_of_a_cache_is_asked_again_and_replaced(here: Path, change: Callable[[bytes], Any]) -> None:
    expected = open_run(here / "cached").replies()
    edit_cache(here / "cache", change)
    suite = open_suite(here / "suite")
    with ReplyCache(here / "cache") as cache:
        with pytest.warns(FalterWarning, match="holds a damaged or edited reply") as caught:
            assert run_suite(suite, looking_model(), here / "again", cache=cache).replies().equals(expected)
        assert len({str(one.message) for one in caught}) == 1
    silent = Recorder(lambda request: pytest.fail("everything is in the cache"))
    silent.declare(needs_image=True)
    with ReplyCache(here / "cache") as cache:
        assert run_suite(suite, silent, here / "third", cache=cache).replies().equals(expected)


def test_a_reply_of_a_cache_belongs_to_its_key(here: Path) -> None:
    expected = open_run(here / "cached").replies()
    rows: list[bytes] = []
    edit_cache(here / "cache", lambda reply: rows.append(reply) or reply)  # type: ignore[func-returns-value]
    edit_cache(here / "cache", lambda reply: rows[rows.index(reply) - 1])
    with ReplyCache(here / "cache") as cache, pytest.warns(FalterWarning, match="holds a damaged or edited reply"):
        run = run_suite(open_suite(here / "suite"), looking_model(), here / "again", cache=cache)
    assert run.replies().equals(expected)


def test_replies_that_an_earlier_version_cached_are_used_with_one_note(here: Path) -> None:
    def without(reply: bytes) -> bytes:
        content = json.loads(reply)
        del content["checksum"]
        return json.dumps(content).encode()

    edit_cache(here / "cache", without)
    silent = Recorder(lambda request: pytest.fail("everything is in the cache"))
    silent.declare(needs_image=True)
    with ReplyCache(here / "cache") as cache, pytest.warns(FalterWarning, match="without a checksum") as caught:
        run = run_suite(open_suite(here / "suite"), silent, here / "again", cache=cache)
    assert run.replies().equals(open_run(here / "cached").replies())
    assert len({str(one.message) for one in caught}) == 1


def test_parts_of_a_run_are_checked_when_they_are_merged(here: Path) -> None:
    suite = open_suite(here / "suite")
    parts = [here / "part1", here / "part2"]
    for number, part in enumerate(parts, start=1):
        run_suite(suite, looking_model(), part, RunSettings(shard=Shard(number, 2)))
    edit_column(parts[1] / "replies.parquet", "answer", swap)
    with pytest.raises(InputError, match=r"part2/replies\.parquet: is damaged or was edited"):
        merge_runs(parts, here / "merged")
