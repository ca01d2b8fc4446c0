"""The trunk's tests pass with each suite removed from the registry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import OF_ALL_SUITES

ROOT = Path(__file__).parents[1]


def run_trunk(without: str, *paths: str) -> None:
    """Run tests in a process of their own, which knows nothing of one suite."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "0", "--without-bundle", without, *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert " passed" in done.stdout.splitlines()[-1]


def test_some_of_the_trunk_needs_no_carets() -> None:
    run_trunk("carets", "tests/cli/test_bad_input.py::test_wrong_types_name_the_picture", "tests/test_bundle.py")


@pytest.mark.soak
@pytest.mark.parametrize("name", OF_ALL_SUITES)
def test_the_trunk_needs_no_suite(name: str) -> None:
    run_trunk(name, "tests")
