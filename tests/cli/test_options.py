"""Every option of every command has an effect, or is refused: also beside each other option of its command.

A command is run with a spy in the place of everything that it calls. An option has an effect where the calls differ
from those without it; what is called obeys its arguments, which the linter and its own tests look after.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations
from pathlib import Path
from types import FunctionType
from typing import Any, Literal, NamedTuple, get_args, get_origin

import pytest
import typer

from falter.cli.help_layout import MODEL_KEYS
from falter.cli.main import build_app
from falter.core.errors import FalterError, UsageError
from falter.data.model_options import ModelOptions
from falter.data.run_options import RunOptions

Words = tuple[str, ...]


class Spy(str):
    """Stands for anything, also for a text, and writes down how it is called."""

    def __new__(cls, name: str, log: list[str]) -> Spy:
        made = super().__new__(cls, f"<{name}>")
        made.__dict__.update(_name=name, _log=log)
        return made

    def __getattr__(self, name: str) -> Spy:
        if name.startswith("__"):
            raise AttributeError(name)
        return Spy(f"{self._name}.{name}", self._log)

    def __setattr__(self, name: str, value: object) -> None:
        self._log.append(f"{self._name}.{name} = {show(value)}")

    def __call__(self, *given: object, **named: object) -> Spy:
        self._log.append(f"{self._name}({show(given)}, {show(named)})")
        return Spy(f"{self._name}()", self._log)

    def _part(self, *of: object) -> Spy:
        self._log.append(f"{self._name}[{show(of)}]")
        return Spy(f"{self._name}[]", self._log)

    def __iter__(self) -> Iterator[Spy]:
        return iter((self._part(), self._part()))

    def __format__(self, _: str) -> str:
        return str(self._name)

    def __or__(self, other: object) -> Spy:
        self._log.append(f"{self._name} |= {show(other)}")
        return self

    __ior__ = __or__
    __getitem__ = __neg__ = __enter__ = __add__ = __radd__ = __sub__ = __mul__ = __truediv__ = __rtruediv__ = _part
    __hash__ = str.__hash__

    def _deny(self, *_: object) -> bool:
        return False

    def _count(self) -> int:
        return 2

    def _name_it(self) -> str:
        return f"<{self._name}>"

    __exit__ = __contains__ = __lt__ = __gt__ = _deny
    __len__ = __int__ = __index__ = __float__ = _count
    __fspath__ = __str__ = __repr__ = _name_it


def show(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {show(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(show, value))})"
    return "a function" if callable(value) and not isinstance(value, Spy) else repr(value)


class Command(NamedTuple):
    path: str
    command: Any

    @property
    def options(self) -> list[Any]:
        """The options that are given to the function."""
        own = [one for one in self.command.params if one.param_type_name == "option" and one.expose_value]
        return [one for one in own if one.name != "plugin_dir"]

    @property
    def needed(self) -> Words:
        words: list[str] = []
        for one in self.command.params:
            if one.required:
                value = "2" if one.type_descriptor.annotation is float else "x"
                words += [value] if one.param_type_name == "argument" else [one.opts[0], value]
        return (*words, *MORE.get(self.path, ()))


MORE: dict[str, Words] = {
    "basic-questions rank": ("--query", "Is it?", "--pool", "vqa:x"),
}
"""What a command needs besides its required options."""
VALUES = {
    "--size": "7", "--executor": "inline", "-M": "dtype=float16", "--mean-color": "1,2,3",
    "--vqa-rule": "min3", "--subset": "valid", "--kind": "breakdown", "--thresholds": "0.9,0.8,0.7", "--to": "hf",
    "--similarity-band": "0.1:0.3", "--ranker": "bm25", "--alpha": "0.03", "--shard": "1/2",
}  # fmt: skip
"""Values that a command takes where not any will do."""


def sample(option: Any) -> list[str]:
    """An option with a value that is not its default."""
    name = option.opts[0]
    if option.is_flag:
        return [option.secondary_opts[0] if option.default is True else name]
    kind = option.type_descriptor.annotation
    kind = get_args(kind)[0] if get_origin(kind) is list else kind
    if get_origin(kind) is Literal:
        value = next(str(one) for one in get_args(kind) if one != option.default)
    elif name in VALUES:
        value = VALUES[name]
    elif kind is int:
        value = str((option.default if isinstance(option.default, int) else 0) + 3)
    else:
        value = "0.25" if kind is float else "v"
    return [name, value]


@cache
def commands() -> dict[str, Command]:
    found: dict[str, Command] = {}

    def walk(path: Words, command: Any) -> None:
        for name in getattr(command, "commands", ()) or ():
            own = command.get_command(None, name)
            if own is not None and not own.hidden:
                walk((*path, name), own)
        if not getattr(command, "commands", None):
            found[" ".join(path)] = Command(" ".join(path), command)

    walk((), typer.main.get_command(build_app()))
    return found


def spied(module: Any) -> Iterator[tuple[Any, str]]:
    """What the functions of a module import when they are called, and what prints."""
    tree = ast.parse(Path(module.__file__).read_text())
    at_top = set(tree.body)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node not in at_top and (node.module or "").startswith("falter."):
            source = importlib.import_module(str(node.module))
            for name in (one.name for one in node.names):
                value = getattr(source, name)
                is_error = isinstance(value, type) and issubclass(value, Exception)
                if isinstance(value, FunctionType | type) and not is_error:
                    yield source, name
    for name, value in vars(module).items():
        if getattr(value, "__module__", "") in ("falter.cli.output", "rich.console") or (
            isinstance(value, FunctionType) and value.__module__ == "falter.cli.output"
        ):
            yield module, name


class Runner:
    """Runs a command with spies in the place of what other modules have, and of its own module's other functions."""

    def __init__(self, one: Command) -> None:
        self.command = one
        function = inspect.unwrap(one.command.callback)
        module = sys.modules[function.__module__]
        self._others = list(dict.fromkeys(spied(module)))
        self._own = [
            (module, name)
            for name, value in vars(module).items()
            if isinstance(value, FunctionType | type) and value.__module__ == module.__name__ and value is not function
        ]
        self._known: dict[Words, tuple[str, str]] = {}

    def __call__(self, *words: str) -> tuple[str, str]:
        """What it calls, or how it is refused; and the same where its module's own functions are not gone into."""
        given = (*self.command.needed, *words)
        if given not in self._known:
            self._known[given] = self._run(given, self._others), self._run(given, [*self._others, *self._own])
        return self._known[given]

    def is_refused(self, *words: str) -> bool:
        """Whether the words are refused before anything is done."""
        return self(*words)[1].startswith("refused")

    def _run(self, words: Words, places: Sequence[tuple[Any, str]]) -> str:
        log: list[str] = []
        with pytest.MonkeyPatch.context() as patch:
            for place, name in places:
                patch.setattr(place, name, Spy(name, log))
            try:
                self.command.command.main([*words], standalone_mode=False, prog_name=self.command.path)
            except FalterError as error:
                return f"refused: {error}"
            except (Exception, SystemExit) as error:
                if isinstance(error, typer.BadParameter.__mro__[1]):
                    raise
                log.append(f"ended: {type(error).__name__}: {error}")
        return "\n".join(log)


PATHS = sorted(commands())


def differ(run: Runner, words: Words, others: Words) -> bool:
    return any(one != other for one, other in zip(run(*words), run(*others), strict=True))


@pytest.mark.parametrize("path", PATHS)
def test_every_option_has_an_effect_or_is_refused(path: str) -> None:
    run = Runner(commands()[path])
    assert not run.is_refused(), run()
    silent = [one.opts[0] for one in run.command.options if not differ(run, (*sample(one),), ())]
    assert not silent, f"ignored by falter {path}: {silent}"


@pytest.mark.parametrize("path", PATHS)
def test_an_option_has_an_effect_beside_each_other_option_or_is_refused(path: str) -> None:
    """Options of other structs reach them as they are; the long form tries them, too."""
    run = Runner(commands()[path])
    own = {*inspect.signature(inspect.unwrap(run.command.command.callback)).parameters, *RunOptions.__struct_fields__}
    assert not silent_pairs(run, [one for one in run.command.options if one.name in own])


@pytest.mark.soak
@pytest.mark.parametrize("path", PATHS)
def test_every_two_options_of_a_command(path: str) -> None:
    run = Runner(commands()[path])
    assert not silent_pairs(run, run.command.options)


KEYS = {
    "answer_by": "likelihood", "match_by": "letters", "max_new_tokens": "9", "prompt": "plain", "system": "s.txt",
    "few_shot": "f.yaml", "lm_score": "sum", "bos": "false", "device": "cpu", "dtype": "float16", "revision": "v1",
    "trust_remote_code": "true", "region_features": "r.tsv", "concurrency": "3", "timeout": "2.5",
    "model_name": "exact", "max_requests": "4", "max_cost": "7", "prices": "p.yaml", "image_tokens": "5",
}  # fmt: skip


@pytest.mark.parametrize("path", ["run", "list model"])
def test_every_model_option_reaches_what_is_called_alone_and_beside_each_other(path: str) -> None:
    assert set(KEYS) == set(ModelOptions.__struct_fields__)
    run = Runner(commands()[path])
    words = {key: (MODEL_KEYS, f"{key}={value}") for key, value in KEYS.items()}
    assert [key for key, given in words.items() if not differ(run, given, ())] == []
    pairs = permutations(words.values(), 2)
    assert [(one, other) for one, other in pairs if not differ(run, (*other, *one), other)] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["dtype"], "-M takes KEY=VALUE, not 'dtype'; available: answer_by, "),
        (["dtypes=auto"], "there is no model option 'dtypes'; available: answer_by, "),
        (["concurrency=many"], "-M concurrency=many: concurrency is a whole number"),
        (["timeout=long"], "-M timeout=long: timeout is a number"),
        (["bos=perhaps"], "-M bos=perhaps: bos is true or false"),
        (["answer_by=guessing"], "-M answer_by=guessing: answer_by is generate or likelihood"),
        (["device=cpu", "device=cuda"], "the model option device is given twice"),
        (["max_new_tokens=9", "--max-new-tokens", "8"], "the model option max_new_tokens is given twice"),
    ],
)
def test_a_wrong_model_option_is_one_line(words: list[str], said: str) -> None:
    given = [word for one in words for word in ((MODEL_KEYS, one) if "=" in one or one == "dtype" else (one,))]
    with pytest.raises(UsageError, match=f"^{said}"):
        commands()["run"].command.main(["suite", "--model", "builtin:blind", *given], standalone_mode=False)


def silent_pairs(run: Runner, options: Sequence[Any]) -> list[str]:
    silent = []
    for one, other in permutations(options, 2):
        alone, both = (*sample(other),), (*sample(other), *sample(one))
        if not differ(run, both, alone) and not run.is_refused(*alone):
            silent.append(f"{' '.join(sample(one))} with {' '.join(alone)}")
    return silent
