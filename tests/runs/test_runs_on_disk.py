"""Runs on disk: opened at any stage, with their suite, their part and what they say of themselves."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from falter.core.errors import InputError, UsageError
from falter.data.suite import open_suite
from falter.evaluation.engine import dry_run, run_suite
from falter.evaluation.runs import RunSettings, Shard, open_run
from tests.engine.small_suite import Recorder, make_suite, stop_after


@pytest.mark.filterwarnings("ignore:.*cut off, damaged or edited:falter.core.errors.FalterWarning")
def test_replies_of_an_unfinished_run_can_be_read(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    with pytest.raises(KeyboardInterrupt):
        run_suite(suite, stop_after(9), tmp_path / "run")
    run = open_run(tmp_path / "run")
    assert not run.manifest.complete
    frame = run.replies()
    assert len(frame) == 8
    with (tmp_path / "run" / "replies.jsonl").open("ab") as stream:
        stream.write(b'{"item_id": "torn')
    assert run.replies().equals(frame)
    assert frame.schema == open_run_schema(tmp_path)


def open_run_schema(tmp_path: Path) -> pl.Schema:
    run_suite(open_suite(tmp_path / "suite"), Recorder(), tmp_path / "whole")
    return open_run(tmp_path / "whole").replies().schema


def test_a_moved_suite_and_a_changed_one(tmp_path: Path) -> None:
    # No other test makes this suite, which would be found beside this test's folder.
    suite = make_suite(tmp_path / "suite", tests=("moved",))
    run_suite(suite, Recorder(), tmp_path / "run")
    (tmp_path / "suite").rename(tmp_path / "moved")
    assert len(open_run(tmp_path / "run", suite_folder=tmp_path / "moved").suite()) == len(suite)
    (tmp_path / "elsewhere" / "deep" / "down" / "far").mkdir(parents=True)
    (tmp_path / "moved").rename(tmp_path / "elsewhere" / "deep" / "down" / "far" / "suite")
    make_suite(tmp_path / "suite", probes=3)
    with pytest.raises(InputError, match=r"fingerprints differ.*--suite"):
        open_run(tmp_path / "run").suite()
    with pytest.raises(InputError, match="fingerprints differ"):
        open_run(tmp_path / "run", suite_folder=tmp_path / "suite").suite()


def test_a_run_moves_together_with_its_suite_or_finds_it_by_its_hash(tmp_path: Path) -> None:
    (tmp_path / "work" / "runs").mkdir(parents=True)
    suite = make_suite(tmp_path / "work" / "suite", tests=("together",))
    make_suite(tmp_path / "work" / "another", probes=3)
    run = run_suite(suite, Recorder(), tmp_path / "work" / "runs" / "mine")
    assert run.manifest.suite.path == "../../suite"
    assert str(tmp_path) not in (run.folder / "run.json").read_text()
    (tmp_path / "work").rename(tmp_path / "moved")
    moved = open_run(tmp_path / "moved" / "runs" / "mine")
    assert moved.suite().folder == tmp_path / "moved" / "suite"
    (tmp_path / "moved" / "suite").rename(tmp_path / "moved" / "renamed")
    assert open_run(moved.folder).suite().folder == tmp_path / "moved" / "renamed"
    moved.folder.rename(tmp_path / "moved" / "mine")
    assert open_run(tmp_path / "moved" / "mine").suite().folder == tmp_path / "moved" / "renamed"
    shutil.rmtree(tmp_path / "moved" / "renamed")
    with pytest.raises(InputError, match=r"its suite small is neither in .* nor near the run.*--suite"):
        open_run(tmp_path / "moved" / "mine").suite()


def test_a_limit_takes_whole_probes_evenly_and_nested(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=60, tests=("a", "b", "c"))
    taken = {}
    for limit in (6, 12, 30, 1000):
        run = run_suite(suite, Recorder(), tmp_path / f"run{limit}", RunSettings(limit=limit))
        taken[limit] = run.probe_ids()
        asked = set(run.replies()["item_id"])
        assert asked == {item.item_id for item in suite.items() if item.probe_id in (taken[limit] or ())}
    assert [len(ids or ()) for ids in taken.values()] == [6, 12, 30, 60]
    assert (taken[6] or set()) < (taken[12] or set()) < (taken[30] or set())
    tests = {probe.probe_id: probe.original.test for probe in suite.probes()}
    assert sorted(tests[probe_id] for probe_id in taken[6] or ()) == ["a", "a", "b", "b", "c", "c"]
    other = run_suite(suite, Recorder(), tmp_path / "seeded", RunSettings(limit=6, seed=1))
    assert other.probe_ids() != taken[6]
    assert run_suite(suite, Recorder(), tmp_path / "all").probe_ids() is None


def test_a_limit_is_raised_in_place(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=60, tests=("a", "b", "c"))
    out = tmp_path / "run"
    asked: list[str] = []
    for limit, stop in ((6, None), (12, 5), (12, None), (30, 9), (40, None), (None, None)):
        settings = RunSettings(limit=limit, repeat=2)
        model = stop_after(10**9 if stop is None else stop)
        before = out.exists() and dry_run(suite, Recorder(), out, settings).to_ask
        if stop is None:
            run_suite(suite, model, out, settings)
            clean = tmp_path / f"clean{limit}"
            run_suite(suite, stop_after(10**9), clean, settings)
            assert {path.name: path.read_bytes() for path in out.iterdir()} == {
                path.name: path.read_bytes() for path in clean.iterdir()
            }
            assert before in (False, len(model.asked))
        else:
            with pytest.raises(KeyboardInterrupt):
                run_suite(suite, model, out, settings)
            assert not open_run(out).manifest.complete
        asked += model.asked
    # Nothing is asked a third time, but for the batches that an interruption lost.
    assert len(asked) <= 2 * open_run(out).manifest.asked + 2 * Recorder().capabilities.batch_size


def test_a_limit_is_not_lowered_and_its_seed_stays(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=20)
    out = tmp_path / "run"
    run_suite(suite, Recorder(), out, RunSettings(limit=6))
    kept = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(UsageError, match="--limit 6: a limit can be raised in place, not lowered to 3; choose another"):
        run_suite(suite, Recorder(), out, RunSettings(limit=3))
    with pytest.raises(UsageError, match="its seed is 0, not 1"):
        run_suite(suite, Recorder(), out, RunSettings(limit=12, seed=1))
    with pytest.raises(UsageError, match="its limit is 6, not 12; its order is None, not random"):
        run_suite(suite, Recorder(), out, RunSettings(limit=12, random_order=True))
    assert {path.name: path.read_bytes() for path in out.iterdir()} == kept
    run_suite(suite, Recorder(), tmp_path / "drawn", RunSettings(limit=6, random_order=True))
    with pytest.raises(UsageError, match="its limit is 6, not 12"):
        run_suite(suite, Recorder(), tmp_path / "drawn", RunSettings(limit=12, random_order=True))


def test_a_run_says_what_it_is(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=20)
    whole = run_suite(suite, Recorder(), tmp_path / "whole")
    asked = whole.manifest.asked
    assert repr(whole) == f"Run('recorder', suite 'small', {asked} of {asked} answered, complete)"
    with pytest.raises(KeyboardInterrupt):
        run_suite(suite, stop_after(9), tmp_path / "stopped")
    stopped = open_run(str(tmp_path / "stopped"))
    assert repr(stopped) == f"Run('recorder', suite 'small', 8 of {asked} answered, incomplete)"
    part = run_suite(suite, Recorder(), tmp_path / "part", RunSettings(shard=Shard(2, 2)))
    assert f"{part.manifest.asked} of {part.manifest.asked} answered, part 2/2, complete" in repr(part)

    def fail_sometimes(request: object) -> str:
        if "1" in request.text:  # type: ignore[attr-defined]
            raise ValueError("no")
        return "yes"

    failed = run_suite(suite, Recorder(fail_sometimes), tmp_path / "failed")
    assert failed.answered == asked - failed.manifest.counts["failed"] < asked
