"""The report of single questions, and of two images by two texts: what it counts and what it leaves out."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import falter
from falter import ImageRef, Item, Probe


def text_of(page: Path) -> str:
    body = re.sub(r"(?s)<(script|style).*?</\1>", "", page.read_text())
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def report(folder: Path, probes: list[Probe]) -> str:
    suite = falter.write_suite(probes, folder / "suite", name="mine")
    run = falter.run(suite, lambda requests: ["yes" for _ in requests], name="says-yes", out=folder / "run")
    falter.report([run], folder / "report.html")
    return text_of(folder / "report.html")


def test_single_questions(tmp_path: Path) -> None:
    page = report(
        tmp_path,
        [
            Probe.of(
                Item.make(
                    suite="mine",
                    test="presence",
                    probe_id=f"p{number}",
                    text=f"Is there a dog, {number}?",
                    gold="yes" if number % 4 else "no",
                    choices=("yes", "no"),
                    expects="each",
                    facets={"place": "park" if number % 2 else "street"},
                    image=ImageRef(f"i{number}"),
                )
            )
            for number in range(12)
        ],
    )
    assert "1 model, 1 test, 12 single questions." in page
    assert "ACC, presence, % Weakest test Failed says-yes 75.0" in page
    assert "place questions" in page
    assert "Failed questions 3 questions were failed" in page
    for absent in (
        "both answers must be right",
        " 0 pairs",
        "Differences between the two texts",
        "foil tied",
    ):
        assert absent not in page


def test_two_by_two(tmp_path: Path) -> None:
    page = report(
        tmp_path,
        [
            Probe(
                tuple(
                    Item.make(
                        suite="mine",
                        test="two-by-two",
                        probe_id=f"p{number}",
                        variant=variant,
                        text=f"Is it {variant % 2}?",
                        gold="no" if variant in (1, 2) else "yes",
                        choices=("yes", "no"),
                        expects="crossed",
                        image=ImageRef(f"i{number}-{variant // 2}"),
                    )
                    for variant in range(4)
                )
            )
            for number in range(3)
        ],
    )
    assert "3 sets of two images by two texts" in page
    assert "two-by-two group ACC 0.0" in page
    assert "ACC items" in page
    assert "two-by-two 3 sets" in page
