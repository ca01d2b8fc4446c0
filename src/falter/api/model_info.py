"""What a model is: its capabilities, its fingerprint, its prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from falter.api.model_jobs import build_model_options
from falter.api.paths import PathOrStr, SourceLike, as_source
from falter.models import Capabilities, LoadContext, Model, ModelOptions, load_model
from falter.models.builtin import BUILTINS
from falter.models.load_context import score_file_layouts
from falter.models.prompts import Prompt, preview_prompt
from falter.plugins import load_plugins

__all__ = ["describe_builtins", "describe_model"]


def describe_model(
    spec: str,
    *,
    scenes: SourceLike | None = None,
    train: SourceLike | None = None,
    options: ModelOptions | Mapping[str, Any] | None = None,
    plugins: Sequence[PathOrStr] = (),
) -> dict[str, Any]:
    """Load a model and say what it declares, its fingerprint, and its prompt filled in on examples."""
    folders = load_plugins([Path(folder) for folder in plugins])
    context = LoadContext(
        scenes=as_source(scenes),
        train=as_source(train),
        plugin_dirs=folders,
        options=build_model_options(options),
        layouts=score_file_layouts(),
    )
    return _describe(load_model(spec, context))


def describe_builtins() -> list[dict[str, Any]]:
    """The builtin models: what each can do and needs."""
    return [
        {
            "spec": f"builtin:{name}",
            "summary": entry.summary,
            "abilities": list(entry.tasks),
            "needs": entry.needs,
            "options": list(entry.options),
        }
        for name, entry in ((name, BUILTINS.get(name)) for name in BUILTINS.names())
    ]


def _describe(model: Model) -> dict[str, Any]:
    declared = model.capabilities
    shown: dict[str, Any] = {
        "name": model.name,
        "abilities": sorted(declared.tasks),
        "needs_image": declared.needs_image,
        "reads_context": declared.reads_context,
        "batch_size": declared.batch_size,
    }
    rule, prompt = declared.method or None, declared.prompt_used()
    if rule:
        shown["rule"] = rule
    shown["fingerprint"] = model.fingerprint
    if isinstance(prompt, Prompt):
        shown["prompt"] = _describe_prompt(prompt, declared)
    return shown


def _describe_prompt(prompt: Prompt, declared: Capabilities) -> dict[str, Any]:
    return {
        "name": prompt.name,
        "fingerprint": prompt.fingerprint,
        "about": prompt.wording.about,
        "system": prompt.system,
        "templates": [
            {
                "task": said.task,
                "for": said.of,
                "text": said.text,
                "examples": [
                    {"text": text, "image": None if image is None else str(image), "reply": reply}
                    for text, image, reply in prompt.shown_examples(said.task)
                ],
            }
            for said in preview_prompt(prompt)
            if said.task in (declared.tasks if declared.prompted_tasks is None else declared.prompted_tasks)
        ],
    }
