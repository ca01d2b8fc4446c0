"""Bad input gives one clear line and exit code 2, and nothing half-written stays under its final name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from tests.cli.commands import falter, refused

GRAPHS = "val_sceneGraphs.json"
TINY = ("--plugin-dir", str(Path(__file__).parents[1] / "tiny_suite"))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad") / "world"
    assert falter("world", "--out", folder, "--num-scenes", "20").returncode == 0
    return folder / "val"


@pytest.fixture(scope="module")
def suite(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "suite"
    assert falter("generate", "tiny", *TINY, "--from", f"gqa:{world}", "--out", folder).returncode == 0
    return folder


@pytest.fixture
def copied(world: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(world, tmp_path / "copy"))


def refused_generate(folder: Path, out: Path) -> str:
    line = refused("generate", "tiny", *TINY, "--from", f"gqa:{folder}", "--out", out)
    assert not out.exists()
    assert list(out.parent.glob(".*tmp-*")) == []
    return line


def test_truncated_graphs(copied: Path, tmp_path: Path) -> None:
    graphs = copied / GRAPHS
    graphs.write_bytes(graphs.read_bytes()[:-200])
    line = refused_generate(copied, tmp_path / "out")
    assert GRAPHS in line
    assert "download it again" in line


def test_wrong_types_name_the_picture(copied: Path, tmp_path: Path) -> None:
    graphs = copied / GRAPHS
    data = json.loads(graphs.read_text())
    image = next(iter(data))
    data[image]["objects"] = ["not", "objects"]
    graphs.write_text(json.dumps(data))
    line = refused_generate(copied, tmp_path / "out")
    assert GRAPHS in line
    assert image in line


def test_missing_and_corrupt_pictures_are_left_out_and_counted(copied: Path, tmp_path: Path) -> None:
    pictures = sorted((copied / "images").iterdir())
    pictures[0].unlink()
    pictures[1].write_bytes(b"not a picture at all")
    pictures[2].write_bytes(pictures[2].read_bytes()[:0])
    done = falter("generate", "tiny", *TINY, "--from", f"gqa:{copied}", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "the picture is missing or not a picture" in done.stderr
    kept = {path.name for path in (tmp_path / "out" / "images").iterdir()}
    assert kept.isdisjoint({path.name for path in pictures[:3]})


def test_a_picture_of_a_hundred_megapixels_is_no_bomb(copied: Path, suite: Path, tmp_path: Path) -> None:
    changed = Path(shutil.copytree(suite, tmp_path / "suite"))
    huge = sorted((changed / "images").iterdir())[0]
    Image.new("1", (20_000, 20_000)).save(huge, format="PNG")
    runs = tmp_path / "run"
    done = falter("run", changed, "--model", "builtin:bow-image", "--train", f"gqa:{copied}", "--out", runs)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1
    assert "items failed" in done.stderr
    report = falter("report", runs, "--out", tmp_path / "report.html")
    assert report.returncode == 0, report.stderr


def test_a_suite_made_by_a_newer_version(suite: Path, tmp_path: Path) -> None:
    changed = Path(shutil.copytree(suite, tmp_path / "newer"))
    manifest = json.loads((changed / "suite.json").read_text())
    manifest["format"] = 99
    manifest["falter"] = "9.0"
    (changed / "suite.json").write_text(json.dumps(manifest))
    line = refused("inspect", changed)
    assert "newer version" in line
    assert "upgrade falter" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "SUITE", "--model", "nothing:here", "--out", "OUT"), "nothing"),
        (("run", "SUITE", "--model", "builtin:genius", "--out", "OUT"), "genius"),
        (("run", "SUITE", "--model", "builtin:oracle", "--out", "OUT"), "--scenes"),
        (("run", "SUITE", "--model", "file:absent.jsonl", "--out", "OUT"), "absent.jsonl"),
        (("run", "SUITE", "--model", "python:no_such_module:model", "--out", "OUT"), "no_such_module"),
        (("run", "ABSENT", "--model", "builtin:always-yes", "--out", "OUT"), "does not exist (give a suite"),
        (("generate", "nonsense", "--from", "gqa:SUITE", *TINY, "--out", "OUT"), "tiny"),
        (("generate", "tiny", *TINY, "--from", "gqa:ABSENT", "--out", "OUT"), "is not a folder"),
        (("generate", "tiny", *TINY, "--from", "nonsense", "--out", "OUT"), "is not a source"),
        (("generate", "tiny", *TINY, "--from", "other:SUITE", "--out", "OUT"), "unknown source"),
        (("generate", "tiny", *TINY, "--from", "gqa:WORLD", "--test", "sarcasm", "--out", "OUT"), "has no test"),
        (
            ("generate", "tiny", *TINY, "--from", "gqa:WORLD", "--plugin-dir", "ABSENT", "--out", "OUT"),
            "is not a folder",
        ),
        (("score", "ABSENT"), "ABSENT"),
        (("report", "ABSENT", "--out", "OUT"), "ABSENT"),
        (("audit", "SUITE", "--scenes", "gqa:graphs=ABSENT"), "does not exist"),
    ],
)
def test_slips_on_the_command_line(
    arguments: tuple[str, ...], said: str, suite: Path, world: Path, tmp_path: Path
) -> None:
    places = {
        "SUITE": str(suite),
        "WORLD": str(world),
        "OUT": str(tmp_path / "out"),
        "ABSENT": str(tmp_path / "ABSENT"),
    }
    filled = []
    for argument in arguments:
        for name, place in places.items():
            argument = argument.replace(name, place)  # noqa: PLW2901
        filled.append(argument)
    assert said in refused(*filled)
    assert not (tmp_path / "out").exists()


def test_a_full_disk(world: Path, tmp_path: Path) -> None:
    """A folder that can hold next to nothing: the write fails in the middle, and nothing stays."""
    if not _can_mount():
        pytest.skip("needs the right to mount a small file system")
    import subprocess

    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=True)
    try:
        line = refused("generate", "tiny", *TINY, "--from", f"gqa:{world}", "--out", small / "suite")
        assert "space" in line
        assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", str(small)], check=True)


def _can_mount() -> bool:
    import os
    import subprocess
    import tempfile

    if os.name != "posix" or os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        tried = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False
        )
        if tried.returncode:
            return False
        subprocess.run(["umount", folder], check=True)
    return True
