"""A run in parts: each item in one of them, and together the bytes of the undivided run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.core.errors import InputError, UsageError
from falter.data.model import Model, Reply, Request, TransientError
from falter.data.model_loading import LoadContext
from falter.data.suite import Suite, open_suite
from falter.evaluation.engine import dry_run, merge_runs, run_suite
from falter.evaluation.engine.requests import distinct_requests
from falter.evaluation.models import load_model
from falter.evaluation.runs import RunSettings, Shard, open_run
from tests.cli.commands import falter, refused
from tests.engine.small_suite import Recorder, make_suite
from tests.integrity.sealing import edit_manifest, make_old


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("shards") / "suite", probes=40)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def run_parts(suite: Suite, model: Callable[[], Model], folder: Path, parts: int, **fields: Any) -> list[Path]:
    """Every part in a folder of its own, the last one first."""
    folders = []
    for number in range(parts, 0, -1):
        folders.append(folder / f"part-{number}")
        run_suite(suite, model(), folders[-1], RunSettings(shard=Shard(number, parts), **fields))
    return folders


@settings(deadline=None)
@given(st.integers(1, 9), st.text(max_size=5), st.one_of(st.none(), st.text(max_size=5)))
def test_an_item_is_in_one_part(total: int, item_id: str, image_id: str | None) -> None:
    parts = [Shard(number, total) for number in range(1, total + 1)]
    assert sum(part.holds(item_id, image_id) for part in parts) == 1
    assert image_id is None or [part.holds(item_id, image_id) for part in parts] == [
        part.holds(f"other {item_id}", image_id) for part in parts
    ]


@pytest.mark.parametrize("written", ["0/3", "4/3", "1/0", "a/b", "1", "1/2/3", "-1/2", "1.0/2", ""])
def test_what_is_no_shard_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="a shard is i/N"):
        Shard.parse(written)


def test_an_image_is_in_one_part_and_parts_are_of_a_like_size(suite: Suite) -> None:
    parts = [list(distinct_requests(suite, None, Shard(number, 3))) for number in (1, 2, 3)]
    images = [{request.image_id for request in part if request.image_id is not None} for part in parts]
    assert not images[0] & images[1] | images[1] & images[2] | images[0] & images[2]
    every = [request.item_id for request in distinct_requests(suite)]
    assert sorted(request.item_id for part in parts for request in part) == sorted(every)
    assert min(len(part) for part in parts) > len(every) / 9


MODELS: dict[str, Callable[[], Model]] = {
    "always-yes": lambda: load_model("builtin:always-yes", LoadContext()),
    "answers": lambda: Recorder(lambda request: request.text[-2:]),
    "scores": lambda: Recorder(
        lambda request: Reply(item_id=request.item_id, choice_scores={"no": 0.25, "yes": len(request.text) / 64})
    ),
    "fails at times": lambda: Recorder(_fail_at_times),
    "cannot match": lambda: Recorder(lambda request: "no"),
}


def _fail_at_times(request: Request) -> str:
    if request.text.endswith(("3?", "5?")):
        raise ValueError(f"cannot do {request.text}")
    return "maybe" if request.text.endswith("7?") else "yes"


@settings(max_examples=25, deadline=None)
@given(
    parts=st.integers(1, 5),
    model=st.sampled_from(sorted(MODELS)),
    limit=st.sampled_from([None, 1, 7, 25]),
    repeat=st.sampled_from([1, 1, 3]),
    image_input=st.sampled_from([None, None, "none", "shuffle"]),
    seed=st.integers(0, 2),
)
def test_merged_parts_are_the_undivided_run_byte_for_byte(
    suite: Suite, tmp_path_factory: pytest.TempPathFactory, parts: int, model: str, **fields: Any
) -> None:
    folder = tmp_path_factory.mktemp("run")
    whole = run_suite(suite, MODELS[model](), folder / "whole", RunSettings(**fields))
    merged = merge_runs(run_parts(suite, MODELS[model], folder, parts, **fields), folder / "merged")
    assert merged.manifest.complete
    assert contents(folder / "merged") == contents(whole.folder)


def test_a_part_says_what_it_is(suite: Suite, tmp_path: Path) -> None:
    model = Recorder()
    plan = dry_run(suite, model, tmp_path / "part", RunSettings(shard=Shard(2, 3)))
    assert plan.notes == ("part 2/3 of the items: falter merge joins all parts",)
    part = run_suite(suite, model, tmp_path / "part", RunSettings(shard=Shard(2, 3)))
    assert plan.items == plan.to_ask == len(model.asked) == part.manifest.asked == len(part.replies())
    assert (part.shard, part.manifest.settings["shard"]) == (Shard(2, 3), "2/3")
    assert run_suite(suite, model, tmp_path / "whole").shard is None
    with pytest.raises(UsageError, match="its shard is 2/3, not 1/3"):
        run_suite(suite, model, tmp_path / "part", RunSettings(shard=Shard(1, 3)))
    with pytest.raises(UsageError, match="its shard is 2/3, not None"):
        run_suite(suite, model, tmp_path / "part")


class Moody:
    """Fails in passing on some items, as long as it is told to."""

    def __init__(self, *, moody: bool) -> None:
        self.moody = moody

    def __call__(self, request: Request) -> str:
        if self.moody and request.text.endswith(("1?", "same?")):
            raise TransientError("busy", wait=0)
        return "yes"


def test_incomplete_parts_make_an_incomplete_run_that_resumes(suite: Suite, tmp_path: Path) -> None:
    def moody(moody: bool) -> Recorder:
        return Recorder(Moody(moody=moody))

    fields: dict[str, Any] = {"repeat": 2, "limit": 25}
    whole = run_suite(suite, moody(True), tmp_path / "whole", RunSettings(**fields), sleep=lambda _: None)
    folders = []
    for number in (1, 2, 3):
        folders.append(tmp_path / f"part-{number}")
        shard = RunSettings(shard=Shard(number, 3), **fields)
        run_suite(suite, moody(True), folders[-1], shard, sleep=lambda _: None)
    merged = merge_runs(folders, tmp_path / "merged")
    assert not merged.manifest.complete
    assert contents(tmp_path / "merged") == contents(tmp_path / "whole")
    for folder in (whole.folder, merged.folder):
        run_suite(suite, moody(False), folder, RunSettings(**fields))
    assert open_run(merged.folder).manifest.complete
    assert contents(tmp_path / "merged") == contents(tmp_path / "whole")


def test_a_part_that_was_cut_off_leaves_the_rest_to_be_asked(suite: Suite, tmp_path: Path) -> None:
    class Breaks(Recorder):
        def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
            if len(self.asked) > 6:
                raise KeyboardInterrupt
            return super().reply(batch)

    whole = run_suite(suite, Recorder(), tmp_path / "whole")
    folders = [tmp_path / "part-1", tmp_path / "part-2"]
    run_suite(suite, Recorder(), folders[0], RunSettings(shard=Shard(1, 2)))
    with pytest.raises(KeyboardInterrupt):
        run_suite(suite, Breaks(), folders[1], RunSettings(shard=Shard(2, 2)))
    merged = merge_runs(folders, tmp_path / "merged")
    had = len(merged.replies())
    assert len(open_run(folders[0]).replies()) < had < merged.manifest.asked == whole.manifest.asked
    assert merged.manifest.counts == {}
    model = Recorder()
    run_suite(suite, model, tmp_path / "merged")
    assert len(model.asked) == whole.manifest.asked - had
    assert contents(tmp_path / "merged") == contents(tmp_path / "whole")


@pytest.fixture
def parts(suite: Suite, tmp_path: Path) -> Iterator[list[Path]]:
    yield run_parts(suite, Recorder, tmp_path, 3)


def test_what_is_no_whole_set_of_parts_is_refused(suite: Suite, parts: list[Path], tmp_path: Path) -> None:
    def problem(*folders: Path) -> str:
        line = refused("merge", *folders, "--out", tmp_path / "merged")
        assert not (tmp_path / "merged").exists()
        return line

    def part(name: str, model: Model, fields: dict[str, Any], number: int = 1, total: int = 3) -> Path:
        run_suite(suite, model, tmp_path / name, RunSettings(shard=Shard(number, total), **fields))
        return tmp_path / name

    run_suite(suite, Recorder(), tmp_path / "whole")
    other = make_suite(tmp_path / "other", probes=5)
    run_suite(other, Recorder(), tmp_path / "other-part", RunSettings(shard=Shard(1, 3)))
    assert "part 2/3 is missing" in problem(parts[0], parts[2])
    assert "part 1/3, 2/3 are missing" in problem(parts[0])
    assert "part 3/3 is given twice" in problem(*parts, parts[0])
    shutil.copytree(parts[0], tmp_path / "copy")
    assert "part 3/3 is given twice" in problem(*parts, tmp_path / "copy")
    assert "is a whole run" in problem(*parts, tmp_path / "whole")
    two = parts[:2]
    assert "the model recorder has changed" in problem(*two, part("model", Recorder(fingerprint="2"), {}))
    assert "its limit is None, not 5" in problem(*two, part("limit", Recorder(), {"limit": 5}))
    assert "its suite is" in problem(*two, tmp_path / "other-part")
    assert "it is one of 3 parts, not of 4" in problem(*two, part("four", Recorder(), {}, total=4))
    renamed = tmp_path / "renamed"
    run_suite(suite, Recorder(), renamed, RunSettings(shard=Shard(1, 3)), name="another")
    assert "its model is recorder, not another" in problem(*two, renamed)
    assert "is not a run" in problem(*two, suite.folder)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    assert "already exists and is not empty" in refused("merge", *parts, "--out", tmp_path / "full")


def test_parts_of_two_versions_are_refused(parts: list[Path], tmp_path: Path) -> None:
    edit_manifest(parts[0] / "run.json", falter="0.0.1")
    with pytest.raises(UsageError, match=r"its version of falter is 0\.0\.1"):
        merge_runs(parts, tmp_path / "merged")


@pytest.mark.filterwarnings("ignore:.*has no checksum:falter.core.errors.FalterWarning")
def test_a_part_without_its_replies_is_refused(parts: list[Path], tmp_path: Path) -> None:
    (parts[1] / "replies.parquet").unlink()
    with pytest.raises(InputError, match=r"replies\.parquet: cannot be read"):
        merge_runs(parts, tmp_path / "merged")
    assert not (tmp_path / "merged").exists()
    shutil.copyfile(parts[0] / "replies.parquet", parts[1] / "replies.parquet")
    with pytest.raises(InputError, match="is damaged or was edited"):
        merge_runs(parts, tmp_path / "merged")
    make_old(parts[1] / "run.json")
    with pytest.raises(InputError, match="replies to"):
        merge_runs(parts, tmp_path / "merged")


def test_the_suite_may_have_moved(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=6)
    folders = run_parts(suite, Recorder, tmp_path, 2)
    (tmp_path / "suite").rename(tmp_path / "moved")
    whole = run_suite(open_suite(tmp_path / "moved"), Recorder(), tmp_path / "whole")
    merge_runs(folders, tmp_path / "merged", suite_folder=tmp_path / "moved")
    assert contents(tmp_path / "merged") == contents(whole.folder)
    with pytest.raises(InputError, match="the fingerprints differ"):
        other = make_suite(tmp_path / "other", probes=3)
        merge_runs(folders, tmp_path / "wrong", suite_folder=other.folder)


def test_from_the_command_line(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", probes=12)
    for name, more in (("whole", ()), ("parts/one", ("--shard", "1/2")), ("parts/two", ("--shard", "2/2"))):
        done = falter(
            "run", tmp_path / "suite", "--model", "builtin:always-yes", "--repeat", "2", "--out", tmp_path / name, *more
        )
        assert done.returncode == 0, done.stderr
    assert "part 2/2 of the items" in done.stderr
    told = falter("score", tmp_path / "parts" / "one", "--json")
    assert "one is part 1/2 of a run" in told.stderr
    assert json.loads(told.stdout)[0]["shard"] == "1/2"
    done = falter("report", tmp_path / "parts" / "one", "--out", tmp_path / "report.html")
    assert done.returncode == 0, done.stderr
    assert "is part 1/2 of a run." in (tmp_path / "report.html").read_text()
    done = falter("merge", tmp_path / "parts", "--out", tmp_path / "merged")
    assert (done.returncode, done.stdout) == (
        0,
        f"always-yes: {open_run(tmp_path / 'whole').manifest.asked} items, complete; {tmp_path / 'merged'}\n",
    )
    assert contents(tmp_path / "merged") == contents(tmp_path / "whole")
    assert "a shard is i/N" in refused(
        "run", tmp_path / "suite", "--model", "builtin:prior", "--out", "x", "--shard", "3"
    )
