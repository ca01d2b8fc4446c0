"""The key is sent to the server and stands nowhere else, whatever the server does with it."""

from __future__ import annotations

import json
import random
from pathlib import Path

from falter.data.model_options import ModelOptions
from falter.evaluation.models.openai import OpenAIModel
from falter.evaluation.models.openai.endpoint import parse_endpoint
from tests.models.openai.asked import make_suite
from tests.models.openai.commands import Ended, finish, here
from tests.models.openai.faulty import NUMBER, right_answer
from tests.models.openai.server import Asked, Out, Server, completion, problem

KEY = "hush/" + "".join(random.Random(0).choices("abcdefghjkmnpqrstuvwxyz23456789", k=40))


def indiscreet(asked: Asked) -> Out:
    """Repeats the key in every way there is: in errors, headers, replies, ids and the names of models."""
    sent = asked.headers["authorization"].removeprefix("Bearer ")
    number = int(NUMBER.findall(asked.text)[0])
    echoed = {"X-Echo": sent}
    if number % 10 == 1:
        return problem(400, f"bad request of {sent}", headers=echoed)
    if number % 10 == 2 and not asked.times:
        return problem(500, f"no luck, {asked.headers['authorization']}", headers=echoed)
    if number % 10 == 3:
        return Out(f"plain text about {sent}".encode(), 422)
    if number % 10 == 4 and not asked.times:
        return Out(json.dumps({"error": f"key {sent}"}).encode())
    said = f"{right_answer(asked.text)}: {sent}" if number % 10 == 5 else right_answer(asked.text)
    return Out(completion(asked, said, id=sent, system_fingerprint=sent), headers=echoed)


def everything(folder: Path, *ended: Ended) -> str:
    written = [path.read_bytes().decode("latin-1") for path in sorted(folder.rglob("*")) if path.is_file()]
    return "\n".join([*written, *(f"{one.out}\n{one.err}" for one in ended)])


def test_no_key_in_a_run_a_report_or_an_error(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 40)
    out = str(tmp_path / "run")
    with Server(indiscreet) as server:
        spec = f"openai:tiny-vl@{server.base}"
        run = finish("run", str(tmp_path / "suite"), "--model", spec, "--out", out, OPENAI_API_KEY=KEY)
        assert run.code == 1, run
        assert "8 of 40 items failed" in f"{run}"
        assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    report = here("report", out, "--out", str(tmp_path / "report.html"), OPENAI_API_KEY=KEY)
    assert report.code == 0, report
    import polars as pl

    replies = pl.read_parquet(tmp_path / "run" / "replies.parquet")
    assert replies["error"].str.contains("[key]", literal=True).sum() == 8
    assert replies["text"].str.contains("[key]", literal=True).sum() == 4
    found = everything(tmp_path, run, report)
    assert "tiny-vl" in found
    assert KEY not in found
    assert KEY.partition("/")[2] not in found
    assert KEY not in json.dumps(replies.to_dicts())


def test_no_key_in_the_line_that_ends_a_run(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite", 4)
    said = iter([401, 403, 404, 402])
    with Server(lambda asked: problem(next(said), f"key {KEY[:9]}****, {KEY}"), models=(KEY,)) as server:
        arguments = ["run", str(tmp_path / "suite"), "--model", f"openai:tiny-vl@{server.base}"]
        ended = [here(*arguments, "--out", str(tmp_path / f"run{number}"), OPENAI_API_KEY=KEY) for number in range(4)]
        assert len(server.asked) == 4
    for one in ended:
        assert one.code == 2
        assert one.err.splitlines()[-1].startswith("falter: ")
        assert "Traceback" not in one.err
    userinfo = here(
        "run", str(tmp_path / "suite"), "--model", f"openai:m@http://{KEY}@localhost/v1", "--out", str(tmp_path / "x")
    )
    assert userinfo.code == 2
    found = everything(tmp_path, *ended, userinfo)
    assert KEY not in found
    assert KEY.partition("/")[2] not in found


def test_no_key_in_the_model() -> None:
    model = OpenAIModel(parse_endpoint("gpt-4o", {"OPENAI_API_KEY": KEY}), ModelOptions())
    shown = f"{model!r} {model.name} {model.fingerprint} {model.capabilities.method} {vars(model)}"
    assert KEY not in shown
