"""Blind readers: they find what words give away, and nothing where words give nothing away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from falter.api.inspecting import inspect
from falter.data.blind_checks import BlindCheck
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.generation.inspection.blind import blind_check
from falter.generation.inspection.blind_sample import draw_sample

COLORS = ("red", "blue", "green", "black")
NOUNS = ("dog", "cup", "car", "tree")


def checked(folder: Path, answer: Callable[[str, str], str], questions: int = 600, **settings: int) -> list[BlindCheck]:
    rng = Random(1)
    with create_suite(folder, SuiteManifest(name="carets")) as writer:
        for number in range(questions):
            color, noun = rng.choice(COLORS), rng.choice(NOUNS)
            text, gold = f"Is there a {color} {noun}?", answer(color, noun)
            choices = ("yes", "no") if gold in ("yes", "no") else tuple(COLORS)
            image = f"image-{number // 4}"
            writer.add(
                Probe(
                    tuple(
                        Item.make(
                            probe_id=f"probe-{number}",
                            variant=variant,
                            suite="carets",
                            test="rephrase",
                            image=ImageRef(image, sha256=f"{image}-{number}"),
                            text=text,
                            gold=gold,
                            choices=choices,
                        )
                        for variant in (0, 1)
                    )
                )
            )
    return blind_check(open_suite(folder), **settings)


def test_drawn_answers_cannot_be_read_from_the_words(tmp_path: Path) -> None:
    coin = Random(2)
    (check,) = checked(tmp_path / "suite", lambda color, noun: coin.choice(("yes", "no")))
    assert check.items == 600, "originals alone"
    assert check.questions == "yes/no"
    assert set(check.baselines) == {"regression", "boosting"}
    assert check.accuracy == max(check.baselines.values())
    assert check.low < 0.55


def test_a_word_that_gives_the_answer_away_is_found(tmp_path: Path) -> None:
    (check,) = checked(tmp_path / "suite", lambda color, noun: "yes" if color in ("red", "blue") else "no")
    assert check.low > 0.95


def test_questions_with_choices_are_read_apart(tmp_path: Path) -> None:
    coin = Random(3)
    checks = checked(tmp_path / "suite", lambda color, noun: coin.choice(("yes", "no", color)), questions=900)
    by_questions = {check.questions: check for check in checks}
    assert set(by_questions) == {"yes/no", "choices"}
    assert by_questions["choices"].low > 0.95, "the color in the text is the answer"
    assert by_questions["yes/no"].low < 0.55
    assert by_questions["choices"].baseline == "regression"


def test_a_large_test_is_checked_on_a_sample_that_the_seed_draws(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(color: str, noun: str) -> str:
        asked.append(color)
        return "yes" if color in ("red", "blue") else "no"

    (check,) = checked(tmp_path / "suite", answer, most=200, seed=1)
    suite = open_suite(tmp_path / "suite")
    assert (check.items, check.sampled_from, check.seed) == (200, len(asked), 1)
    assert check.low < check.accuracy <= check.high
    assert check.high - check.low > 0.01, "the interval is that of the sample"
    assert [probe.probe_id for probe in draw_sample(suite, 200, 1).probes()] == sorted(
        draw_sample(suite, 200, 1).probe_ids or (), key=lambda name: int(name.split("-")[1])
    )
    assert draw_sample(suite, 200, 1).probe_ids != draw_sample(suite, 200, 2).probe_ids
    assert draw_sample(suite, None, 1).probe_ids is None
    said = str(inspect(suite, sample=0, seed=1, blind=True, blind_sample=200))
    assert "a sample of 200 of 600 questions, seed 1" in said


def test_questions_with_answers_of_their_own_are_checked_whatever_their_role(tmp_path: Path) -> None:
    """An open original and its yes/no variant: the variant's words tell its answer, and are looked at."""
    rng = Random(3)
    with create_suite(tmp_path / "suite", SuiteManifest(name="mine")) as writer:
        for number in range(300):
            color, asked, noun = rng.choice(COLORS), rng.choice(("red", "blue")), rng.choice(NOUNS)
            made: Any = {"probe_id": f"probe-{number}", "suite": "mine", "test": "color", "expects": "each"}
            image = ImageRef(f"image-{number}")
            original = Item.make(text=f"What color is the {noun}?", gold=color, image=image, **made)
            variant = Item.make(
                text=f"Is the {noun} {asked}?", gold="yes" if asked == "red" else "no", variant=1, image=image, **made
            )
            writer.add(Probe((original, variant)))
    found = {one.questions: one for one in blind_check(open_suite(tmp_path / "suite"))}
    assert set(found) == {"open", "yes/no"}
    assert found["yes/no"].items == found["open"].items == 300
    assert found["yes/no"].low > 0.95
    assert found["open"].accuracy < 0.5
    sample = draw_sample(open_suite(tmp_path / "suite"), 50, 0)
    assert sample.totals == {("color", "open"): 300, ("color", "yes/no"): 300}
    assert len(list(sample.probes())) == 50
