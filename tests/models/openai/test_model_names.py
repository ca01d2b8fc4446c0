"""Replies under another name than the one asked for: accepted and recorded, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.data.model import BudgetExceededError
from falter.evaluation.engine import run_suite
from falter.evaluation.models.openai.errors import EndpointRejectedError
from falter.evaluation.runs import open_run
from tests.models.openai.asked import make_suite, model_of, question
from tests.models.openai.commands import here
from tests.models.openai.faulty import right_answer
from tests.models.openai.server import Asked, Out, Server, completion


def replying_as(*names: str) -> Server:
    def script(asked: Asked) -> Out:
        return Out(completion(asked, right_answer(asked.text), model=names[min(len(server.asked), len(names)) - 1]))

    server = Server(script)
    return server


def test_another_name_is_said_once_and_recorded(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 20)
    with replying_as("other-7b") as server:
        command = ("run", str(tmp_path / "suite"), "--model", f"openai:tiny-vl@{server.base}")
        ended = here(*command, "--out", str(tmp_path / "run"))
        as_json = here(*command, "--out", str(tmp_path / "run"), "--json")
    assert ended.code == 0, ended
    assert [line for line in ended.err.splitlines() if "other-7b" in line] == [
        "  the server replied under another name than asked for: other-7b; -M model_name=exact refuses that"
    ]
    assert open_run(tmp_path / "run").manifest.model.replied_as == ("other-7b",)
    assert '"other-7b"' in as_json.out


def test_names_are_kept_when_a_run_is_resumed_under_its_own_name(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", 20)
    with replying_as("tiny-vl-05", "tiny-vl-05", "tiny-vl") as server:
        with pytest.raises(BudgetExceededError):
            run_suite(suite, model_of(server, max_requests=6), tmp_path / "run")
        assert open_run(tmp_path / "run").manifest.model.replied_as == ("tiny-vl-05",)
        run_suite(suite, model_of(server), tmp_path / "run")
    manifest = open_run(tmp_path / "run").manifest
    assert manifest.complete
    assert manifest.model.replied_as == ("tiny-vl-05",)


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (("other-7b",), "replied as other-7b, not as tiny-vl: ask for that model, or accept it with -M model_name=any"),
        (("tiny-vl-05",), "replied as tiny-vl-05, not as tiny-vl"),
        (("tiny-vl", "tiny-vl", "moved-on"), "replied as moved-on, not as tiny-vl"),
        (("",), "does not say which model replied: leave out -M model_name=exact"),
    ],
)
def test_exact_refuses_any_other_name(names: tuple[str, ...], line: str) -> None:
    with replying_as(*names) as server, pytest.raises(EndpointRejectedError, match=line):
        list(model_of(server, model_name="exact", concurrency=1).reply_unordered(question(n) for n in range(9)))


def test_exact_asks_again_after_a_stray_and_is_another_model_to_the_cache() -> None:
    with replying_as("tiny-vl", "stray", "tiny-vl") as server:
        model = model_of(server, model_name="exact", concurrency=1)
        assert [reply.status for reply in model.reply([question(n) for n in range(5)])] == ["ok"] * 5
        assert len(server.asked) == 6
    assert model.fingerprint != model_of(server).fingerprint
