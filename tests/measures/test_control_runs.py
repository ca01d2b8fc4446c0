"""The same model without its pictures, and under other prompts: counted by hand, and beside the scores of each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from falter.data.model import Capabilities, Reply, Request
from falter.data.model_options import ModelOptions
from falter.data.suite import Suite, open_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.models.prompts import Prompt, load_prompt
from falter.evaluation.runs import Run, RunSettings
from falter.evaluation.runs.scoring import (
    ablation_pairs,
    compare_runs,
    image_ablation,
    prompt_groups,
    prompt_spread,
    score_run,
)
from falter.evaluation.score_options import ScoreOptions
from tests.measures.tables import probe, write


class Asked:
    """Answers by a rule, under a prompt or without."""

    name = "asked"

    def __init__(self, answer: Callable[[Request], Reply | str], prompt: str | None = None, rule: str = "") -> None:
        self._answer = answer
        self.prompt: Prompt | None = None if prompt is None else load_prompt(ModelOptions(prompt=prompt))
        self.capabilities = Capabilities(
            tasks=frozenset(("answer", "match")), batch_size=8, method=rule, prompt=self.prompt
        )
        self.fingerprint = f"asked {prompt}"

    def reply(self, batch: Sequence[Request]) -> list[Reply]:
        return [self._answer(request) for request in batch]  # type: ignore[misc]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Twelve pairs, each about its own image, four of them in a test of their own; right are yes and no."""
    probes = [
        probe(f"p{n}", "different", ["yes", "no"], test="few" if n >= 8 else "many", image_id=f"i{n}")
        for n in range(12)
    ]
    write(tmp_path / "suite", *probes)
    return open_suite(tmp_path / "suite")


def number_of(request: Request) -> int:
    return int(request.item_id.split(".")[0][1:])


def right(request: Request) -> str:
    return "no" if request.item_id.endswith(".1") else "yes"


def wrong(request: Request) -> str:
    return "yes" if request.item_id.endswith(".1") else "no"


def looks(request: Request) -> str:
    """Right where there is a picture; without one, right about every second pair."""
    return right(request) if request.image_id is not None or number_of(request) % 2 else wrong(request)


def test_how_much_needs_no_picture(suite: Suite, tmp_path: Path) -> None:
    normal = run_suite(suite, Asked(looks), tmp_path / "normal")
    blind = run_suite(suite, Asked(looks), tmp_path / "blind", RunSettings(image_input="none"))
    assert blind.manifest.model.name == "asked (image: none)"
    assert ablation_pairs([blind, normal]) == [(1, 0)]
    found = {(one.group.test, one.measure): one for one in image_ablation(normal, blind)}
    acc = found["many", "acc"]
    assert (acc.with_image, acc.ablated, acc.retained, acc.difference, acc.image) == (1.0, 0.5, 0.5, 0.5, "none")
    assert acc.low is not None
    assert acc.high is not None
    assert 0 < acc.low < 0.5 < acc.high < 1
    # The differences are those of a comparison of the two runs.
    for one in compare_runs(normal, blind, ScoreOptions(n_resamples=0)).comparisons:
        if (one.group.test, one.measure) in found:
            beside = found[one.group.test, one.measure]
            assert (beside.with_image, beside.ablated) == (one.first, one.second)
    assert "|image:none|over:the-run-with-pictures|" in acc.signature
    # CONS knows no right and wrong: saying the opposite throughout keeps it.
    assert found["many", "cons"].retained == 1.0


def test_pairs_that_one_run_lacks_count_for_neither(suite: Suite, tmp_path: Path) -> None:
    def fails(request: Request) -> Reply | str:
        if request.image_id is None and number_of(request) in (0, 1, 2):
            return Reply(item_id=request.item_id, status="failed", error="no")
        return looks(request)

    normal = run_suite(suite, Asked(fails), tmp_path / "normal")
    blind = run_suite(suite, Asked(fails), tmp_path / "blind", RunSettings(image_input="none"))
    acc = next(one for one in image_ablation(normal, blind) if (one.group.test, one.measure) == ("many", "acc"))
    assert acc.n == 10
    assert acc.ablated == pytest.approx(3 / 5)


def test_a_share_of_nothing_is_none(suite: Suite, tmp_path: Path) -> None:
    normal = run_suite(suite, Asked(wrong), tmp_path / "normal")
    blind = run_suite(suite, Asked(wrong), tmp_path / "blind", RunSettings(image_input="blank"))
    acc = next(one for one in image_ablation(normal, blind) if one.measure == "acc")
    assert (acc.with_image, acc.retained, acc.low) == (0.0, None, None)


def test_runs_belong_together_only_if_they_are_of_one_model_suite_and_limit(suite: Suite, tmp_path: Path) -> None:
    runs = [
        run_suite(suite, Asked(right), tmp_path / "normal"),
        run_suite(suite, Asked(right, "plain"), tmp_path / "prompted"),
        run_suite(suite, Asked(right), tmp_path / "part", RunSettings(limit=3, seed=1)),
        run_suite(suite, Asked(right), tmp_path / "shuffled", RunSettings(image_input="shuffle", seed=4)),
        run_suite(suite, Asked(right), tmp_path / "blank", RunSettings(image_input="blank", limit=3, seed=1)),
        run_suite(suite, Asked(right, "tagged"), tmp_path / "alone", RunSettings(image_input="blank")),
    ]
    assert ablation_pairs(runs) == [(0, 3), (2, 4)]


def wording(name: str) -> Callable[[Request], str]:
    """Right about the pairs whose number divides by what the prompt is good for."""
    divisor = {"standard": 1, "plain": 2, "tagged": 3}[name]
    return lambda request: right(request) if number_of(request) % divisor == 0 else wrong(request)


def runs_of(suite: Suite, folder: Path) -> list[Run]:
    return [
        run_suite(suite, Asked(wording(name), name), folder / name, spec="x:y")
        for name in ("standard", "plain", "tagged")
    ]


def test_spread_over_prompts(suite: Suite, tmp_path: Path) -> None:
    runs = runs_of(suite, tmp_path)
    other = run_suite(suite, Asked(right, "plain"), tmp_path / "other", spec="another:model")
    unprompted = run_suite(suite, Asked(right), tmp_path / "unprompted", spec="x:y")
    assert prompt_groups([other, *runs, unprompted]) == [[1, 2, 3]]
    assert [run.manifest.model.prompt for run in runs] == ["standard", "plain", "tagged"]
    found = {(one.group.test, one.measure): one for one in prompt_spread(runs)}
    acc = found["many", "c_acc"]
    # Of the pairs 0 to 7: all, then 0 2 4 6, then 0 3 6.
    assert acc.by_prompt == pytest.approx({"standard": 1.0, "plain": 4 / 8, "tagged": 3 / 8})
    assert acc.worst_prompt == "tagged"
    assert (acc.worst.value, acc.best.value, acc.range.value) == pytest.approx((3 / 8, 1.0, 5 / 8))
    mean = (1 + 4 / 8 + 3 / 8) / 3
    variance = ((1 - mean) ** 2 + (4 / 8 - mean) ** 2 + (3 / 8 - mean) ** 2) / 2
    assert acc.sd.value == pytest.approx(variance**0.5)
    assert acc.all_prompts is not None
    assert acc.all_prompts.value == pytest.approx(2 / 8)
    # Clopper and Pearson have 2 of 8 between 0.032 and 0.651; that the variance is estimated makes it a little wider.
    assert acc.all_prompts.low is not None and 0.02 < acc.all_prompts.low < 0.032
    assert acc.all_prompts.high is not None and 0.651 < acc.all_prompts.high < 0.7
    assert acc.worst.low is not None
    assert acc.worst.low < 3 / 8
    assert found["many", "acc"].all_prompts is None
    assert "|prompts:3|pairs:kept-by-all|" in acc.signature
    for run, value in zip(runs, acc.by_prompt.values(), strict=True):
        own = next(
            one
            for one in score_run(run, ScoreOptions(n_resamples=0))
            if (one.group.test, one.measure) == ("many", "c_acc")
        )
        assert own.value == pytest.approx(value)


def test_a_signature_says_how_the_model_was_asked(suite: Suite, tmp_path: Path) -> None:
    model = Asked(right, "plain", rule="decide:likelihood,lm:mean")
    run = run_suite(suite, model, tmp_path / "run", RunSettings(image_input="blank"))
    assert run.manifest.model.rule == "decide:likelihood,lm:mean"
    assert model.prompt is not None
    told = f"|decide:likelihood|lm:mean|prompt:{model.prompt.fingerprint}|image:blank|"
    assert all(told in score.signature for score in score_run(run, ScoreOptions(n_resamples=0)))
    plain = run_suite(suite, Asked(right), tmp_path / "plain")
    assert all("prompt" not in score.signature for score in score_run(plain, ScoreOptions(n_resamples=0)))
    assert plain.manifest.model.rule is None


def test_captions_and_foils(tmp_path: Path) -> None:
    probes = [
        probe(f"p{n}", "prefer", ["yes", "no"], test=f"t{n % 2}", image_id=f"i{n}", task="match", choices=None)
        for n in range(8)
    ]
    write(tmp_path / "suite", *probes)
    suite = open_suite(tmp_path / "suite")

    def score(request: Request) -> Reply:
        seen = request.image_id is not None or number_of(request) < 2
        value = -1.0 if request.item_id.endswith(".0") == seen else -2.0
        return Reply(item_id=request.item_id, score=value, score_kind="logprob")

    normal = run_suite(suite, Asked(score), tmp_path / "normal")
    blind = run_suite(suite, Asked(score), tmp_path / "blind", RunSettings(image_input="none"))
    found = {(one.group.test, one.measure): one for one in image_ablation(normal, blind)}
    assert found["all", "acc_r"].retained == pytest.approx(2 / 8)
    assert {measure for _, measure in found} == {"acc_r"}
    group = prompt_spread([normal, blind])
    assert {one.all_prompts.value for one in group if one.group.test == "all" and one.all_prompts is not None} == {
        2 / 8
    }
