"""Models from the user's own code."""

from __future__ import annotations

import functools
import importlib
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.core.errors import InputError, UsageError
from falter.data.items import Probe
from falter.data.model import Capabilities, Reply, Request
from falter.data.model_options import ModelOptions
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import dry_run, run_suite
from falter.evaluation.models import load_model
from falter.evaluation.models.prompts import load_prompt
from falter.evaluation.models.python import CallableModel, as_model
from falter.evaluation.runs import RunSettings
from tests.engine.small_suite import make_item, make_suite

CODE = """
from falter.evaluation.models import Capabilities, Reply

def plain(requests):
    return ["Yes, there is." for request in requests]

def factory():
    return Instance()

class Instance:
    name = "mine"
    capabilities = Capabilities(tasks=("answer", "match"), reads_context=True, batch_size=3)
    fingerprint = "mine:1"
    def reply(self, batch):
        return [Reply(item_id=request.item_id, answer="no") for request in batch]

class Odd(Instance):
    def __init__(self):
        self.capabilities = Capabilities(batch_size="many")

class Unable(Instance):
    def __init__(self):
        self.capabilities = Capabilities(tasks=("sing",))

class Undeclared(Instance):
    capabilities = {"batch_size": 3}

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
        ("Odd", "batch_size of a model must be of type int"),
        ("Unable", "must be among answer, match"),
        ("Undeclared", "must be falter.extend.Capabilities"),
        ("Unmade", "RuntimeError: no weights here"),
        ("gone", "has no gone"),
    ],
)
def test_what_is_no_model_is_said(module: str, attribute: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_model(f"python:{module}:{attribute}")


EVERYTHING = """
from falter.evaluation.models import Capabilities, ModelOptions, Usage
from falter.evaluation.models.prompts import load_prompt

PROMPT = load_prompt(ModelOptions(prompt="plain"))

class Methods:
    name, fingerprint = "thorough", "thorough:1"
    def reply(self, batch):
        raise AssertionError("it forms its own batches")
    def count_tokens(self, requests):
        return 7 * len(requests)
    def count_image_tokens(self, requests):
        return 5 * len(requests)
    def join_ids(self, rows):
        return []
    def replied_as(self):
        return ["thorough-2"]

class Declared(Methods):
    capabilities = Capabilities(
        tasks=("answer", "match"), needs_image=True, accepts_text_only=True, reads_context=True, batch_size=3,
        method="decide:generate", prompt=PROMPT, prompted_tasks=("answer",), generates=("answer",), remote=True,
        replays=True, seconds_per_item=0.5, token_counter="sevens",
        image_token_counter="fives", usage=Usage(),
    )
    def preflight(self, ids):
        return [f"{len(list(ids))} rows"]
    def reply_unordered(self, requests, batch_size):
        return (Reply(item_id=request.item_id, text="yes") for request in requests)
"""


@pytest.fixture
def thorough(module: str, tmp_path: Path) -> str:
    with (tmp_path / f"{module}.py").open("a") as stream:
        stream.write(EVERYTHING)
    return module


def test_everything_that_an_outside_model_declares_arrives(tmp_path: Path, thorough: str) -> None:
    model = load_model(f"python:{thorough}:Declared")
    declared = model.capabilities
    standard = Capabilities()
    # A field that is added to the struct must be declared above, too: its default would prove nothing.
    left = [name for name in declared.__struct_fields__ if getattr(declared, name) == getattr(standard, name)]
    assert left == []
    assert (declared.tasks, declared.prompted_tasks, declared.generates) == (
        {"answer", "match"},
        {"answer"},
        {"answer"},
    )
    assert declared.prompt == load_prompt(ModelOptions(prompt="plain"))
    assert (declared.method, declared.batch_size, declared.accepts_text_only) == ("decide:generate", 3, True)
    assert (declared.remote, declared.replays, declared.needs_image, declared.reads_context) == (True,) * 4

    with create_suite(tmp_path / "suite", SuiteManifest(name="small")) as writer:
        for number in range(5):
            shown = {"image": "images/i.png", "image_id": "i"}
            writer.add(Probe((make_item(number, 0, f"Is it {number}?", **shown), make_item(number, 1, "No?", **shown))))
    suite = open_suite(tmp_path / "suite")
    with pytest.raises(InputError, match="thorough needs"):
        dry_run(suite, model, tmp_path / "run")
    (tmp_path / "suite" / "images").mkdir(exist_ok=True)
    (tmp_path / "suite" / "images" / "i.png").write_bytes(b"there")
    plan = dry_run(suite, model, tmp_path / "run")
    assert plan.estimate is not None
    assert plan.notes == (f"{suite.item_count} rows",)
    assert (plan.estimate.counted_by, plan.estimate.input_tokens) == ("sevens", 12 * plan.estimate.requests)
    assert plan.estimate.image_tokens == 5 * plan.estimate.requests
    assert plan.estimate.seconds == 0.5 * plan.estimate.requests
    assert plan.estimate.output_tokens == 32 * plan.estimate.requests
    with pytest.raises(UsageError, match="repeat"):
        dry_run(suite, model, tmp_path / "run", RunSettings(repeat=2))
    run = run_suite(suite, model, tmp_path / "run")
    assert set(run.replies()["answer"]) == {"yes"}
    assert (run.manifest.model.rule, run.manifest.model.prompt) == ("decide:generate", "plain")
    assert (run.manifest.model.abilities, run.manifest.model.prompted) == (("answer", "match"), ("answer",))


def test_a_model_without_declarations_has_the_defaults_and_no_warning(module: str) -> None:
    assert load_model(f"python:{module}:plain").capabilities == Capabilities()


def _requests(count: int) -> list[Request]:
    return [Request(item_id=f"i{number}", task="answer", text=f"Is it {number}?") for number in range(count)]


def test_a_callable_gives_texts_or_replies() -> None:
    def mixed(requests: Sequence[Request]) -> Iterator[Reply | str]:
        for request in requests:
            yield "yes" if request.item_id == "i0" else Reply(item_id=request.item_id, answer="no")

    model = CallableModel(mixed)
    assert model.name == "mixed"
    assert model.reply(_requests(2)) == [Reply(item_id="i0", text="yes"), Reply(item_id="i1", answer="no")]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda requests: ["yes"], "mine returned 1 reply to 3 requests"),
        (lambda requests: "yes", "mine returned a str"),
        (lambda requests: {"i0": "yes"}, "mine returned a dict"),
        (lambda requests: None, "mine returned a NoneType"),
    ],
)
def test_a_callable_that_gives_something_else_stops_the_run_in_one_line(tmp_path: Path, given: Any, said: str) -> None:
    model = CallableModel(given, name="mine")
    with pytest.raises(UsageError, match=said) as caught:
        model.reply(_requests(3))
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="one text or Reply per request"):
        run_suite(make_suite(tmp_path / "suite"), model, tmp_path / "run")


def test_a_lambda_needs_a_name() -> None:
    with pytest.raises(UsageError, match="needs name="):
        CallableModel(lambda requests: ["yes" for _ in requests])
    with pytest.raises(UsageError, match="needs name="):
        CallableModel(functools.partial(_say, "yes"))


def _say(word: str, requests: Sequence[Request], polite: bool = False) -> list[str]:
    return [f"{word}, please" if polite else word for _ in requests]


def _saying(word: str, how: Callable[[str], str] = str) -> Callable[[Sequence[Request]], list[str]]:
    def say(requests: Sequence[Request]) -> list[str]:
        return [how(word) for _ in requests]

    return say


def test_a_callable_is_known_by_name_version_and_code() -> None:
    prints = {
        CallableModel(function, name, version).fingerprint
        for function, name, version in [
            (lambda requests: ["yes" for _ in requests], "a", None),
            (lambda requests: ["no" for _ in requests], "a", None),
            (lambda requests: ["yes" for _ in requests], "b", None),
            (lambda requests: ["yes" for _ in requests], "a", "2"),
            (lambda requests, word="yes": [word for _ in requests], "a", None),
            (lambda requests, word="no": [word for _ in requests], "a", None),
            (_saying("yes"), "a", None),
            (_saying("no"), "a", None),
            (_saying("no", how=lambda word: word.upper()), "a", None),
            (_saying("no", how=lambda word: word.lower()), "a", None),
        ]
    }
    assert len(prints) == 10
    # Where it is written, and when, does not count; nor does an object whose contents may change.
    assert CallableModel(_saying("yes")).fingerprint == CallableModel(_saying("yes")).fingerprint
    partial = functools.partial(_say, "yes")
    assert CallableModel(partial, "a").fingerprint == CallableModel(functools.partial(_say, "no"), "a").fingerprint


def test_a_callable_has_the_same_fingerprint_in_another_process(tmp_path: Path) -> None:
    code = (
        "from falter.evaluation.models.python import CallableModel\n"
        "def mine(requests):\n"
        "    return ['yes' if r.text in {'a', 'b', 'c', 'd'} else [x for x in ('no', 1.5)][0] for r in requests]\n"
        "print(CallableModel(mine).fingerprint)\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1 and len(found.pop().strip()) == 64


def test_anything_that_can_reply_becomes_a_model(module: str) -> None:
    ready = load_model(f"python:{module}:instance")
    assert as_model(ready) is ready

    class Bare:
        def reply(self, batch: Sequence[Request]) -> list[str]:
            return ["yes" for _ in batch]

    class Other:
        def reply(self, batch: Sequence[Request]) -> list[str]:
            return ["no" for _ in batch]

    assert as_model(Bare()).name == "Bare"
    assert as_model(Bare(), name="x").fingerprint == as_model(Bare(), name="x").fingerprint
    assert as_model(Bare(), name="x").fingerprint != as_model(Other(), name="x").fingerprint
    assert as_model(Bare(), name="x").fingerprint != as_model(Bare(), name="x", version="2").fingerprint
    assert as_model(lambda requests: ["yes" for _ in requests], name="mine").name == "mine"
    for wrong, said in ((Bare, "is a class: give an instance"), (3, "a int is no model")):
        with pytest.raises(UsageError, match=said):
            as_model(wrong)


TREE = {
    "own_tree/__init__.py": "",
    "own_tree/model.py": """
import json
from . import direct
from .inner.deep import answer
from own_tree import named as other

def reply(requests):
    import own_tree.late
    import importlib
    importlib.import_module("own_tree_written_out")
    return [answer for request in requests]
""",
    "own_tree/direct.py": "import own_tree_sibling",
    "own_tree/named.py": "",
    "own_tree/late.py": "from .circle import *",
    "own_tree/circle.py": "from .late import *",
    "own_tree/inner/__init__.py": "",
    "own_tree/inner/deep.py": "from ..above import answer",
    "own_tree/above.py": "answer = 'yes'",
    "own_tree_sibling.py": "",
    "own_tree_written_out.py": "",
}
OTHERS = {"own_tree/unused.py": "", "json_of_mine.py": "", "own_tree/data.txt": "1"}


def test_editing_a_module_that_it_imports_makes_another_model(tmp_path: Path) -> None:
    from falter.evaluation.models.code_fingerprint import read_sources

    for name, text in {**TREE, **OTHERS}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    model = tmp_path / "own_tree/model.py"
    first = read_sources("own_tree.model", model)
    assert set(first.files) == set(TREE) - {"own_tree/model.py"}
    assert first.unknown == ""
    for name in {**TREE, **OTHERS}:
        before = (tmp_path / name).read_text()
        (tmp_path / name).write_text(before + "\n# edited")
        edited = read_sources("own_tree.model", model)
        assert (edited.files != first.files) == (name in first.files), name
        (tmp_path / name).write_text(before)
    model.write_text("import importlib\nimportlib.import_module('own_' + 'tree')")
    assert read_sources("own_tree.model", model).unknown == "model.py imports modules by names that are computed"


def test_a_run_does_not_go_on_after_an_edit_of_what_its_model_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "edited_model.py").write_text(
        "import edited_helper\n\ndef f(requests):\n    return edited_helper.f(requests)"
    )
    helper = tmp_path / "edited_helper.py"
    suite = make_suite(tmp_path / "suite", probes=4)

    def run(answer: str, out: str) -> falter.Run:
        helper.write_text(f"def f(requests):\n    return [{answer!r} for request in requests]")
        for name in ("edited_model", "edited_helper"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        # The same second and size would hide the edit behind compiled code.
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        return falter.run(suite, "python:edited_model:f", out=tmp_path / out, cache=tmp_path / "cache")

    assert set(run("yes", "run").replies()["answer"]) == {"yes"}
    assert set(run("yes", "run").replies()["answer"]) == {"yes"}
    with pytest.raises(UsageError, match="the model f has changed"):
        run("no", "run")
    assert set(run("no", "other").replies()["answer"]) == {"no"}


CONSTANT = "yes"


def uses_a_name(requests: Sequence[Request]) -> list[str]:
    return [CONSTANT for _ in requests]


def uses_nothing(requests: Sequence[Request]) -> list[str]:
    return [str(len(request.text) and "yes") for request in requests]


@pytest.mark.parametrize(
    ("function", "version", "named"),
    [
        (uses_a_name, None, "CONSTANT"),
        (uses_a_name, "1", None),
        (uses_nothing, None, None),
        (functools.partial(uses_a_name), None, "partial"),
        (lambda requests: uses_a_name(requests), None, "uses_a_name"),  # noqa: PLW0108
    ],
)
def test_a_resumed_run_says_what_may_have_changed(
    tmp_path: Path, function: Any, version: str | None, named: str | None
) -> None:
    suite = make_suite(tmp_path / "suite", probes=4)
    for time in (1, 2):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            falter.run(suite, function, out=tmp_path / "run", name="mine", version=version)
        told = [str(one.message) for one in given if "may have changed since" in str(one.message)]
        assert len(told) == (time == 2 and named is not None)
        assert not told or str(named) in told[0]
