"""Two images by two texts, counted by hand: Winoground's scores and NaturalBench's accuracies."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from falter.data.items import Probe
from falter.evaluation.measures import Score
from falter.evaluation.measures.scoring import score_tables
from tests.measures.tables import items_of, probe, replies_of
from tests.measures.test_foils import told


def captions(name: str) -> Probe:
    """Image 1 with captions 1 and 2, then image 2 with captions 1 and 2."""
    return probe(name, "crossed", ["yes", "no", "no", "yes"], task="match", choices=None, image_id=name)


def questions(name: str) -> Probe:
    return probe(name, "crossed", ["yes", "no", "no", "yes"], image_id=name)


def scored(items: object, replies: object) -> dict[str, Score]:
    return {one.measure: one for one in score_tables(items, replies)}  # type: ignore[arg-type]


SCORES = {
    # name: scores of (image 1, text 1), (1, 2), (2, 1), (2, 2): text, image, group
    "all": ((0.9, 0.1, 0.2, 0.8), (1, 1, 1)),
    "text alone": ((0.5, 0.4, 0.7, 0.8), (1, 0, 0)),
    "image alone": ((0.5, 0.7, 0.4, 0.8), (0, 1, 0)),
    "one text of two": ((0.9, 0.3, 0.8, 0.2), (0, 0, 0)),
    "tied texts": ((0.5, 0.5, 0.1, 0.8), (0, 1, 0)),
    "all tied": ((0.5, 0.5, 0.5, 0.5), (0, 0, 0)),
}


@pytest.mark.parametrize("name", SCORES)
def test_winoground_by_hand(name: str) -> None:
    scores, expected = SCORES[name]
    found = scored(items_of(captions("p")), told({f"p.{n}": one for n, one in enumerate(scores)}, "similarity"))
    assert tuple(found[each].value for each in ("text_score", "image_score", "group_score")) == expected
    assert (found["sets"].value, found["text_score"].n) == (1, 1)


def test_winoground_over_sets() -> None:
    names = list(SCORES)
    replies = {f"p{k}.{n}": one for k, name in enumerate(names) for n, one in enumerate(SCORES[name][0])}
    found = scored(items_of(*(captions(f"p{k}") for k in range(len(names)))), told(replies))
    values = [found[each].value for each in ("text_score", "image_score", "group_score")]
    assert values == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    assert found["group_score"].low is not None
    # By the threshold: 4 + 2 + 2 + 2 + 3 + 2 of 24 (0.5 is no match).
    assert found["item_acc"].value == pytest.approx(15 / 24)
    assert not {"acc", "acc_r", "p_c", "auroc", "precision"} & found.keys()


def test_answers_of_yes_and_no_rank_texts() -> None:
    found = scored(items_of(captions("p")), told({"p.0": "yes", "p.1": "no", "p.2": "no", "p.3": "yes"}, None))
    assert [found[each].value for each in ("text_score", "image_score", "group_score")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("right", "question", "image", "group"),
    [
        ("1111", 1.0, 1.0, 1.0),
        ("1010", 0.5, 0.0, 0.0),
        ("1100", 0.0, 0.5, 0.0),
        ("1110", 0.5, 0.5, 0.0),
        ("1001", 0.0, 0.0, 0.0),
        ("0000", 0.0, 0.0, 0.0),
    ],
)
def test_naturalbench_by_hand(right: str, question: float, image: float, group: float) -> None:
    """Items are image 1 with questions 1 and 2, then image 2 with questions 1 and 2."""
    golds = ["yes", "no", "no", "yes"]
    other = {"yes": "no", "no": "yes"}
    said = {f"p.{n}": golds[n] if one == "1" else other[golds[n]] for n, one in enumerate(right)}
    found = scored(items_of(questions("p")), replies_of(said))
    assert [found[each].value for each in ("question_acc", "image_acc", "group_acc")] == [question, image, group]
    assert found["item_acc"].value == right.count("1") / 4
    assert [found[each].n for each in ("question_acc", "image_acc", "group_acc", "item_acc")] == [2, 2, 1, 4]


def test_a_set_with_a_failed_reply_is_excluded() -> None:
    said = {f"p.{n}": one for n, one in enumerate(["yes", "no", "no", "yes"])}
    said |= {f"q.{n}": one for n, one in enumerate(["yes", "no", "!failed", "yes"])}
    found = scored(items_of(questions("p"), questions("q")), replies_of(said))
    assert (found["group_acc"].value, found["group_acc"].n, found["sets"].value) == (1, 1, 2)


def test_other_sets_have_no_such_score() -> None:
    def sets(*golds: str) -> Sequence[Probe]:
        return [probe("p", "each", list(golds))]

    found = scored(items_of(*sets("yes", "no", "no", "yes")), replies_of({f"p.{n}": "yes" for n in range(4)}))
    assert not {"question_acc", "image_acc", "group_acc", "item_acc", "sets"} & found.keys()
    assert "set_acc" in found
