"""A folder with what the pages speak of: a world, a suite and runs, all small."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests import program


class Workspace:
    """A folder in which commands and code blocks run as a reader would run them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        programs = folder / ".programs"
        programs.mkdir(parents=True)
        falter = programs / "falter"
        falter.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from falter.cli import main; main()" "$@"\n')
        falter.chmod(0o755)
        self._environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HF_HUB_OFFLINE": "1",
        }

    def shell(self, command: str) -> str:
        """Run a command line; its output, or a failed assertion with what it wrote."""
        words = shlex.split(command)
        if words[0] == "falter" and not set(words) & {"|", ">", "&&", ";"}:
            return _check(program.falter(*words[1:], cwd=self.folder, environment=self._environment), command)
        return self._run(["sh", "-c", command], command)

    def python(self, path: Path) -> str:
        """Run a Python file with this folder as the current one."""
        return self._run([sys.executable, str(path)], path.name)

    def _run(self, words: list[str], name: str) -> str:
        done = subprocess.run(
            words, cwd=self.folder, env=self._environment, capture_output=True, text=True, check=False
        )
        return _check(done, name)


def _check(done: subprocess.CompletedProcess[str], name: str) -> str:
    assert done.returncode == 0, f"{name}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace with a world, a suite, two runs and vectors, under the names that the pages use."""
    made = Workspace(tmp_path_factory.mktemp("pages"))
    made.shell("falter world --out world --num-scenes 40 --seed 3")
    made.shell("falter generate carets --from gqa:world/val --size 12 --out suite")
    made.shell("falter import example my-data")
    made.shell("falter run suite --model builtin:bow-image --model builtin:blind --train gqa:world/train --out runs")
    draw = np.random.default_rng(0)
    for name, rows in {"pool": 200, "queries": 5}.items():
        vectors = draw.normal(size=(rows, 16)).astype(np.float32)
        np.save(made.folder / f"{name}.npy", vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return made
