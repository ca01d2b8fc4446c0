"""Copies of a probe count once, whichever door tells the score; contradictory golds are named."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

import falter
from falter.core.errors import FalterWarning
from falter.data.items import Expects, ImageRef, Item, Probe
from falter.data.model import Request
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.runs import RunSettings
from falter.evaluation.runs.scored_items import find_copies
from tests.engine.small_suite import Recorder

DISTINCT, TIMES = 6, 50


def question(
    number: int,
    text: str,
    *,
    variant: int = 0,
    gold: str = "yes",
    test: str = "asked",
    expects: Expects = "each",
    image: ImageRef | None = None,
) -> Item:
    return Item.make(
        suite="twice",
        test=test,
        probe_id=f"p{number:04}",
        text=text,
        variant=variant,
        expects=expects,
        gold=gold,
        choices=("yes", "no"),
        image=image or ImageRef(f"i-{text[-9:]}"),
    )


def write(folder: Path, probes: Sequence[Sequence[Item]]) -> Suite:
    with create_suite(folder, SuiteManifest(name="twice")) as writer:
        for items in probes:
            writer.add(Probe(tuple(items)))
    return open_suite(folder)


def mixed(request: Request) -> object:
    """Right about half of the texts, the same each time."""
    return random.Random(request.text).choice(["yes", "no"])


def figures(scores: falter.Scores) -> dict[tuple[object, ...], tuple[object, ...]]:
    return {
        (row.test, row.facet_value, row.measure): (row.value, row.low, row.high, row.interval, row.n, row.images)
        for row in scores
    }


def test_six_questions_asked_fifty_times_are_six(tmp_path: Path) -> None:
    texts = [f"Is it {number}?" for number in range(DISTINCT)]
    once = write(tmp_path / "once", [[question(number, text)] for number, text in enumerate(texts)])
    copied = [[question(number, texts[number % DISTINCT])] for number in range(DISTINCT * TIMES)]
    often = write(tmp_path / "often", copied)
    runs = [run_suite(one, Recorder(mixed), tmp_path / f"run-{one.folder.name}") for one in (once, often)]
    one, many = (falter.score(run) for run in runs)
    assert figures(one) == figures(many)
    assert {row.n for row in many if row.measure == "acc"} == {DISTINCT}
    # Every door says so, and has the same n.
    said = "294 of 300 probes of twice are copies of others"
    assert not one.runs[0].scope and said in many.runs[0].scope[0]
    other = run_suite(often, Recorder(lambda _: "yes", "2"), tmp_path / "other")
    compared = falter.compare(runs[1], other, measures=["acc"])
    assert said in " ".join(str(compared).split())
    assert {row.n for row in compared} == {DISTINCT}
    for value in (False, True):
        checked = falter.check(runs[1], "twice.asked.acc>=1%", value=value)
        assert checked.rows[0].score.n == checked.rows[0].units == DISTINCT
        assert said in checked.notes[0]
    assert len(runs[1].outcomes()) == DISTINCT
    page = falter.report([runs[1]], tmp_path / "report.html").read_text()
    assert said in page
    with pytest.warns(FalterWarning, match=said):
        falter.inspect(often)


def test_a_probe_is_a_copy_only_if_all_its_items_are_and_its_test_is(tmp_path: Path) -> None:
    def pair(number: int, text: str, changed: str, *, gold: str = "no", test: str = "asked") -> list[Item]:
        return [
            question(number, text, test=test, expects="different"),
            question(number, changed, variant=1, gold=gold, test=test, expects="different", image=ImageRef("i")),
        ]

    suite = write(
        tmp_path / "suite",
        [
            pair(0, "Is it red?", "Is it not red?"),
            pair(1, "Is it red?", "Is it no red?"),  # shares its original
            pair(2, "Is it blue?", "Is it not red?"),  # shares its variant
            pair(3, "Is it red?", "Is it not red?", test="other"),
            pair(4, "Is it red?", "Is it not red?"),  # a copy
            [*pair(5, "Is it red?", "Is it not red?"), question(5, "Not?", variant=2, gold="no", expects="different")],
            pair(6, "Is it red?", "Is it not red?", gold="yes"),
        ],
    )
    found = find_copies(suite.items_path)
    assert (found.probes, found.copies, found.contradictions) == (7, 1, 1)
    assert "'no' in p0005 and 'yes' in p0006" in found.example
    run = run_suite(suite, Recorder(mixed), tmp_path / "run")
    assert [note for note in falter.score(run).runs[0].scope if "several golds" in note]
    assert sorted(set(run.outcomes()["probe_id"])) == [f"p000{number}" for number in (0, 1, 2, 3, 5, 6)]
    # Another spelling of a gold is no contradiction, and no copy either.
    other = write(tmp_path / "other", [[question(0, "Is it?")], [question(1, "Is it?", gold="Yes")]])
    assert find_copies(other.items_path)[:3] == (2, 0, 0)


def test_any_suite_with_copies_scores_as_without(tmp_path: Path) -> None:
    draw = random.Random(3)
    for number in range(4):
        probes: list[list[Item]] = []
        for probe in range(draw.randint(4, 12)):
            expects: Expects = draw.choice(["same", "different"])
            image = ImageRef(f"i{draw.randrange(5)}")
            size, test = draw.randint(1, 3), draw.choice(["a", "b"])
            probes.append(
                [
                    question(probe, f"{probe}/{variant}?", variant=variant, test=test, expects=expects, image=image)
                    for variant in range(size)
                ]
            )
        copies = [
            [item.change(probe_id=f"z{copy:03}") for item in draw.choice(probes)] for copy in range(draw.randint(1, 30))
        ]
        # Wherever copies come after what they copy, the first of each stays where it was.
        at = draw.randrange(len(probes))
        known = {probe[0].text for probe in probes[: at + 1]}
        early, late = ([one for one in copies if (one[0].text in known) == is_early] for is_early in (True, False))
        suites = [
            write(tmp_path / f"{number}-once", probes),
            write(tmp_path / f"{number}-often", [*probes[: at + 1], *early, *probes[at + 1 :], *late]),
        ]
        once, often = (
            run_suite(one, Recorder(mixed), tmp_path / f"run-{one.folder.name}", RunSettings(repeat=2))
            for one in suites
        )
        assert figures(falter.score(once)) == figures(falter.score(often))


def test_an_image_under_two_names_is_one(tmp_path: Path) -> None:
    content, other = "ab" * 32, "cd" * 32
    images = [ImageRef("a", None, content), ImageRef("b", None, content), ImageRef("c", None, other)]
    suite = write(
        tmp_path / "suite",
        [
            [question(0, "Is it red?", image=images[0])],
            [question(1, "Is it red?", image=images[1])],
            [question(2, "Is it blue?", image=images[1])],
            [question(3, "Is it red?", image=images[2])],
        ],
    )
    run = run_suite(suite, Recorder(mixed), tmp_path / "run")
    (accuracy,) = (row for row in falter.score(run, measures=["acc"]) if row.test == "asked")
    # The second is the first again; the third is about the same image, and so in its cluster.
    assert (accuracy.n, accuracy.images) == (3, 2)


def test_of_the_probes_of_a_limit_the_first_copy_stays(tmp_path: Path) -> None:
    suite = write(tmp_path / "suite", [[question(number, "Is it?")] for number in range(9)])
    run = run_suite(suite, Recorder(mixed), tmp_path / "run", RunSettings(limit=4))
    (accuracy,) = (row for row in falter.score(run, measures=["acc"]) if row.test == "asked")
    assert accuracy.n == 1
    assert "3 of 4 probes" in falter.score(run).runs[0].scope[-1]


@pytest.mark.parametrize("reply", ["first", "second"])
def test_the_reply_to_the_first_copy_counts(tmp_path: Path, reply: str) -> None:
    # One item under two published ids may have two predictions.
    items = [msgspec.structs.replace(question(number, "Is it?"), source_id=name) for number, name in enumerate("xy")]
    suite = write(tmp_path / "suite", [[item] for item in items])
    lines = {"x": "yes", "y": "no"} if reply == "first" else {"x": "no", "y": "yes"}
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(f'{{"source_id": "{name}", "text": "{text}"}}\n' for name, text in lines.items()))
    run = falter.run(suite, f"file:{path}", out=tmp_path / "run")
    (accuracy,) = (row for row in falter.score(run, measures=["acc"]) if row.test == "asked")
    assert (accuracy.n, accuracy.value) == (1, 1.0 if reply == "first" else 0.0)


def test_an_import_names_copies_and_contradictions(tmp_path: Path) -> None:
    rows = [("dog", "yes"), ("dog", "yes"), ("cat", "yes"), ("cat", "no")]
    path = tmp_path / "mine.csv"
    path.write_text("question,answer\n" + "".join(f"Is there a {thing}?,{gold}\n" for thing, gold in rows))
    with pytest.warns(FalterWarning) as given:
        falter.import_table(path, out=tmp_path / "suite")
    lines = sorted(str(one.message) for one in given)
    assert lines[0].startswith("1 item of mine with several golds, such as 'yes' in ")
    assert lines[1].startswith("1 of 4 probes of mine is a copy of others")


def test_what_a_measure_groups_by_tells_probes_apart(tmp_path: Path) -> None:
    # Accuracy over figures needs every question of a figure; copies within a figure and a pair of one are copies.
    def asked(number: int, figure: str) -> list[Item]:
        facets = {"figure": figure, "figure_questions": "1", "colour": str(number)}
        return [msgspec.structs.replace(question(number, "Is it?"), suite="hallusionbench", facets=facets)]

    suite = write(tmp_path / "suite", [asked(0, "a"), asked(1, "b"), asked(2, "b")])
    assert find_copies(suite.items_path)[:2] == (3, 1)
