"""What the viewer finds: the failures of the report, the pairs that filters and words leave, comments that stay."""

from __future__ import annotations

import threading
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import falter
from falter.apps.viewer.application import ViewerPages
from falter.apps.viewer.pair_index import PairIndex
from falter.apps.viewer.selection import Filters, select_pairs
from falter.apps.viewer.workbench import CommentFile, Workbench
from falter.core.errors import InputError
from falter.data.items import Item, Probe
from falter.data.suite import open_suite
from falter.evaluation.runs import open_run
from falter.evaluation.runs.failures import ModelRun, SampledPair, load_failures

from .small import Replies, make_runs, make_suite


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[falter.Run]:
    folder = tmp_path_factory.mktemp("view")
    return make_runs(make_suite(folder), folder / "runs")


@pytest.fixture(scope="module")
def bench(runs: list[falter.Run]) -> Workbench:
    return Workbench(runs)


@pytest.fixture(scope="module")
def cards(bench: Workbench) -> list[dict[str, Any]]:
    pages = ViewerPages(bench)
    return [card for page in ("1", "2", "3") for card in pages.list_pairs({"page": page})["pairs"]]


def test_failures_are_those_of_the_report(runs: list[falter.Run], cards: list[dict[str, Any]]) -> None:
    sample = [SampledPair(card["probe"], card["number"], 0, 0) for card in cards]
    own = [ModelRun(run, number) for number, run in enumerate(runs)]
    found = {(one.probe_id, one.variant_number): one for one in load_failures(runs[0].suite(), own, sample, [])}
    assert len(found) == len(cards) == 24
    for card in cards:
        expected = found[card["probe"], card["number"]]
        for reply, other in zip(card["replies"], expected.replies, strict=True):
            assert set(reply["failure_types"]) == set(other.failure_types), card["probe"]
            for side, single in zip(reply["sides"], (other.original, other.variant), strict=True):
                assert side["correct"] == single.correct
                assert side["status"] == single.status
                assert side.get("answer") == single.answer
        assert card.get("image_change", "") == expected.image_change
    assert {card["image_change"] for card in cards if card["test"] == "visual"} == {"obfuscation: blur-6"}


def is_right(card: dict[str, Any], model: int) -> bool:
    (reply,) = (one for one in card["replies"] if one["model"] == model)
    judged = card["expects"] == "prefer" or all(side["correct"] for side in reply["sides"])
    return not reply["failure_types"] and judged


def keep(card: dict[str, Any], filters: Filters, names: list[str]) -> bool:
    wrong = [one for one in card["replies"] if filters.wrong in ("", "any", names[one["model"]])]
    if filters.outcome:
        failed = any(filters.outcome in one["failure_types"] for one in wrong)
    else:
        failed = not filters.wrong or any(one["failure_types"] for one in wrong)
    said = [side.get("text") or side.get("answer") or "" for one in card["replies"] for side in one["sides"]]
    texts = ["".join(part for part, _ in side["text"]) + " " + side["gold"] for side in card["sides"]]
    # Each word may be anywhere in the pair.
    words = " ".join([card["probe"], *said, *texts]).lower()
    return (
        (not filters.test or card["test"] == filters.test)
        and failed
        and (not filters.right or is_right(card, names.index(filters.right)))
        and all([name, value] in card["facets"] for name, value in filters.facets)
        and all(word in words for word in filters.q.lower().split())
    )


def test_filters_and_words_leave_what_reading_the_pairs_leaves(bench: Workbench, cards: list[dict[str, Any]]) -> None:
    names = [model.name for model in bench.models]
    tried = 0
    for test, wrong, right, outcome, facet, words in product(
        ("", "different", "foil", "single"),
        ("", "any", "model-1"),
        ("", "model-2"),
        ("", "variant", "unparsed", "foil"),
        ((), (("class", "animal"),), (("obfuscation", "blur-6"),)),
        ("", "KITE", "cannot tell", "dog -1"),
    ):
        filters = Filters(test=test, wrong=wrong, right=right, outcome=outcome, facets=facet, q=words)
        found = select_pairs(bench.indices[0], filters, bench.model_numbers)
        expected = [card["row"] for card in cards if keep(card, filters, names)]
        assert sorted(found.tolist()) == sorted(expected), filters
        tried += bool(expected)
    assert tried > 60


def test_counts_are_those_of_the_pairs(bench: Workbench, cards: list[dict[str, Any]]) -> None:
    counted = ViewerPages(bench).list_pairs({"test": "different"})["counts"]
    own = [card for card in cards if card["test"] == "different"]
    assert [one["right"] for one in counted] == [sum(is_right(card, model) for card in own) for model in range(3)]
    rows = ViewerPages(bench).list_breakdown({"by": "class"})["rows"]
    assert sum(row["pairs"] for row in rows) == 24
    first = {row["value"]: row["models"][0][1] for row in rows}
    for value, right in first.items():
        assert right == sum(is_right(card, 0) for card in cards if ["class", value] in card["facets"])


class Interrupted(Replies):
    """The first model, stopped in its third batch."""

    asked = 0

    def reply(self, batch: Any) -> Any:
        self.asked += 1
        if self.asked == 3:
            raise KeyboardInterrupt
        return super().reply(batch)


def test_a_run_under_way_is_shown_as_it_grows(runs: list[falter.Run], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        falter.run(runs[0].suite(), Interrupted("model-1", 1), out=tmp_path / "run", batch_size=6)
    bench = Workbench([open_run(tmp_path / "run"), runs[1]])
    index = bench.indices[0]
    first = int((index.columns[0].reply > 0).sum())
    assert 0 < first < len(index.columns[0].reply)
    assert not bench.is_complete(0)
    assert ViewerPages(bench).list_pairs({"q": "dog"})["total"] > 0
    falter.run(runs[0].suite(), Replies("model-1", 1), out=tmp_path / "run", batch_size=6)
    index._looked = float("-inf")
    index.refresh()
    assert (index.columns[0].reply > 0).all() and bench.is_complete(0)
    assert index.columns[0].flags.tolist() == Workbench([runs[0]]).indices[0].columns[0].flags.tolist()


def test_comments_stay_beside_the_run_whoever_writes(runs: list[falter.Run], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    files = [CommentFile(folder) for _ in range(2)]
    threads = [
        threading.Thread(target=lambda file, n: [file.add("p", 1, f"{n}-{i} <b>\n") for i in range(25)], args=(file, n))
        for n, file in enumerate((*files, *files))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(files[0].all()) == len({one.id for one in files[1].all()}) == 100
    with (folder / "comments.jsonl").open("ab") as stream:
        stream.write(b'{"id": "torn')
    kept = files[0].add("p", 2, "after a power cut")
    again = CommentFile(folder)
    assert len(again.all()) == 101 and again.all()[-1] == kept
    assert again.delete(kept.id) and not again.delete(kept.id)
    assert len(CommentFile(folder).all()) == 100
    (tmp_path / "elsewhere").write_text("precious")
    (folder / "comments.jsonl").unlink()
    (folder / "comments.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="cannot be written"):
        files[0].add("p", 1, "through a link")
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_comments_are_filters_and_belong_to_a_run(runs: list[falter.Run]) -> None:
    bench = Workbench(runs)
    assert bench.add_comment(0, 3, 1, "look here") is not None
    assert bench.add_comment(0, 10_000, 1, "nowhere") is None and bench.add_comment(0, 3, 9, "nobody") is None
    assert (runs[1].folder / "comments.jsonl").exists() and not (runs[0].folder / "comments.jsonl").exists()
    again = Workbench(runs)
    assert np.flatnonzero(again.commented(0)).tolist() == [3]
    found = ViewerPages(again).list_pairs({"commented": "1"})
    assert [one["text"] for card in found["pairs"] for one in card["comments"]] == ["look here"]
    (runs[1].folder / "comments.jsonl").unlink()
    assert open_suite(runs[0].suite().folder)


def test_every_value_that_is_shown_can_be_chosen(bench: Workbench) -> None:
    """Also one with invisible characters, which are shown by their names."""
    pages = ViewerPages(bench)
    (suite,) = pages._describe()["suites"]
    assert {value for value, _ in suite["facets"]["size"]} == {"0⟨U+200B⟩", "1⟨U+200B⟩"}
    for facet, values in suite["facets"].items():
        for value, count in values:
            assert pages.list_pairs({"facet": facet, "value": value})["total"] == count


def test_a_suite_of_single_questions_has_no_pairs(bench: Workbench, tmp_path: Path) -> None:
    (own,) = bench.indices
    assert own.unit == "pairs", "some of its probes are single questions, and not all"
    item = Item.make(probe_id="p", suite="single", test="single", text="Is there a dog?", gold="yes")
    suite = falter.write_suite([Probe((item,))], tmp_path / "suite", name="single")
    assert PairIndex(suite, []).unit == "questions"
