"""``--overwrite`` of every command that has it: what the command wrote is replaced; a user's own data stay."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import typer

from falter.apps.people.study import open_study
from falter.cli.main import build_app
from falter.world.write_world import write_world
from tests.cli.in_process import falter_here
from tests.cli.test_plugin_option import leaves
from tests.engine.small_suite import make_suite
from tests.people.made import caption_suite, question_suite
from tests.suites.benchmarks.releases import write_vsr

_POOL = ("--pool", "vqa:world/train", "--ranker", "bm25", "--size", "2")
COMMANDS: dict[str, tuple[str, ...]] = {
    "world": ("world", "--num-scenes", "2", "--no-images"),
    "import example": ("import", "example"),
    "generate": ("generate", "carets", "--from", "gqa:world/train", "--test", "negation", "--size", "2"),
    "import": ("import", "vsr", "release"),
    "import table": ("import", "table", "table/q.csv"),
    "export suite": ("export", "questions", "--to", "inspect"),
    "export run": ("export", "whole", "--to", "every-eval-ever"),
    "merge": ("merge", "one", "two"),
    "people votes": ("people", "votes", "captions", "--from", "votes.csv"),
    "debias": ("debias", "captions", "--subset", "all"),
    "people plan": ("people", "plan", "questions", "--controls", "0", "--sample", "2"),
    "people export": ("people", "export", "study", "--to", "label-studio"),
    "people collect": ("people", "collect", "study"),
    "people as-run": ("people", "as-run", "study"),
    "basic-questions rank": ("basic-questions", "rank", "--from", "vqa:world/val", *_POOL),
}
"""Every command that has the option, by a name, without ``--out``."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("overwrite")
    write_world(folder / "world", 20, 0, images=False)
    (folder / "table").mkdir()
    (folder / "table" / "q.csv").write_text("id,question,answer\n1,Is it red?,yes\n2,Is it blue?,no\n")
    make_suite(folder / "small", probes=4)
    question_suite(folder / "questions", images=2)
    captions = caption_suite(folder / "captions", pairs=2)
    with (folder / "votes.csv").open("w", newline="") as stream:
        rows = [(probe.probe_id, who, "caption") for probe in captions.probes() for who in ("ann", "bob")]
        csv.writer(stream).writerows([("probe_id", "annotator", "answer"), *rows])
    for name, more in (("whole", ()), ("one", ("--shard", "1/2")), ("two", ("--shard", "2/2"))):
        done = falter_here("run", folder / "small", "--model", "builtin:always-yes", "--out", folder / name, *more)
        assert done.code == 0, done.stderr
    done = falter_here("people", "plan", folder / "questions", "--out", folder / "study", "--controls", "0")
    assert done.code == 0, done.stderr
    with (folder / "answers.csv").open("w", newline="") as stream:
        rows = [(name, who, "yes") for name in open_study(folder / "study").questions for who in ("ann", "bob")]
        csv.writer(stream).writerows([("question_id", "annotator", "answer"), *rows])
    done = falter_here("people", "collect", folder / "study", "--from", folder / "answers.csv")
    assert done.code == 0, done.stderr
    write_vsr(folder / "release")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_list_has_every_command_with_the_option() -> None:
    commands = leaves(typer.main.get_command(build_app()))
    have = {name for name, command in commands if any("--overwrite" in one.opts for one in command.params)}
    assert "people plan" in have
    # The command of each bundle writes through the same two functions.
    have = {name.partition(" ")[0] if name.startswith(("generate ", "import ")) else name for name in have}
    assert have <= {name.replace("export suite", "export") for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_wrote_is_replaced_and_nothing_else(
    name: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    given = COMMANDS[name]
    out = tmp_path / "out"
    target = (out,) if name == "import example" else ("--out", out)
    first = falter_here(*given, *target)
    assert first.code == 0, first.stderr
    written = contents(out)
    again = falter_here(*given, *target, "--overwrite")
    assert (again.code, contents(out)) == (0, written), again.stderr
    (out / "images").mkdir(exist_ok=True)
    for foreign in ("mine.txt", "images/mine.txt"):
        (out / foreign).write_text("mine")
    refused = falter_here(*given, *target, "--overwrite")
    assert refused.code == 2 and "delete 2 files (images/mine.txt, mine.txt)" in refused.stderr, refused.stderr
    assert contents(out) == {**written, "mine.txt": b"mine", "images/mine.txt": b"mine"}
    other = tmp_path / "other"
    (other / "sub").mkdir(parents=True)
    (other / "sub" / "notes.txt").write_text("mine")
    refused = falter_here(*given, *((other,) if name == "import example" else ("--out", other)), "--overwrite")
    assert refused.code == 2 and "delete 1 file (sub/notes.txt)" in refused.stderr, refused.stderr
    assert contents(other) == {"sub/notes.txt": b"mine"}


@pytest.mark.parametrize(
    "given",
    [
        "generate carets --from gqa:world/train --out world/train --overwrite",
        "generate carets --from gqa:world/train --out link --overwrite",
        "generate carets --from gqa:world/train --out world --overwrite",
        "import vsr release --out release --overwrite",
        "import table table/q.csv --out table --overwrite",
        "people votes captions --from votes.csv --out link-to-captions --overwrite",
        "export questions --to hf --out questions --overwrite",
        "merge one two --out one --overwrite",
        "people plan questions --out questions --overwrite",
        "people as-run study --out study --overwrite",
        "basic-questions rank --from vqa:world/val --pool vqa:world/train --ranker bm25 --out world/val --overwrite",
        "score whole --csv whole/replies.parquet",
        "score whole --markdown small/items.parquet",
        "report whole --out small/suite.json",
        "check whole --value --requirements requirements.yaml --junit requirements.yaml",
        "people error-rate study --next 2 --next-out study/answers.sqlite",
        "people error-rate study --next 2 --next-out study/tasks.jsonl",
    ],
)
def test_no_command_writes_over_what_it_reads(given: str, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    for link, target in (("link", "world/train"), ("link-to-captions", "captions")):
        if not Path(link).is_symlink():
            Path(link).symlink_to(target)
    Path("requirements.yaml").write_text("- small.negation.acc>=0%\n")
    before = contents(made)
    refused = falter_here(*given.split())
    assert refused.code == 2, refused.stdout
    assert refused.stderr.count("falter: ") == 1 and "internal" not in refused.stderr
    assert any(words in refused.stderr for words in ("is not replaced", "is the suite")), refused.stderr
    assert contents(made) == before
