"""Budgets: never a request too many, never a cent too much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falter.core.errors import InputError
from falter.data.model import BudgetExceededError, Reply
from falter.evaluation.engine import run_suite
from falter.evaluation.runs import open_run
from tests.models.openai.asked import make_suite, model_of, question
from tests.models.openai.commands import here
from tests.models.openai.faulty import Schedule, right_answer
from tests.models.openai.server import Asked, Out, Server, completion


def well(asked: Asked) -> Out:
    return Out(completion(asked, right_answer(asked.text)), delay=0.002)


def prices(folder: Path) -> Path:
    path = folder / "prices.yaml"
    # A reply of the server (100 tokens asked, 2 said) is 0.0001 + 0.00002.
    path.write_text("tiny-vl: {input_per_million: 1.0, output_per_million: 10.0}\n")
    return path


@pytest.mark.parametrize("faults", [0.0, 0.5])
def test_not_one_request_too_many_and_the_run_goes_on_later(tmp_path: Path, faults: float) -> None:
    suite = make_suite(tmp_path / "suite", 60)
    schedule = Schedule(3, rate=faults, slow=0.002)
    with Server(schedule) as server:
        for left in (25, 25, 200):
            before = len(server.asked)
            try:
                run_suite(suite, model_of(server, max_requests=left), tmp_path / "run")
            except BudgetExceededError as spent:
                assert f"{left} requests were made, as many as -M max_requests allows" in str(spent)
                assert len(server.asked) - before == left
        assert len(server.asked) >= 60
    run = open_run(tmp_path / "run")
    assert run.manifest.complete
    assert run.manifest.counts["ok"] == 60


def test_the_cost_stays_below_the_limit_and_near_it(tmp_path: Path) -> None:
    kept: list[Reply] = []
    with Server(well) as server:
        model = model_of(server, max_cost=0.0121, prices=prices(tmp_path))
        with pytest.raises(BudgetExceededError, match=r"0.0\d+ USD were spent in \d+ requests.*-M max_cost=0.0121"):
            kept.extend(model.reply_unordered(question(number) for number in range(1000)))
        paid = len(server.asked) * 0.00012
    assert len(kept) == len(server.asked)
    assert paid <= 0.0121
    # What the last request may cost at most (32 tokens of reply) has to fit, too.
    assert paid > 0.0121 - (0.0001 + 0.00032) - 0.0001


def test_tokens_that_were_estimated_too_low_are_learned_from_the_first_reply(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 5000, "completion_tokens": 1}
    with Server(lambda asked: Out(completion(asked, "yes", usage=usage), delay=0.01)) as server:
        model = model_of(server, max_cost=0.0211, prices=prices(tmp_path))
        with pytest.raises(BudgetExceededError):
            list(model.reply_unordered(question(number) for number in range(1000)))
        # One request is 0.00501.
        assert len(server.asked) == 4


def test_a_budget_is_one_for_all_streams_of_a_model(tmp_path: Path) -> None:
    with Server(well) as server:
        model = model_of(server, max_requests=10)
        model.reply([question(number) for number in range(6)])
        with pytest.raises(BudgetExceededError):
            model.reply([question(number) for number in range(6, 12)])
        assert len(server.asked) == 10


def test_prompts_and_models_of_one_command_share_it_and_those_that_cost_nothing_still_run(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 30)
    out = tmp_path / "runs"
    with Server(well) as server:
        spec = f"openai:tiny-vl@{server.base}"
        arguments = ["run", str(tmp_path / "suite"), "--out", str(out), "-M", "max_requests=40"]
        ended = here(*arguments, "--model", spec, "--model", f"openai:tiny-vl-2@{server.base}", "--model",
                     "builtin:always-yes")  # fmt: skip
        assert len(server.asked) == 40
    assert ended.code == 1
    last = ended.err.strip().splitlines()[-1]
    assert "the budget was spent before 1 of 3 runs were complete" in last
    assert "tiny-vl-2" in last
    counts = {path.parent.name: json.loads(path.read_text())["counts"]["ok"] for path in out.glob("*/run.json")}
    assert counts == {"tiny-vl": 30, "tiny-vl-2": 10, "always-yes": 30}


def test_a_request_that_broke_off_may_have_been_paid(tmp_path: Path) -> None:
    def breaks(asked: Asked) -> Out:
        return Out(completion(asked, "yes"), sent=50)

    with Server(breaks) as server:
        model = model_of(server, max_cost=0.001, prices=prices(tmp_path))
        with pytest.raises(BudgetExceededError):
            list(model.reply_unordered(question(number) for number in range(100)))
        assert 1 <= len(server.asked) <= 3


def test_a_model_without_a_price_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no price of big-vl"):
        model_of("http://localhost:1/v1", name="big-vl", max_cost=1.0, prices=prices(tmp_path))


def test_a_dry_run_tells_the_cost_and_asks_nothing(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 40)
    arguments = ["run", str(tmp_path / "suite"), "--out", str(tmp_path / "run"), "-M", f"prices={prices(tmp_path)}"]
    with Server(well) as server:
        spec = f"openai:tiny-vl@{server.base}"
        ended = here(*arguments, "--model", spec, "--dry-run", "--json")
        assert ended.code == 0, ended
        assert not server.asked
    (planned,) = json.loads(ended.out)
    estimate = planned["plan"]["estimate"]
    assert estimate["requests"] == estimate["images"] == 40
    # A small image is one tile.
    assert 40 * 255 < estimate["input_tokens"] < 40 * 300
    assert estimate["output_tokens"] == 40 * 32
    assert estimate["counted_by"] == "bytes / 4"
    assert estimate["image_tokens"] == 40 * 255
    assert estimate["images_counted_by"] == "rule tiles-85-170, assumed: none is known for tiny-vl"
    assert estimate["cost"] == pytest.approx((estimate["input_tokens"] + 10 * estimate["output_tokens"]) / 1e6)
    assert not (tmp_path / "run").exists()
    given = here(*arguments, "--model", spec, "--dry-run", "-M", "image_tokens=fixed-576").err
    assert f"images: {40 * 576:,} tokens (rule fixed-576, by -M image_tokens)" in given


def test_one_limit_holds_no_two_currencies(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 2)
    table = tmp_path / "prices.yaml"
    table.write_text(
        "here: {input_per_million: 1, output_per_million: 1}\n"
        "there: {input_per_million: 1, output_per_million: 1, currency: EUR}\n"
    )
    with Server(well) as server:
        arguments = ["run", str(tmp_path / "suite"), "-M", f"prices={table}", "--out", str(tmp_path / "runs")]
        for name in ("here", "there"):
            arguments += ["--model", f"openai:{name}@{server.base}"]
        refused = here(*arguments, "-M", "max_cost=1")
        assert refused.code == 2
        assert refused.err.count("\n") == 1
        assert "paid in USD and EUR" in refused.err
        assert not server.asked
        # Without a limit, each is told in its own.
        planned = here(*arguments, "--dry-run")
        assert planned.code == 0
        assert "USD" in planned.err
        assert "EUR" in planned.err


def test_a_plan_without_prices_says_that_the_cost_is_unknown(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 2)
    arguments = (
        "run",
        str(tmp_path / "suite"),
        "--model",
        "openai:x@http://127.0.0.1:9/v1",
        "--out",
        str(tmp_path / "run"),
    )
    assert "cost unknown: give -M prices" in here(*arguments, "--dry-run").err
