"""Models written in Python by the user: ``python:module:attribute``, an object, or any callable."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import msgspec

from falter.core.errors import FalterError, UsageError
from falter.core.files import sha256_of_bytes, sha256_of_file
from falter.core.tables import format_count
from falter.data.model import Capabilities, Model, Reply, Request
from falter.data.model_loading import LoadContext
from falter.evaluation.models.code_fingerprint import ModuleSources, fingerprint_code, names_not_covered, read_sources

ReplyFunction = Callable[[Sequence[Request]], Iterable[Reply | str]]
"""Turns a list of requests into as many texts or replies, in order."""

_CALLABLE_VERSION = 1

_METHODS = ("count_image_tokens", "count_tokens", "join_ids", "preflight", "replied_as", "reply_unordered")
"""Fields that an object may also have as methods: a declaration in a class body cannot name a bound method."""


def declared_capabilities(thing: Any, name: str) -> Capabilities:
    """What an object or a function declares, with its methods of the same names filled in."""
    declared = getattr(thing, "capabilities", None)
    if declared is None:
        declared = Capabilities()
    if not isinstance(declared, Capabilities):
        kind = type(declared).__name__
        raise UsageError(f"capabilities of {name} must be falter.extend.Capabilities(...), not a {kind}")
    methods = {field: getattr(thing, field, None) for field in _METHODS if getattr(declared, field) is None}
    return msgspec.structs.replace(declared, **{field: made for field, made in methods.items() if callable(made)})


class PythonModel:
    """An object with ``reply(batch)`` (or ``reply_unordered(requests, batch_size)``) as a model.

    ``name``, ``fingerprint`` and ``capabilities`` are the object's, where it has them. Without a fingerprint of its
    own, it has ``source_fingerprint``, and ``not_covered`` says what that does not cover.
    """

    def __init__(self, thing: Any, *, name: str, source_fingerprint: str, not_covered: str = "") -> None:
        self.name: str = _declared_text(thing, "name", name)
        self.capabilities = declared_capabilities(thing, name)
        self.fingerprint: str = _declared_text(thing, "fingerprint", source_fingerprint)
        self.not_covered = "" if hasattr(thing, "fingerprint") else not_covered
        self._reply: Any = getattr(thing, "reply", None if self.capabilities.reply_unordered is not None else thing)
        if self._reply is not None and not callable(self._reply):
            raise UsageError(f"{name} is neither a model nor a function of a list of requests")

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        if self._reply is None:
            raise NotImplementedError(f"{self.name} forms its own batches: it has no reply()")
        replies: Sequence[Reply] = self._reply(batch)
        return replies


class CallableModel:
    """Any callable from a list of requests to as many texts or replies.

    Its fingerprint is its name, ``version`` and, for a plain function, its code: the function's own, that of functions
    in its closure, and plain values (numbers, texts) in its defaults and its closure. What else it uses is not looked
    at: change ``version`` when that changes.
    """

    def __init__(
        self,
        function: ReplyFunction,
        name: str | None = None,
        version: str | None = None,
        *,
        capabilities: Capabilities | None = None,
    ) -> None:
        known = name or getattr(function, "__name__", None)
        if not isinstance(known, str) or known == "<lambda>":
            raise UsageError("a lambda or an object without a name needs name=..., which tells its replies apart")
        self.name = known
        self.capabilities = capabilities or declared_capabilities(function, known)
        code = fingerprint_code(function) if isinstance(function, FunctionType) else None
        identity = ("callable", _CALLABLE_VERSION, known, version, code)
        self.fingerprint = sha256_of_bytes(msgspec.json.encode(identity))
        self.not_covered = "" if version is not None else _not_covered(function)
        """What may change without a change of the fingerprint; "" where nothing does, or a version is given."""
        self._function = function

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        given: Any = self._function(batch)
        if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
            raise UsageError(f"{self.name} returned a {type(given).__name__}: return one text or Reply per request")
        replies = list(given)
        if len(replies) != len(batch):
            raise UsageError(
                f"{self.name} returned {format_count(len(replies), 'replies')} to "
                f"{format_count(len(batch), 'requests')}: return one text or Reply per "
                "request"
            )
        return [
            Reply(item_id=request.item_id, text=reply) if isinstance(reply, str) else reply
            for request, reply in zip(batch, replies, strict=True)
        ]


def as_model(thing: Any, *, name: str | None = None, version: str | None = None) -> Model:
    """Make a model of an object that is one, or nearly, or of any callable."""
    if inspect.isclass(thing):
        raise UsageError(f"{thing.__name__} is a class: give an instance of it")
    if isinstance(thing, Model) and isinstance(thing.capabilities, Capabilities):
        return thing
    if callable(getattr(thing, "reply", None)) or callable(getattr(thing, "reply_unordered", None)):
        kind = type(thing)
        known = name or str(getattr(thing, "name", kind.__name__))
        functions = [value for _, value in sorted(vars(kind).items()) if isinstance(value, FunctionType)]
        identity = ("object", _CALLABLE_VERSION, known, version, [fingerprint_code(value) for value in functions])
        return PythonModel(
            thing,
            name=known,
            source_fingerprint=sha256_of_bytes(msgspec.json.encode(identity)),
            not_covered="" if version is not None else "of an object, the methods of its class alone are covered",
        )
    if callable(thing):
        return CallableModel(thing, name, version)
    raise UsageError(f"a {type(thing).__name__} is no model: give a spec, a model, or a function of a list of requests")


def load_python(rest: str, context: LoadContext) -> Model:
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
    file = Path(getattr(module, "__file__", None) or "")
    is_file = file.is_file()
    sources = read_sources(module_name, file) if is_file else ModuleSources({}, f"{module_name} has no source")
    return PythonModel(
        _instantiate(thing, rest),
        name=path,
        source_fingerprint=_source_fingerprint(file if is_file else None, rest, sources),
        not_covered=sources.unknown,
    )


def _import(name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"the module {name} cannot be imported: {type(error).__name__}: {error}; start falter where its file is"
        ) from error


def _instantiate(thing: Any, rest: str) -> Any:
    """An instance of a class, or what a function without parameters returns; anything else as it is."""
    if not inspect.isclass(thing) and (not inspect.isroutine(thing) or _required_parameters(thing)):
        return thing
    try:
        return thing()
    except FalterError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"python:{rest} cannot be created: {type(error).__name__}: {error}") from error


def _required_parameters(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(
        parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_KEYWORD,)
        for parameter in parameters
    )


def _source_fingerprint(file: Path | None, rest: str, sources: ModuleSources) -> str:
    source = "no source" if file is None else sha256_of_file(file)
    # A model that imports nothing of its own keeps the fingerprint that it had before imports were covered.
    imported = "".join(f"\n{name} {sha256}" for name, sha256 in sources.files.items())
    return sha256_of_bytes(f"python\n{rest}\n{source}{imported}".encode())


def _not_covered(function: Any) -> str:
    if not isinstance(function, FunctionType):
        return f"the code of a {type(function).__name__} is not covered"
    names = names_not_covered(function)
    return f"what it uses besides its own code is not covered ({', '.join(names)})" if names else ""


def _declared_text(thing: Any, name: str, default: str) -> str:
    value = getattr(thing, name, default)
    if not isinstance(value, str):
        raise UsageError(f"the model's {name} must be of type str, not {type(value).__name__}")
    return value
