"""What there is: suites, importers, sources, models, measures, prompts; and of a model what it can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from falter.api.model_jobs import build_model_options
from falter.api.paths import PathOrStr, SourceLike, as_source
from falter.core.errors import UsageError
from falter.core.plugins import load_plugins
from falter.core.tables import ResultTable
from falter.data.model import Capabilities, Model
from falter.data.model_loading import LoadContext, score_file_layouts
from falter.data.model_options import ModelOptions
from falter.evaluation.models import load_model
from falter.evaluation.models.backends import BUILTINS
from falter.evaluation.models.prompts import Prompt, load_prompt, preview_prompt, prompt_names

Listing = Literal["suites", "importers", "sources", "models", "measures", "prompts", "executors"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that Falter knows by name."""

    name: str
    about: str
    details: dict[str, Any] = msgspec.field(default_factory=dict)


class Available(ResultTable[Entry]):
    """What is available under one heading."""

    noun = "entries"


def available(kind: Listing) -> Available:
    """What there is of a kind: "suites", "importers", "sources", "models", "measures", "prompts" or "executors"."""
    listings = {
        "suites": _suites,
        "importers": _importers,
        "sources": _sources,
        "models": _models,
        "measures": _measures,
        "prompts": _prompts,
        "executors": _executors,
    }
    if kind not in listings:
        raise UsageError(f"unknown listing {kind!r}; available: {', '.join(get_args(Listing))}")
    return Available(listings[kind]())


def _suites() -> list[Entry]:
    from falter.core.bundle import BUNDLES
    from falter.generation.authoring.options import option_names

    found = []
    for bundle in BUNDLES.available():
        details: dict[str, Any] = {}
        if bundle.generator is not None:
            details["tests"] = list(bundle.get("generator").tests())
        options = list(option_names(bundle.get("options")).values())
        details |= {"options": options} if options else {}
        details |= {"imports": sorted(bundle.importers)} if bundle.importers else {}
        found.append(Entry(name=bundle.name, about=bundle.title, details=details))
    return found


def _importers() -> list[Entry]:
    from falter.core.bundle import BUNDLES

    return [
        Entry(name=name, about=bundle.get("importers", name).title)
        for bundle in BUNDLES.available()
        for name in sorted(bundle.importers)
    ]


def _sources() -> list[Entry]:
    from falter.data.sources import SOURCES
    from falter.generation.sources import capability_names

    found = []
    for name in SOURCES.names():
        opener = SOURCES.get(name)
        has = list(capability_names(opener))
        found.append(Entry(name=name, about=_first_line(opener.__doc__), details={"has": has} if has else {}))
    return found


def _models() -> list[Entry]:
    from falter.evaluation.models import BACKENDS

    found = []
    for name in BACKENDS.names():
        spec, about = _SPECS.get(name, (f"{name}:...", "from another package"))
        found.append(Entry(name=name, about=about, details={"spec": spec}))
    return found


def _prompts() -> list[Entry]:
    prompts = [load_prompt(ModelOptions(prompt=name)) for name in prompt_names()]
    return [Entry(name=one.name, about=one.wording.about, details={"fingerprint": one.fingerprint}) for one in prompts]


_SPECS = {
    "builtin": ("builtin:NAME[,key=value][@SOURCE]", "baselines and upper bounds, listed below"),
    "hf": ("hf:ID_OR_PATH", "weights for transformers: VQA classifiers, generative VQA, chat models [torch]"),
    "clip": ("clip:ID_OR_PATH", "dual encoders: CLIP, SigLIP, ALIGN, BLIP-ITC, OpenCLIP [torch]"),
    "lm": ("lm:ID_OR_PATH", "causal language models, blind: scores of texts and of choices [torch]"),
    "openai": ("openai:MODEL@BASE_URL", "any OpenAI-compatible chat server; the key from the environment [openai]"),
    "python": ("python:module:attribute", "your own: a model, a class of models, or a function of a list of requests"),
    "file": ("file:PATH", "stored predictions: item_id or source_id, and answer or score; JSONL, CSV, Parquet"),
}


def _measures() -> list[Entry]:
    from falter.core.bundle import BUNDLES
    from falter.evaluation.measures import MEASURES, all_measures

    own = [measure for bundle in BUNDLES.available() for measure in bundle.get("measures")]
    return [
        Entry(
            name=measure.name,
            about=measure.description,
            details={"title": measure.title, "grain": measure.grain, "higher_is_better": measure.higher_is_better},
        )
        for measure in all_measures(own, MEASURES.names())
    ]


def _executors() -> list[Entry]:
    from falter.core.executors import EXECUTORS

    return [Entry(name=name, about=_first_line(EXECUTORS.get(name).__doc__)) for name in EXECUTORS.names()]


def _first_line(docstring: str | None) -> str:
    return (docstring or "").strip().split("\n", 1)[0].replace("``", "")


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
