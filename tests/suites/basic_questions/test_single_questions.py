"""What is measured under noise needs variants; a run on single questions has none."""

from __future__ import annotations

from pathlib import Path

import falter
from falter import Item, Probe
from falter.suites.basic_questions.robustness import robustness_of_run


def test_a_run_on_single_questions_has_no_robustness(tmp_path: Path) -> None:
    probes = [
        Probe(
            (
                Item.make(
                    suite="mine",
                    test="plain",
                    probe_id=str(number),
                    expects="same",
                    text=f"Is it {number}?",
                    gold="yes",
                    choices=("yes", "no"),
                ),
            )
        )
        for number in range(4)
    ]
    suite = falter.write_suite(probes, tmp_path / "suite", name="mine")
    run = falter.run(suite, lambda asked: ["yes" for _ in asked], name="yes", out=tmp_path / "run")
    assert robustness_of_run(run) == []
