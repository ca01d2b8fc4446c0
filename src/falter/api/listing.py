"""What there is: suites, importers, sources, models, measures, prompts."""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from falter.errors import UsageError
from falter.tables import ResultTable

__all__ = ["Available", "Entry", "Listing", "available"]

Listing = Literal["suites", "importers", "sources", "models", "measures", "executors"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that Falter knows by name."""

    name: str
    about: str
    details: dict[str, Any] = msgspec.field(default_factory=dict)


class Available(ResultTable[Entry]):
    """What is available under one heading."""

    noun = "entries"


def available(kind: Listing) -> Available:
    """What there is of a kind: "suites", "importers", "sources", "models" or "measures"."""
    listings = {
        "suites": _suites,
        "importers": _importers,
        "sources": _sources,
        "models": _models,
        "measures": _measures,
        "executors": _executors,
    }
    if kind not in listings:
        raise UsageError(f"unknown listing {kind!r}; available: {', '.join(get_args(Listing))}")
    return Available(listings[kind]())


def _suites() -> list[Entry]:
    from falter.authoring.options import option_names
    from falter.bundle import BUNDLES

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
    from falter.bundle import BUNDLES

    return [
        Entry(name=name, about=bundle.get("importers", name).title)
        for bundle in BUNDLES.available()
        for name in sorted(bundle.importers)
    ]


def _sources() -> list[Entry]:
    from falter.sources import SOURCES, capability_names

    found = []
    for name in SOURCES.names():
        opener = SOURCES.get(name)
        has = list(capability_names(opener))
        found.append(Entry(name=name, about=_first_line(opener.__doc__), details={"has": has} if has else {}))
    return found


def _models() -> list[Entry]:
    from falter.models import BACKENDS

    found = []
    for name in BACKENDS.names():
        spec, about = _SPECS.get(name, (f"{name}:...", "from another package"))
        found.append(Entry(name=name, about=about, details={"spec": spec}))
    return found


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
    from falter.bundle import BUNDLES
    from falter.measures import MEASURES, all_measures

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
    from falter.parallel.registry import EXECUTORS

    return [Entry(name=name, about=_first_line(EXECUTORS.get(name).__doc__)) for name in EXECUTORS.names()]


def _first_line(docstring: str | None) -> str:
    return (docstring or "").strip().split("\n", 1)[0].replace("``", "")
