"""Loads a model from a spec, ``BACKEND:REST``: the registry of backends, and the models that come with Falter.

The builtin ones are baselines and upper bounds; only the simplest, which ignores image and text, is defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from falter.core.errors import UsageError
from falter.core.files.checksums import hash_code
from falter.core.registry import Registry
from falter.data.model import Capabilities, Model, Reply, Request
from falter.data.model_loading import Builtin, LoadContext, SpecOptions
from falter.data.sources import open_source

ModelLoader = Callable[[str, LoadContext], Model]
"""Loads a model from the part of the spec after the backend's name and colon."""

BACKENDS: Registry[ModelLoader] = Registry("backend", "falter.models")


def load_model(spec: str, context: LoadContext | None = None) -> Model:
    """Load the model of a spec, for example ``builtin:always-yes`` or ``file:answers.jsonl``."""
    backend, colon, rest = spec.partition(":")
    if not colon or not rest or backend not in BACKENDS:
        known = ", ".join(f"{name}:..." for name in BACKENDS.names())
        # What comes after the name of a backend may hold a password.
        shown = f"{backend}:..." if colon else spec
        shown = repr(shown) if "@" not in shown and "//" not in shown else "that was given"
        raise UsageError(f"unknown model {shown:.80}: a model is one of {known}; see falter list models")
    model = BACKENDS.get(backend)(rest, context or LoadContext())
    if isinstance(getattr(model, "capabilities", None), Capabilities):
        return model
    from falter.evaluation.models.python import as_model

    return as_model(model, name=rest)


BUILTINS: Registry[Builtin] = Registry("builtin model", "falter.models.builtin")


def parse_builtin(rest: str) -> tuple[str, dict[str, str], str | None]:
    """Take ``NAME[,key=value...][@SOURCE]`` apart; everything after ``@`` or ``,train=`` is the source.

    >>> parse_builtin("noisy-oracle,p=0.9")
    ('noisy-oracle', {'p': '0.9'}, None)
    >>> parse_builtin("blind@gqa:graphs=g.json,images=d")
    ('blind', {}, 'gqa:graphs=g.json,images=d')
    """
    marks = [(rest.find(mark), mark) for mark in ("@", ",train=") if mark in rest]
    source = None
    if marks:
        place, mark = min(marks)
        rest, source = rest[:place], rest[place + len(mark) :]
    name, *parts = rest.split(",")
    options: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise UsageError(f"builtin:{rest}: {part!r} is not key=value")
        options[key] = value
    return name, options, source


def load_builtin(rest: str, context: LoadContext) -> Model:
    """Make a builtin model from its spec."""
    name, options, source = parse_builtin(rest)
    entry = BUILTINS.get(name)
    unknown = [key for key in options if key not in entry.options]
    if unknown:
        known = f"it knows {', '.join(entry.options)}" if entry.options else "it takes none"
        raise UsageError(f"builtin:{name} has no option {unknown[0]!r}: {known}")
    if source is not None:
        if entry.needs.startswith("--scenes"):
            context = replace(context, scenes=open_source(source))
        elif entry.needs.startswith("--train"):
            context = replace(context, train=open_source(source))
        else:
            raise UsageError(f"builtin:{name} needs {entry.needs}: leave out @{source}")
    return entry.make(SpecOptions(name, options), context)


class AlwaysYes:
    """Answers "yes" to every question and matches every text with its image."""

    name = "always-yes"
    capabilities = Capabilities(tasks=frozenset(("answer", "match")), reads_context=True, batch_size=1024)

    def __init__(self) -> None:
        self.fingerprint = f"builtin:always-yes:{hash_code('falter.evaluation.models.backends')}"

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [
            Reply(item_id=request.item_id, answer="yes")
            if request.task == "answer"
            else Reply(item_id=request.item_id, answer="yes", score=1.0, score_kind="probability")
            for request in batch
        ]


def _make_always_yes(options: SpecOptions, context: LoadContext) -> AlwaysYes:
    del options, context
    return AlwaysYes()


ALWAYS_YES = Builtin(_make_always_yes, summary="says yes to everything", tasks=("answer", "match"))
