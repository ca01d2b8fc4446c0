"""Blind checks of choices: among what is offered, against the chance of guessing there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from falter.api.inspecting import inspect
from falter.data.agreement import wilson
from falter.data.blind_checks import BlindCheck
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite_writing import write_suite
from falter.generation.inspection.blind import blind_check
from falter.generation.inspection.ngram_baselines import split_images

COLORS = ("red", "blue", "green", "black")


def check(folder: Path, pick: Callable[[Sequence[str], Random], str], sizes: Sequence[int] = (2, 3)) -> BlindCheck:
    rng, probes = Random(5), []
    for number in range(300):
        choices = rng.sample(COLORS, sizes[number % len(sizes)])
        item = Item.make(
            suite="mine",
            test="colors",
            probe_id=f"p{number}",
            text="Which color is it?",
            image=ImageRef(f"image-{number // 2}"),
            choices=choices,
            gold=pick(choices, rng),
        )
        probes.append(Probe.of(item))
    (found,) = blind_check(write_suite(probes, folder, name="mine"))
    return found


def test_chance_is_that_of_the_options_offered(tmp_path: Path) -> None:
    found = check(tmp_path / "suite", lambda choices, rng: rng.choice(choices))
    assert found.chance == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert found.low < found.chance < found.high
    assert found.majority < 0.35, "of the four colors"
    assert found.baseline == "regression"


def test_the_better_known_of_those_offered_is_found(tmp_path: Path) -> None:
    found = check(tmp_path / "suite", lambda choices, _: min(choices, key=COLORS.index))
    assert found.low > 0.95, "red is not offered to all"


def test_a_position_that_gives_the_answer_away_is_found(tmp_path: Path) -> None:
    found = check(tmp_path / "suite", lambda choices, _: choices[-1])
    assert found.low > 0.95


def test_without_choices_there_is_no_chance_and_no_common_sense(tmp_path: Path) -> None:
    asked = {"suite": "mine", "test": "open"}
    probes = [
        Probe.of(
            Item.make(
                **asked,
                probe_id=f"p{number}",
                text=f"How many dogs {number % 2}?",
                gold=str(number % 2),
                image=ImageRef(f"i{number}"),
            )
        )
        for number in range(60)
    ]
    suite = write_suite(probes, tmp_path / "suite", name="mine")
    (found,) = blind_check(suite)
    assert (found.questions, found.chance, found.common_sense) == ("open", None, None)
    assert found.accuracy > 0.95
    assert found.common_sense_reason == "no choices are offered"
    assert blind_check(suite, quick=True) == []


def test_json_and_text_have_chance_and_common_sense(tmp_path: Path) -> None:
    check(tmp_path / "suite", lambda choices, rng: rng.choice(choices))
    found = inspect(tmp_path / "suite", sample=0, blind=True)
    (row,) = json.loads(json.dumps(found.to_dict()))["blind"]
    assert {"accuracy", "majority", "chance", "common_sense", "common_sense_reason"} <= set(row)
    assert "41.7" in str(found)
    assert "only 0 of 300 name something" in str(found), "no question says what has a color"


def test_too_few_questions_are_said_to_be_so(tmp_path: Path) -> None:
    asked = {"suite": "mine", "test": "few", "choices": ("yes", "no"), "text": "Is there a dog?"}
    probes = [
        Probe.of(
            Item.make(**asked, probe_id=f"p{number}", gold=("yes", "no")[number % 2], image=ImageRef(f"i{number}"))
        )
        for number in range(49)
    ]
    found = inspect(write_suite(probes, tmp_path / "suite", name="mine"), sample=0, blind=True)
    assert found.blind == ()
    assert found.to_dict()["blind_unchecked"] == [{"test": "few", "questions": "yes/no", "items": 49}]
    assert "few, yes/no: 49 are too few for a blind check" in str(found)


def test_folds_share_no_image_and_are_alike_in_size() -> None:
    images = [f"i{number % 17}" for number in range(100)]
    folds = split_images(images, 3)
    assert all(len({fold for fold, image in zip(folds, images, strict=True) if image == one}) == 1 for one in images)
    assert max(sum(folds == fold) for fold in range(3)) - min(sum(folds == fold) for fold in range(3)) <= 6


@pytest.mark.parametrize(("won", "n"), [(0, 50), (25, 50), (50, 50), (3, 7)])
def test_the_interval_is_that_of_scipy(won: int, n: int) -> None:
    from scipy.stats import binomtest

    wanted = binomtest(won, n).proportion_ci(method="wilson")
    assert wilson(won, n) == pytest.approx((won / n, wanted.low, wanted.high))
