"""The registry of backends, and loading a model from a spec, ``BACKEND:REST``."""

from __future__ import annotations

from collections.abc import Callable

from falter.errors import UsageError
from falter.models.capabilities import Capabilities
from falter.models.load_context import LoadContext
from falter.models.protocol import Model
from falter.registry import Registry

__all__ = ["BACKENDS", "ModelLoader", "load_model"]

ModelLoader = Callable[[str, LoadContext], Model]
"""Loads a model from the part of the spec after the backend's name and colon."""

BACKENDS: Registry[ModelLoader] = Registry(
    "backend",
    "falter.models",
    {
        "builtin": "falter.models.builtin:load_builtin",
        "python": "falter.models.python:load_python",
        "file": "falter.models.predictions:load_predictions",
        "hf": "falter.models.hf:load_hf",
        "clip": "falter.models.clip:load_clip",
        "lm": "falter.models.lm:load_lm",
        "openai": "falter.models.openai:load_openai",
    },
)


def load_model(spec: str, context: LoadContext | None = None) -> Model:
    """Load the model of a spec, for example ``builtin:always-yes`` or ``file:answers.jsonl``."""
    backend, colon, rest = spec.partition(":")
    if not colon or not rest or backend not in BACKENDS:
        known = ", ".join(f"{name}:..." for name in BACKENDS.names())
        # What comes after the name of a backend may hold a password.
        shown = f"{backend}:..." if colon else spec
        shown = repr(shown) if "@" not in shown and "//" not in shown else "that was given"
        raise UsageError(f"unknown model {shown:.80}: a model is one of {known}; see falter models")
    model = BACKENDS.get(backend)(rest, context or LoadContext())
    if isinstance(getattr(model, "capabilities", None), Capabilities):
        return model
    from falter.models.python import as_model

    return as_model(model, name=rest)
