"""What a run will take, told before it asks: tokens, pictures, time, cost, and what the cache spares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from falter.core.errors import InputError
from falter.data.model import Request
from falter.data.model_options import ModelOptions
from falter.data.suite import Suite
from falter.evaluation.engine import CostEstimate, Plan, ReplyCache, dry_run, run_suite
from falter.evaluation.models.prompts import load_prompt
from falter.evaluation.runs import RunSettings
from tests.engine.small_suite import Recorder, make_suite

ITEMS = 20 + 18 + 1


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return make_suite(tmp_path / "suite", probes=20)


def talking() -> Recorder:
    """A model that is paid by the token."""
    model = Recorder()
    model.declare(count_tokens=lambda requests: 3 * len(requests))
    return model


def estimate(plan: Plan) -> CostEstimate:
    assert plan.estimate is not None
    return plan.estimate


def test_words_are_counted_where_there_is_no_tokenizer(suite: Suite, tmp_path: Path) -> None:
    model = Recorder()
    told = estimate(dry_run(suite, model, tmp_path / "run"))
    # "Is there a thing N?" and "Is there no thing N?" have 5 words, the shared "Is this the same?" has 4.
    assert told.input_tokens == round(1.3 * (38 * 5 + 4))
    assert told.counted_by == "words x 1.3"
    assert (told.output_tokens, told.cost, told.seconds) == (0, None, None)
    assert model.asked == []
    assert not (tmp_path / "run").exists()


def test_the_prompt_and_its_examples_are_part_of_what_is_read(suite: Suite, tmp_path: Path) -> None:
    shots = tmp_path / "shots.yaml"
    shots.write_text("- {text: one two three, reply: four}\n- {text: a match, task: match, reply: yes}\n")
    system = tmp_path / "system.txt"
    system.write_text("Be very brief.")
    model = Recorder()
    options = ModelOptions(prompt="plain", few_shot=shots, system=system, max_new_tokens=5)
    model.declare(prompt=load_prompt(options))
    told = estimate(dry_run(suite, model, tmp_path / "run", options=options))
    assert told.input_tokens == round(1.3 * (38 * 5 + 4 + ITEMS * (3 + 4)))
    assert told.output_tokens == ITEMS * 5
    scored = ModelOptions(prompt="plain", answer_by="likelihood")
    assert estimate(dry_run(suite, model, tmp_path / "run", options=scored)).output_tokens == 0


def test_a_tokenizer_is_asked_for_everything_once(suite: Suite, tmp_path: Path) -> None:
    seen: list[str] = []

    def count(requests: Sequence[Request]) -> int:
        seen.extend(request.item_id for request in requests)
        return 7 * len(requests)

    model = Recorder()
    model.declare(count_tokens=count)
    told = estimate(dry_run(suite, model, tmp_path / "run", RunSettings(limit=8)))
    assert told.counted_by == "the model's tokenizer"
    assert told.input_tokens == 7 * told.requests == 7 * len(seen)
    assert len(set(seen)) == len(seen)


def test_what_is_on_disk_or_in_the_cache_is_not_paid_for(suite: Suite, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("recorder: {input_per_million: 1000000, output_per_million: 0}\n")
    options = ModelOptions(prices=prices)
    with ReplyCache(tmp_path / "cache") as cache:
        run_suite(suite, Recorder(), tmp_path / "part", RunSettings(limit=10), cache=cache)
        whole = dry_run(suite, talking(), tmp_path / "run", cache=cache, options=options)
        asked = estimate(whole)
        assert whole.to_ask == ITEMS
        assert asked.cached + asked.requests == ITEMS
        assert 15 < asked.cached < 21
        assert asked.cost == asked.input_tokens == 3 * asked.requests
        # Only the first time is answered by the cache.
        twice = estimate(dry_run(suite, Recorder(), tmp_path / "run", RunSettings(repeat=2), cache=cache))
        assert (twice.cached, twice.requests) == (asked.cached, asked.requests + ITEMS)
        run_suite(suite, Recorder(), tmp_path / "run", cache=cache)
        done = dry_run(suite, Recorder(), tmp_path / "run", cache=cache)
        assert (done.to_ask, done.estimate) == (0, None)


def test_earlier_runs_tell_the_time(suite: Suite, tmp_path: Path) -> None:
    with ReplyCache(tmp_path / "cache") as cache:
        cache.took("1", 10, 20.0)
        cache.took("1", 30, 20.0)
        told = estimate(dry_run(suite, Recorder(fingerprint="1"), tmp_path / "run", cache=cache))
        assert told.seconds == pytest.approx(ITEMS * 1.0)
        assert told.seconds_from == "runs before this one"
        assert estimate(dry_run(suite, Recorder(fingerprint="2"), tmp_path / "run", cache=cache)).seconds is None
        run_suite(suite, Recorder(fingerprint="3"), tmp_path / "three", cache=cache)
        assert cache.seconds_per_item("3") is not None


def test_a_model_without_a_price_is_named_before_anything_is_asked(suite: Suite, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("another: {input_per_million: 1, output_per_million: 1}\n")
    options = ModelOptions(prices=prices)
    # A yardstick that is run beside it costs nothing.
    assert estimate(dry_run(suite, Recorder(), tmp_path / "run", options=options)).cost is None
    model = talking()
    # Nor do weights of one's own, until they are put behind a server.
    assert estimate(dry_run(suite, model, tmp_path / "run", options=options)).cost is None
    model.declare(remote=True)
    for ask in (dry_run, run_suite):
        with pytest.raises(InputError, match="has no price of recorder"):
            ask(suite, model, tmp_path / "run", options=options)
    assert model.asked == []
    assert not (tmp_path / "run").exists()
