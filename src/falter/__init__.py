"""Falter finds where a vision-language model falters: generate or import tests, run models, score, compare, report.

Every public name is imported when it is first used, so that ``import falter`` is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from falter.core.lazy import lazy_names
from falter.core.version import __version__

if TYPE_CHECKING:
    from falter.api import people
    from falter.api import planning as plan
    from falter.api.debiasing import debias
    from falter.api.generating import generate
    from falter.api.importing import import_suite, import_table
    from falter.api.inspecting import audit, inspect
    from falter.api.listing import available
    from falter.api.reporting import export, plot, report, view
    from falter.api.results import check, compare, evaluate, score
    from falter.api.running import merge, run
    from falter.api.suites import load, write_suite, write_world
    from falter.core.errors import FalterError
    from falter.data.items import ImageRef, Item, Probe
    from falter.data.model_options import ModelOptions
    from falter.data.suite import Suite
    from falter.evaluation.measures import Score
    from falter.evaluation.runs import Run

_NAMES = {
    "debias": "falter.api.debiasing",
    "generate": "falter.api.generating",
    "import_suite": "falter.api.importing",
    "import_table": "falter.api.importing",
    "audit": "falter.api.inspecting",
    "inspect": "falter.api.inspecting",
    "available": "falter.api.listing",
    "export": "falter.api.reporting",
    "plot": "falter.api.reporting",
    "report": "falter.api.reporting",
    "view": "falter.api.reporting",
    "check": "falter.api.results",
    "compare": "falter.api.results",
    "evaluate": "falter.api.results",
    "score": "falter.api.results",
    "merge": "falter.api.running",
    "run": "falter.api.running",
    "load": "falter.api.suites",
    "write_suite": "falter.api.suites",
    "write_world": "falter.api.suites",
    "FalterError": "falter.core.errors",
    "ImageRef": "falter.data.items",
    "Item": "falter.data.items",
    "Probe": "falter.data.items",
    "ModelOptions": "falter.data.model_options",
    "Suite": "falter.data.suite",
    "Score": "falter.evaluation.measures",
    "Run": "falter.evaluation.runs",
}
"""Where each public name comes from."""

_SUBMODULES = {"people": "falter.api.people", "plan": "falter.api.planning"}
"""Modules that are public under a name of their own."""

__all__ = [
    "FalterError",
    "ImageRef",
    "Item",
    "ModelOptions",
    "Probe",
    "Run",
    "Score",
    "Suite",
    "__version__",
    "audit",
    "available",
    "check",
    "compare",
    "debias",
    "evaluate",
    "export",
    "generate",
    "import_suite",
    "import_table",
    "inspect",
    "load",
    "merge",
    "people",
    "plan",
    "plot",
    "report",
    "run",
    "score",
    "view",
    "write_suite",
    "write_world",
]


def _submodule_or_bundle_function(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(_SUBMODULES[name])
    from falter.core.bundle import bundle_function

    return bundle_function(name)


__getattr__ = lazy_names(__name__, _NAMES, _submodule_or_bundle_function)


def __dir__() -> list[str]:
    from falter.core.bundle import BUNDLES

    functions = {name for bundle in BUNDLES.available() for name in bundle.functions}
    return sorted({*globals(), *__all__, *functions})
