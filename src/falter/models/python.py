"""Models written in Python by the user: ``python:module:attribute``."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from falter.errors import FalterError, UsageError
from falter.files import sha256_of_bytes, sha256_of_file
from falter.models.load_context import ModelContext
from falter.models.protocol import Model
from falter.models.request import Request
from falter.probes import Task
from falter.runs.reply import Reply

__all__ = ["PythonModel", "StreamingPythonModel", "load_python"]

Replies = Callable[[Sequence[Request]], Sequence[Reply]]

_PASSED_ON = ("rule", "prompt", "works_blind", "writes", "seconds_per_item", "count_tokens")

_TASKS: tuple[Task, ...] = ("answer", "match")


class PythonModel:
    """Anything in Python that turns requests into replies or texts, with what it does not declare filled in.

    ``abilities``, ``needs_image``, ``reads_context``, ``batch_size``, ``name`` and ``fingerprint`` are taken from the
    object where it has them. Without a fingerprint of its own, it has that of its source file: editing the file makes
    another model of it. ``rule``, ``prompt``, ``works_blind``, ``writes``, ``seconds_per_item`` and ``count_tokens``
    are passed on where the object has them.
    """

    def __init__(self, thing: Any, ask: Replies, *, name: str, source_fingerprint: str) -> None:
        self._ask = ask
        self.name: str = _declared(thing, "name", str, name)
        self.abilities: frozenset[Task] = _abilities(thing, name)
        self.needs_image: bool = _declared(thing, "needs_image", bool, False)
        self.reads_context: bool = _declared(thing, "reads_context", bool, False)
        self.batch_size: int = _declared(thing, "batch_size", int, 16)
        self._fingerprint: str = _declared(thing, "fingerprint", str, source_fingerprint)
        for passed_on in _PASSED_ON:
            if hasattr(thing, passed_on):
                setattr(self, passed_on, getattr(thing, passed_on))

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return self._ask(batch)


class StreamingPythonModel(PythonModel):
    """One that arranges its own work: it has ``stream(requests, batch_size)`` of its own."""

    def __init__(self, thing: Any, ask: Replies, *, name: str, source_fingerprint: str) -> None:
        super().__init__(thing, ask, name=name, source_fingerprint=source_fingerprint)
        self._stream = thing.stream

    def stream(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        replies: Iterator[Reply] = self._stream(requests, batch_size)
        return replies


def load_python(rest: str, context: ModelContext) -> Model:
    """Import ``module:attribute``: a model, a class of models, a function that makes one, or ``f(requests)``."""
    del context
    module_name, colon, path = rest.partition(":")
    if not colon or not module_name or not path:
        raise UsageError(f"python:{rest} is not python:module:attribute, e.g. python:my_models:answer")
    module = _import(module_name)
    thing: Any = module
    for part in path.split("."):
        try:
            thing = getattr(thing, part)
        except AttributeError as error:
            raise UsageError(f"python:{rest}: the module {module_name} has no {path}") from error
    thing = _made(thing, rest)
    streams = callable(getattr(thing, "stream", None))
    ask = getattr(thing, "reply", _never if streams else thing)
    if not callable(ask):
        raise UsageError(f"python:{rest} is neither a model nor a function of a list of requests")
    return (StreamingPythonModel if streams else PythonModel)(
        thing, ask, name=path, source_fingerprint=_source_fingerprint(module, rest)
    )


def _never(batch: Sequence[Request]) -> Sequence[Reply]:
    raise NotImplementedError(f"the model streams its replies: it takes no batch of {len(batch)}")


def _import(name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise UsageError(f"the module {name} cannot be imported: {type(error).__name__}: {error}") from error


def _made(thing: Any, rest: str) -> Any:
    """An instance of a class, or what a function without parameters gives; anything else as it is."""
    if not inspect.isclass(thing) and (not inspect.isroutine(thing) or _required_parameters(thing)):
        return thing
    try:
        return thing()
    except FalterError:
        raise
    except Exception as error:
        raise UsageError(f"python:{rest} cannot be made: {type(error).__name__}: {error}") from error


def _required_parameters(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(
        parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_KEYWORD,)
        for parameter in parameters
    )


def _source_fingerprint(module: Any, rest: str) -> str:
    file = getattr(module, "__file__", None)
    source = sha256_of_file(Path(file)) if file and Path(file).is_file() else "no source"
    return sha256_of_bytes(f"python\n{rest}\n{source}".encode())


def _declared(thing: Any, name: str, kind: type, default: Any) -> Any:
    value = getattr(thing, name, default)
    if not isinstance(value, kind):
        raise UsageError(f"the model's {name} should be of type {kind.__name__}, not {type(value).__name__}")
    return value


def _abilities(thing: Any, name: str) -> frozenset[Task]:
    declared = getattr(thing, "abilities", ("answer",))
    abilities = frozenset(task for task in _TASKS if task in declared)
    if not abilities or len(abilities) != len(set(declared)):
        raise UsageError(f"the abilities of {name} should be among {', '.join(_TASKS)}")
    return abilities
