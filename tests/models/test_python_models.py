"""Models from the user's own code."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.engine import run_suite
from falter.errors import UsageError
from falter.models import load_model
from tests.engine.small_suite import make_suite

CODE = """
from falter.models import Reply

def plain(requests):
    return ["Yes, there is." for request in requests]

def factory():
    return Instance()

class Instance:
    name = "mine"
    abilities = frozenset(("answer", "match"))
    needs_image = False
    reads_context = True
    batch_size = 3
    fingerprint = "mine:1"
    def reply(self, batch):
        return [Reply(item_id=request.item_id, answer="no") for request in batch]

class Odd(Instance):
    batch_size = "many"

class Unable(Instance):
    abilities = frozenset(("sing",))

class Unmade(Instance):
    def __init__(self):
        raise RuntimeError("no weights here")

instance = Instance()
number = 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    name = "mine_" + "".join(letter for letter in request.node.name if letter.isalnum())
    (tmp_path / f"{name}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.mark.parametrize(
    ("attribute", "answer"), [("plain", "yes"), ("factory", "no"), ("Instance", "no"), ("instance", "no")]
)
def test_functions_classes_factories_and_instances(tmp_path: Path, module: str, attribute: str, answer: str) -> None:
    model = load_model(f"python:{module}:{attribute}")
    run = run_suite(make_suite(tmp_path / "suite"), model, tmp_path / "run")
    assert set(run.replies()["answer"]) == {answer}
    assert model.name == ("plain" if attribute == "plain" else "mine")


def test_editing_the_file_makes_another_model(tmp_path: Path, module: str) -> None:
    import importlib
    import sys

    first = load_model(f"python:{module}:plain").fingerprint
    assert load_model(f"python:{module}:plain").fingerprint == first
    with (tmp_path / f"{module}.py").open("a") as stream:
        stream.write("\n# another thought\n")
    importlib.invalidate_caches()
    del sys.modules[module]
    assert load_model(f"python:{module}:plain").fingerprint != first


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ("number", "neither a model nor a function"),
        ("Odd", "batch_size should be of type int"),
        ("Unable", "should be among answer, match"),
        ("Unmade", "RuntimeError: no weights here"),
        ("gone", "has no gone"),
    ],
)
def test_what_is_no_model_is_said(module: str, attribute: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_model(f"python:{module}:{attribute}")
