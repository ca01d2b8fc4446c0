"""A server that dies while a run asks in random order: what was asked is a sample, and the rest is asked later."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import falter
from falter.data.model import is_transient
from falter.data.suite import Suite
from falter.evaluation.engine import run_suite
from falter.evaluation.models.openai.errors import EndpointUnreachableError
from falter.evaluation.models.openai.pacing import RetryPolicy
from falter.evaluation.runs import RunSettings, UntilSettings, open_run
from falter.evaluation.runs.asked import probes_in_order, read_rounds
from falter.evaluation.runs.replies import read_log
from tests.models.openai.asked import make_suite, model_of
from tests.models.openai.faulty import right_answer
from tests.models.openai.server import Asked, Out, Server, completion
from tests.runs.until import rule

REQUIREMENT = "numbers.parity.acc>=84%"
IMPATIENT = RetryPolicy(attempts=2, rate_limits=2, first_wait=0.001, longest_wait=0.01)


class Mortal:
    """Answers nine questions of ten correctly, until it has been asked so many."""

    def __init__(self) -> None:
        self.left: int | None = None

    def __call__(self, asked: Asked) -> Out:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                return Out(drop=True)
        right = right_answer(asked.text)
        wrong = {"yes": "no", "no": "yes"}[right]
        return Out(completion(asked, wrong if random.Random(asked.text).random() < 0.1 else right))


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("dies") / "suite", 320)


@pytest.fixture
def server() -> Iterator[tuple[Server, Mortal]]:
    script = Mortal()
    with Server(script) as server:
        yield server, script


def run(suite: Suite, server: Server, out: Path, settings: RunSettings) -> falter.Run:
    stopping = rule(suite, settings) if settings.until else None
    model = model_of(server, retry_policy=IMPATIENT, concurrency=4)
    return run_suite(suite, model, out, settings, stopping=stopping)


@pytest.mark.parametrize(
    "settings",
    [
        RunSettings(seed=5, random_order=True),
        RunSettings(seed=5, until=UntilSettings(requirements=(REQUIREMENT,), alpha=0.01, look_every=10)),
    ],
    ids=["random order", "until"],
)
def test_a_dead_server_leaves_a_sample_and_the_rest_is_asked_later(
    suite: Suite, server: tuple[Server, Mortal], tmp_path: Path, settings: RunSettings
) -> None:
    alive, script = server
    whole = run(suite, alive, tmp_path / "whole", settings)
    out = tmp_path / "dies"
    for left in (75, 60):
        script.left = left
        with pytest.raises(EndpointUnreachableError, match="run again"):
            run(suite, alive, out, settings)
        cut = open_run(out)
        sampled = cut.sampled()
        assert not cut.manifest.complete and sampled is not None
        # The front of the order, up to where the server died; nothing in it is left of the dying.
        asked = [probe_id for one in sampled.rounds for probe_id in one]
        assert asked == probes_in_order(suite, 5)[: len(asked)]
        failed = {one.item_id for one in read_log(out / "replies.jsonl").replies.values() if is_transient(one)}
        assert failed and not [x for x in suite.items() if x.item_id in failed and x.probe_id in sampled.asked]
        assert len(asked) > 25
        (score,) = [one for one in cut.scores() if one.measure == "acc"]
        assert "interval:anytime" in score.signature and f"asked:{len(asked)}-of-160" in score.signature
        assert score.low is not None and score.high is not None
        assert score.low <= 0.9 <= score.high and score.high - score.low < 0.4
        (verdict,) = falter.check(cut, "numbers.parity.acc>=50%", value=True)
        assert verdict.verdict == "met" and verdict.asked == verdict.answered == len(asked)
    script.left = None
    done = run(suite, alive, out, settings)
    assert done.manifest == whole.manifest
    assert read_rounds(out) == read_rounds(whole.folder)
    names = {path.name for path in whole.folder.iterdir()} - {"usage.json"}
    assert names == {"replies.parquet", "run.json", *(("asked.jsonl",) if settings.until else ())}
    for name in sorted(names):
        assert (out / name).read_bytes() == (whole.folder / name).read_bytes(), name
