"""Votes on pairs: read from files, screened, counted, and written beside the items they mark."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from falter.api.inspecting import inspect
from falter.api.people import add_votes
from falter.api.people_tables import Validation
from falter.core.errors import InputError, UsageError
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.data.validation import ValidatedTest, are_shown_in_one_order, screen_annotators, verdicts, votes_alpha
from falter.data.votes import Vote, read_vote_file, read_votes
from tests.cli.in_process import falter_here

ANSWERS = {
    "pair-0": ("caption", "caption", "caption"),
    "pair-1": ("caption", "caption", "foil"),
    "pair-2": ("caption", "both", "neither"),
    "pair-3": ("cannot tell", "foil", "foil"),
}


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    with create_suite(tmp_path / "suite", SuiteManifest(name="mine")) as writer:
        for number in range(6):
            shared: dict[str, Any] = {
                "probe_id": f"pair-{number}",
                "suite": "mine",
                "test": "verbs",
                "task": "match",
                "expects": "prefer",
                "image": ImageRef(str(number)),
                "facets": {"piece": "actions"},
            }
            caption = Item.make(text=f"A man runs {number}.", gold="yes", **shared)
            writer.add(Probe((caption, Item.make(text=f"A man sits {number}.", gold="no", variant=1, **shared))))
    return open_suite(tmp_path / "suite")


def rows() -> list[dict[str, Any]]:
    return [
        {"probe_id": pair, "annotator": f"worker {number}", "answer": answer, "seconds": 2.5}
        for pair, answers in ANSWERS.items()
        for number, answer in enumerate(answers)
    ]


def write_csv(path: Path, found: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    return path


def test_csv_and_jsonl_are_the_same_votes(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "votes.csv", rows())
    lines = tmp_path / "votes.jsonl"
    lines.write_text("\n".join(json.dumps(row) for row in rows()))
    votes = read_vote_file(table, ANSWERS)
    assert votes == read_vote_file(lines, ANSWERS)
    assert votes[4] == Vote(probe_id="pair-1", annotator="worker 1", answer="caption", seconds=2.5)


def test_positions_become_texts_by_the_order_shown(tmp_path: Path) -> None:
    found = [
        {"probe_id": "pair-0", "annotator": "a", "answer": "first", "caption_first": "true"},
        {"probe_id": "pair-0", "annotator": "b", "answer": "second", "caption_first": "true"},
        {"probe_id": "pair-0", "annotator": "c", "answer": "Second", "caption_first": "no"},
        {"probe_id": "pair-0", "annotator": "d", "answer": "unsure", "caption_first": ""},
    ]
    votes = read_vote_file(write_csv(tmp_path / "votes.csv", found), ANSWERS)
    assert [vote.answer for vote in votes] == ["caption", "foil", "caption", "cannot tell"]
    assert [vote.caption_first for vote in votes] == [True, True, False, None]


def test_two_of_three_are_valid_and_three_unanimous() -> None:
    votes = [Vote(probe_id=row["probe_id"], annotator=row["annotator"], answer=row["answer"]) for row in rows()]
    found = verdicts([*votes, Vote(probe_id="pair-4", annotator="worker 0", answer="caption")])
    assert {pair: tuple(one) for pair, one in found.items()} == {
        "pair-0": (True, True),
        "pair-1": (True, False),
        "pair-2": (False, False),
        "pair-3": (False, False),
    }, "one vote decides nothing"
    even = [
        Vote(probe_id="pair", annotator=str(number), answer=one) for number, one in enumerate(["caption", "foil"] * 2)
    ]
    assert verdicts(even)["pair"].valid is False, "half is not most"


def test_alpha_is_krippendorffs() -> None:
    # The example of Krippendorff (2011): four observers, twelve units, five categories, gaps; nominal alpha is 0.743.
    observers = {
        "A": "1 2 3 3 2 1 4 1 2 - - -",
        "B": "1 2 3 3 2 2 4 1 2 5 - 3",
        "C": "- 3 3 3 2 3 4 2 2 5 1 -",
        "D": "1 2 3 3 2 4 4 1 2 5 1 -",
    }
    votes = [
        Vote(probe_id=str(unit), annotator=name, answer=answer)
        for name, answers in observers.items()
        for unit, answer in enumerate(answers.split())
        if answer != "-"
    ]
    assert votes_alpha(votes) == pytest.approx(0.743, abs=0.0005)
    assert votes_alpha(vote for vote in votes if vote.annotator == "A") is None
    assert votes_alpha([]) is None


def test_agreement_is_over_what_was_shown_where_the_order_is_known() -> None:
    orders = {"1": True, "2": False, "3": True, "4": False}
    answers = {"1": "caption caption", "2": "caption caption", "3": "caption caption", "4": "caption both"}

    def made(order: dict[str, bool | None]) -> list[Vote]:
        return [
            Vote(probe_id=pair, annotator=str(number), answer=one, caption_first=order[pair])
            for pair, found in answers.items()
            for number, one in enumerate(found.split())
        ]

    shown = made({**orders})
    assert are_shown_in_one_order(shown)
    # Of eight votes, four are for the first text, three for the second, one for both; one pair of two disagrees.
    assert votes_alpha(shown, as_shown=True) == pytest.approx(1 - (2 / 8) / (2 * (4 * 3 + 4 + 3) / (8 * 7)))
    assert votes_alpha(shown) == pytest.approx(1 - (2 / 8) / (2 * 7 / (8 * 7)))
    assert not are_shown_in_one_order(made({**orders, "2": None}))
    mixed = [*shown, Vote(probe_id="1", annotator="2", answer="foil", caption_first=False)]
    assert not are_shown_in_one_order(mixed)


def test_annotators_below_the_share_are_left_out() -> None:
    def made(name: str, captions: int, whole: int) -> list[Vote]:
        answers = ["caption"] * captions + ["foil"] * (whole - captions)
        return [Vote(probe_id=str(number), annotator=name, answer=one) for number, one in enumerate(answers)]

    votes = [*made("good", 7, 10), *made("poor", 6, 10), *made("new", 1, 9)]
    found = screen_annotators(votes, 0.7)
    assert found.out == {"poor": 0.6}, "nine votes are too few to tell"
    assert {vote.annotator for vote in found.votes} == {"good", "new"}
    with pytest.raises(UsageError, match="from 0 to 1"):
        screen_annotators(votes, 70)


def test_a_suite_gets_its_votes_and_facets(suite: Suite, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "votes.csv", rows())
    (found,) = add_votes(suite, file, out=tmp_path / "voted", screen=0)
    assert (found.pairs, found.judged, found.votes, found.annotators, found.valid, found.unanimous) == (
        6,
        4,
        12,
        3,
        2,
        1,
    )
    voted = open_suite(tmp_path / "voted")
    assert len(list(read_votes(voted.folder))) == 12
    facets = {probe.probe_id: probe.original.facets for probe in voted.probes()}
    assert facets["pair-1"] == {"piece": "actions", "valid": "yes", "unanimous": "no"}
    assert facets["pair-3"]["valid"] == "no"
    assert "valid" not in facets["pair-5"], "nobody voted on it"
    before = [item.item_id for item in suite.items()]
    assert [item.item_id for item in voted.items()] == before
    told = inspect(voted, sample=0)
    assert told.to_dict()["tests"]["verbs"]["votes"]["valid"] == 2
    assert "alpha" in str(told)
    add_votes(suite, file, out=tmp_path / "valid", screen=0, subset="valid")
    assert [probe.probe_id for probe in open_suite(tmp_path / "valid").probes()] == ["pair-0", "pair-1"]
    assert len(list(read_votes(tmp_path / "valid"))) == 6


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"answer": "maybe"}, "the answer 'maybe'"),
        ({"answer": "first"}, "not which text"),
        ({"annotator": ""}, "no annotator"),
        ({"probe_id": "pair-9"}, "no pair of the suite"),
        ({"seconds": "long"}, "'long' seconds"),
        ({"annotator": "worker 1"}, "twice"),
    ],
)
def test_bad_votes_name_file_record_and_remedy(tmp_path: Path, change: dict[str, str], told: str) -> None:
    found = [{**row} for row in rows()]
    found[2] |= change
    path = write_csv(tmp_path / "votes.csv", found)
    with pytest.raises(InputError, match=told) as error:
        read_vote_file(path, ANSWERS)
    assert "votes.csv" in str(error.value) and "line 4" in str(error.value)
    assert "\n" not in str(error.value)


def test_from_the_command_line(suite: Suite, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "votes.csv", rows())
    done = falter_here("people", "votes", suite.folder, "--from", file, "--out", tmp_path / "voted", "--json")
    assert done.code == 0, done.stderr
    assert json.loads(done.stdout)["tests"][0]["unanimous"] == 1
    again = falter_here("people", "votes", suite.folder, "--from", file, "--out", tmp_path / "voted")
    assert again.code == 2 and "already exists" in again.stderr


def test_the_table_fits_80_columns_in_a_pipe() -> None:
    row = ValidatedTest(
        test="counting-adversarial",
        pairs=1000,
        judged=1000,
        votes=3000,
        annotators=12,
        valid=867,
        unanimous=612,
        alpha=0.5,
        alpha_valid=0.4,
        alpha_over="texts",
        caption_first=0.5,
    )
    told = str(Validation([row], {f"a patient annotator {number}": 0.4 for number in range(4)}))
    assert "867 (86.7 %)" in told and "annotator 3" in told
    assert max(map(len, told.splitlines())) <= 80
