"""Runs that stop when a verdict is reached: what they ask, what they say, and what becomes of their scores."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import falter
from falter.core.errors import InterruptError, UsageError
from falter.data.items import Probe
from falter.data.model import BudgetExceededError, Capabilities, Reply, Request
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.measures.requirements import parse_requirement
from falter.evaluation.reporting.collect_data import collect
from falter.evaluation.runs import RunSettings, Shard, UntilSettings, open_run
from falter.evaluation.runs.asked import order_at_random, probes_in_order, read_rounds
from falter.evaluation.runs.value_checks import check_value
from tests.engine.small_suite import make_item
from tests.runs.until import rule

PAIRS = 300


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """300 pairs of two tests; every tenth variant is the same item."""
    folder = tmp_path_factory.mktemp("until") / "suite"
    with create_suite(folder, SuiteManifest(name="small")) as writer:
        for number in range(PAIRS):
            test = ("negation", "order")[number % 3 == 0]
            text = "Is this the same?" if number % 10 == 0 else f"Is there no thing {number}?"
            items = (make_item(number, 0, f"Is there a thing {number}?", test=test, image_id=f"i{number % 40}"),)
            writer.add(Probe((*items, make_item(number, 1, text, test=test, gold="no"))))
    return open_suite(folder)


class Model:
    """Answers yes, and to variants no, but for a share of the probes."""

    name = "fallible"
    capabilities = Capabilities(batch_size=8)

    def __init__(self, wrong: float, name: str = "1", on_item: Callable[[int], None] = lambda number: None) -> None:
        self.fingerprint = f"{name}-{wrong}"
        self.asked: list[str] = []
        self._wrong, self._on_item = wrong, on_item

    def reply(self, batch: Sequence[Request]) -> list[Reply]:
        found = []
        for request in batch:
            self._on_item(len(self.asked))
            self.asked.append(request.item_id)
            gold = "no" if "no thing" in request.text or "same" in request.text else "yes"
            fails = random.Random(f"{self.fingerprint} {request.text}").random() < self._wrong
            found.append(Reply(item_id=request.item_id, answer={"yes": "no", "no": "yes"}[gold] if fails else gold))
        return found


def settings(*texts: str, alpha: float = 0.05, limit: int | None = None) -> RunSettings:
    return RunSettings(seed=7, limit=limit, until=UntilSettings(requirements=texts, alpha=alpha))


def run_until(suite: Suite, out: Path, model: Model, *texts: str, baseline: falter.Run | None = None) -> falter.Run:
    told = settings(*texts)
    return run_suite(suite, model, out, told, stopping=rule(suite, told, baseline))


def test_a_run_ends_with_the_verdict_of_the_full_run(suite: Suite, tmp_path: Path) -> None:
    good, bad = "small.negation.c_acc>=60%", "small.order.acc<=60%"
    model = Model(0.05)
    done = run_until(suite, tmp_path / "run", model, good, bad)
    full = run_suite(suite, Model(0.05), tmp_path / "full")
    verdicts = falter.check(done, value=True)
    exact = falter.check(full, [good, bad], value=True)
    assert [one.verdict for one in verdicts] == [one.verdict for one in exact] == ["met", "not met"]
    assert [one.gate for one in verdicts] == ["value", "value"]
    # What was asked is whole probes from the front of the order, and nothing else.
    rounds = read_rounds(done.folder)
    asked = [probe_id for one in rounds for probe_id in one]
    order = probes_in_order(suite, 7)
    assert asked == [one for one in order if one in set(asked)]
    assert len(asked) < PAIRS / 2
    assert len(model.asked) == len(set(model.asked)) == done.manifest.asked == len(done.replies())
    assert done.manifest.complete
    assert [one["after"] for one in done.manifest.verdicts] == [one.after for one in verdicts]
    assert "met after" in verdicts.rows[0].reason
    assert "of 200 pairs" in verdicts.rows[0].reason
    assert "probability under 5 %" in verdicts.rows[0].reason
    # The exact gate is named apart from that on the interval.
    assert "gate:value" in exact.rows[0].score.signature
    assert "gate:interval" in falter.check(full, good).rows[0].score.signature
    assert "over all 200 pairs" in exact.rows[0].reason


def test_what_is_decided_is_asked_no_further(suite: Suite, tmp_path: Path) -> None:
    # The first is decided at once, the second is near its bound: only pairs of the second are asked from then on.
    easy, hard = "small.negation.c_acc>=10%", "small.order.c_acc>=90%"
    done = run_until(suite, tmp_path / "run", Model(0.05), easy, hard)
    first, second = falter.check(done, value=True)
    assert first.asked is not None and second.asked is not None
    assert first.after is not None and first.after <= first.asked < 100
    assert second.asked > first.asked / 2
    assert done.probe_ids() is not None
    missing = falter.score(done, measures=["missing", "pairs"])
    assert {row.value for row in missing if row.measure == "missing"} == {0.0}


def test_scores_of_a_stopped_run_have_no_plain_interval(suite: Suite, tmp_path: Path) -> None:
    done = run_until(suite, tmp_path / "run", Model(0.05), "small.negation.c_acc>=60%")
    full = run_suite(suite, Model(0.05), tmp_path / "full")
    exact = {(one.test, one.measure): one.value for one in full.scores()}
    found = {(one.test, one.measure): one for one in done.scores()}
    score = found["negation", "c_acc"]
    assert "interval:anytime" in score.signature and "order:random" in score.signature
    assert score.low is not None and score.high is not None
    value = exact["negation", "c_acc"]
    assert value is not None and score.low <= value <= score.high
    # A measure that is no ratio of sums has its value and no interval.
    assert found["negation", "cons_independent"].low is None
    assert all(one.se is None and one.interval in (None, "anytime") for one in found.values())
    compared = falter.compare(full, done)
    row = next(one for one in compared if one.measure == "c_acc")
    assert row.low is not None and row.low <= 0 <= (row.high or 0)
    assert "interval:anytime" in row.signature
    assert any("holds" in note or "hold at any time" in note for run in falter.score(done).runs for note in run.notes())


def test_a_baseline(suite: Suite, tmp_path: Path) -> None:
    old = run_suite(suite, Model(0.10, "old"), tmp_path / "old")
    text = "small.negation.acc>=baseline-5%"
    done = run_until(suite, tmp_path / "run", Model(0.08, "new"), text, baseline=old)
    full = run_suite(suite, Model(0.08, "new"), tmp_path / "full")
    (verdict,) = falter.check(done, value=True, baseline=old)
    (exact,) = falter.check(full, text, value=True, baseline=old)
    assert verdict.verdict == exact.verdict
    assert verdict.comparison is not None and exact.comparison is not None
    assert exact.comparison.difference == pytest.approx(
        next(
            one.difference for one in falter.compare(old, full) if (one.group.test, one.measure) == ("negation", "acc")
        )
    )
    with pytest.raises(UsageError, match="has not asked everything"):
        run_until(suite, tmp_path / "again", Model(0.08, "new"), text, baseline=done)


def test_a_run_that_is_interrupted_comes_to_the_same_bytes(suite: Suite, tmp_path: Path) -> None:
    text = "small.negation.c_acc>=85%"
    whole = run_until(suite, tmp_path / "whole", Model(0.05), text)
    for stop in (3, 41, 90):

        def interrupt(number: int, stop: int = stop) -> None:
            if number == stop:
                raise KeyboardInterrupt

        out = tmp_path / f"stopped-{stop}"
        with pytest.raises(InterruptError, match="repeat the command"):
            run_until(suite, out, Model(0.05, on_item=interrupt), text)
        partly = open_run(out)
        assert not partly.manifest.complete
        done = run_until(suite, out, Model(0.05), text)
        assert read_rounds(out) == read_rounds(whole.folder)
        assert done.manifest.verdicts == whole.manifest.verdicts
        for name in ("replies.parquet", "asked.jsonl", "run.json"):
            assert (out / name).read_bytes() == (whole.folder / name).read_bytes(), name


def test_a_budget_leaves_an_interval_for_the_whole_suite(suite: Suite, tmp_path: Path) -> None:
    def spend(number: int) -> None:
        if number == 120:
            raise BudgetExceededError("120 requests were made")

    out = tmp_path / "cut"
    with pytest.raises(BudgetExceededError, match="are kept"):
        run_suite(suite, Model(0.05, on_item=spend), out, RunSettings(seed=3, random_order=True))
    cut = open_run(out)
    sampled = cut.sampled()
    assert sampled is not None and 40 < len(sampled.asked) < 80
    assert list(sampled.order[: len(sampled.asked)]) == [one for part in sampled.rounds for one in part]
    full = run_suite(suite, Model(0.05), tmp_path / "full")
    value = next(one.value for one in full.scores() if (one.test, one.measure) == ("negation", "acc"))
    score = next(one for one in cut.scores() if (one.test, one.measure) == ("negation", "acc"))
    assert value is not None and score.low is not None and score.high is not None
    assert score.low <= value <= score.high
    assert score.high - score.low < 0.5
    # Undecided, met and not met on what there is; and once everything is asked, as any other run.
    wanted = [parse_requirement(f"small.negation.acc>={bound}") for bound in ("0.2", "0.94", "0.999")]
    assert [one.verdict for one in check_value(cut, wanted)] == ["met", "undecided", "not met"]
    done = run_suite(suite, Model(0.05), out, RunSettings(seed=3, random_order=True))
    assert done.sampled() is None
    assert (out / "replies.parquet").read_bytes() == (full.folder / "replies.parquet").read_bytes()


def test_failures_count_among_what_was_asked(suite: Suite, tmp_path: Path) -> None:
    class Failing(Model):
        def reply(self, batch: Sequence[Request]) -> list[Reply]:
            return [
                Reply(item_id=one.item_id, status="failed", error="broken") if number % 4 == 0 else one
                for number, one in enumerate(super().reply(batch))
            ]

    done = run_until(suite, tmp_path / "run", Failing(0.05), "small.negation.c_acc>=10%")
    (verdict,) = falter.check(done, value=True)
    assert verdict.verdict == "too few answers"
    assert verdict.asked == verdict.units == 200


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("small.negation.cons_independent>=10%", "no ratio of two sums"),
        ("small.negation.pairs>=3", "does not depend"),
        ("small.rephrase.acc>=10%", "there is no test"),
        ("small.negation.acc>=baseline", "needs a run to compare with"),
    ],
)
def test_what_cannot_be_decided_early_is_refused(suite: Suite, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        rule(suite, settings(text))


def test_settings_that_do_not_go_together() -> None:
    with pytest.raises(UsageError, match="--until does not go with --shard: a part of a run"):
        RunSettings(shard=Shard(1, 2), until=UntilSettings(requirements=("a.b.c>=1%",)))
    with pytest.raises(UsageError, match="--random-order does not go with --shard"):
        RunSettings(shard=Shard(1, 2), random_order=True)
    with pytest.raises(UsageError, match="--repeat"):
        RunSettings(repeat=2, until=UntilSettings(requirements=("a.b.c>=1%",)))
    with pytest.raises(UsageError, match="--alpha"):
        UntilSettings(requirements=("a.b.c>=1%",), alpha=0.7)


def test_the_order_depends_on_the_seed_alone() -> None:
    ids = [f"p{number}" for number in range(50)]
    assert order_at_random(ids, 1) == order_at_random(ids[::-1], 1) != order_at_random(ids, 2)
    assert sorted(order_at_random(ids, 1)) == sorted(ids)


def test_stored_runs_help_a_sample(suite: Suite, tmp_path: Path) -> None:
    for number in range(4):
        run_suite(suite, Model(0.10, f"old {number % 2}"), tmp_path / "old" / str(number))
    sample = run_suite(suite, Model(0.10, "old 0"), tmp_path / "new", RunSettings(limit=150, random_order=True))
    (found,) = falter.score(sample, helpers=[tmp_path / "old"]).estimates
    row = next(one for one in found if (one.group.test, one.measure) == ("negation", "acc"))
    exact = next(
        one.value
        for one in falter.load(tmp_path / "old" / "0").scores()
        if (one.test, one.measure) == ("negation", "acc")
    )
    assert exact is not None and row.low <= exact <= row.high
    # Two of the helpers replied exactly as this model does.
    assert row.gain > 2
    assert row.high - row.low < row.plain_high - row.plain_low
    assert "controls:4" in row.signature
    stopped = run_until(suite, tmp_path / "stopped", Model(0.05), "small.negation.c_acc>=60%")
    with pytest.raises(UsageError, match="stopped because of what it saw"):
        falter.score(stopped, helpers=[tmp_path / "old"])
    with pytest.raises(UsageError, match="has not asked everything"):
        falter.score(sample, helpers=[stopped])
    with pytest.raises(UsageError, match="--helpers takes"):
        falter.score(sample, helpers=[sample])


def test_the_report_marks_a_stopped_run(suite: Suite, tmp_path: Path) -> None:
    done = run_until(suite, tmp_path / "run", Model(0.05), "small.negation.c_acc>=60%")
    full = run_suite(suite, Model(0.30, "full"), tmp_path / "full")
    data = collect([full, done])
    assert len(data.sampled) == 1 and "hold at any time" in data.sampled[0]
    # Neither scores nor comparisons have an interval of a fixed sample, and there is no ranking by one.
    compared = [one for pair in data.differences for one in pair.comparisons]
    assert compared and all("interval:anytime" in one.signature for one in compared)
    own = [one.score for one in data.scores if data.models[one.model].name == data.models[1].name]
    assert own and all("interval:anytime" in one.signature for one in own if one.low is not None)
    assert data.rankings == [] and falter.score([full, done]).rankings == ()
    page = tmp_path / "report.html"
    falter.report(done, out=page)
    assert "A part was asked." in page.read_text(encoding="utf-8")
