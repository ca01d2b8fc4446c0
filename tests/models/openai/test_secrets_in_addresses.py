"""Keys in addresses are stored and shown nowhere, and prompts go to the server that was given alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.core.errors import UsageError
from falter.core.untrusted_text import hide_address
from falter.evaluation.models import load_model
from falter.evaluation.models.openai.errors import EndpointRejectedError
from tests.engine.small_suite import make_suite
from tests.models.openai.asked import model_of, question
from tests.models.openai.commands import here
from tests.models.openai.server import Asked, Out, Server, completion, problem

SECRET = "Kx7-q92LmZpT4wEv"


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_key_in_the_path_is_in_no_file_and_no_message(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=4).folder

    def script(asked: Asked) -> Out:
        if "0" in asked.text:
            return problem(400, f"no such thing at /{SECRET}/v1, nor at {SECRET.lower()}")
        return Out(completion(asked, "yes"))

    with Server(script) as server:
        base = server.base.replace("/v1", f"/{SECRET}/v1")
        given = ("run", str(suite), "--model", f"openai:tiny-vl@{base}", "--out", str(tmp_path / "run"))
        given = (*given, "--cache", str(tmp_path / "cache"), "--image-input", "none")
        done = here(*given)
        number = len(server.asked)
        again = here(*given)
        other = here(*(one.replace(SECRET, "another-one") for one in given))
    assert number > 0
    for said in (done, again):
        assert SECRET not in said.out + said.err
    assert len(server.asked) == number, "the same address resumes"
    assert other.code == 2 and "holds another run" in other.err, other.err
    assert here("report", str(tmp_path / "run"), "--out", str(tmp_path / "report.html")).code == 0
    assert SECRET.encode() not in stored(tmp_path)
    assert b"/[hidden-" in (tmp_path / "run" / "run.json").read_bytes()


def test_addresses_stay_different_and_plain_ones_as_they_are() -> None:
    plain = "openai:m@https://gateway.example:8000/openai/v1"
    assert hide_address(plain) == plain
    hidden = {hide_address(f"openai:m@https://h/{one}/v1") for one in ("aaaa-bbbb", "aaaa-bbbc")}
    assert len(hidden) == 2
    whole = hide_address(f"see https://u:{SECRET}/x@h/v1?key={SECRET}#{SECRET} and http://h/{SECRET}")
    assert SECRET not in whole and whole.startswith("see https://[hidden]@h/v1?[hidden] and http://h/[hidden-")


@pytest.mark.parametrize(
    "spec", [f"opnai:m@https://user:{SECRET}@host/v1", f"user:{SECRET}@host", f"https://u:{SECRET}@host", f"u@{SECRET}"]
)
def test_a_misspelt_model_is_refused_without_what_may_be_a_password(spec: str) -> None:
    with pytest.raises(UsageError, match="unknown model") as refused:
        load_model(spec)
    assert SECRET not in str(refused.value)


def test_a_misspelt_model_is_named() -> None:
    with pytest.raises(UsageError, match=r"unknown model 'opnai:\.\.\.'"):
        load_model("opnai:gpt-4o")
    with pytest.raises(UsageError, match="unknown model 'gpt-4o'"):
        load_model("gpt-4o")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_server_is_refused_and_nothing_is_sent_there(status: int) -> None:
    with Server(lambda asked: Out(completion(asked, "yes"))) as stranger:
        target = {"location": f"{stranger.base}/chat/completions"}
        with (
            Server(lambda asked: Out(b"", status, target)) as server,
            pytest.raises(EndpointRejectedError, match="redirects to http") as refused,
        ):
            model_of(server).reply([question(1)])
    assert not stranger.asked
    assert "give its address" in str(refused.value)


def test_a_redirect_on_the_same_server_is_followed() -> None:
    def script(asked: Asked) -> Out:
        return (
            Out(b"", 307, {"location": "/other/v1/chat/completions"})
            if not asked.times
            else Out(completion(asked, "yes"))
        )

    with Server(script) as server:
        assert [reply.text for reply in model_of(server).reply([question(1)])] == ["yes"]
