"""Falter finds where a vision-language model falters: generate or import tests, run models, score, compare, report.

Every public name is imported when it is first used, so that ``import falter`` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from falter.core.lazy import lazy_names
from falter.core.version import __version__

if TYPE_CHECKING:
    from falter.api.debiasing import debias
    from falter.api.gates import plan_gates, power
    from falter.api.listing import available
    from falter.api.own_tables import from_frame, import_table, write_example
    from falter.api.people import (
        collect_votes,
        error_rate,
        export_study,
        people_agreement,
        people_run,
        plan_study,
        serve_study,
    )
    from falter.api.people_tables import add_votes
    from falter.api.reporting import export, import_inspect_log, plot, report, view
    from falter.api.results import (
        check,
        compare,
        estimate,
        image_ablations,
        open_answers,
        overlap,
        prompt_spreads,
        score,
    )
    from falter.api.running import dry_run, load_run, load_runs, merge, prompts, run, run_all
    from falter.api.suites import (
        audit,
        generate,
        import_suite,
        inspect,
        load,
        write_suite,
        write_training,
        write_world,
    )
    from falter.core.bundle import SuiteBundle
    from falter.core.errors import FalterError, InputError, UsageError
    from falter.data.items import ImageRef, Item, Probe
    from falter.data.model import Capabilities, Reply, Request
    from falter.data.model_options import ModelOptions
    from falter.data.suite import Suite
    from falter.evaluation.measures import Measure, Score
    from falter.evaluation.runs import Run

_NAMES = {
    "debias": "falter.api.debiasing",
    "export": "falter.api.reporting",
    "import_inspect_log": "falter.api.reporting",
    "available": "falter.api.listing",
    "from_frame": "falter.api.own_tables",
    "import_table": "falter.api.own_tables",
    "write_example": "falter.api.own_tables",
    "plan_gates": "falter.api.gates",
    "power": "falter.api.gates",
    "plot": "falter.api.reporting",
    "collect_votes": "falter.api.people",
    "error_rate": "falter.api.people",
    "export_study": "falter.api.people",
    "people_agreement": "falter.api.people",
    "people_run": "falter.api.people",
    "plan_study": "falter.api.people",
    "serve_study": "falter.api.people",
    "report": "falter.api.reporting",
    "view": "falter.api.reporting",
    "check": "falter.api.results",
    "compare": "falter.api.results",
    "estimate": "falter.api.results",
    "image_ablations": "falter.api.results",
    "open_answers": "falter.api.results",
    "overlap": "falter.api.results",
    "prompt_spreads": "falter.api.results",
    "score": "falter.api.results",
    "dry_run": "falter.api.running",
    "load_run": "falter.api.running",
    "load_runs": "falter.api.running",
    "merge": "falter.api.running",
    "prompts": "falter.api.running",
    "run": "falter.api.running",
    "run_all": "falter.api.running",
    "audit": "falter.api.suites",
    "generate": "falter.api.suites",
    "import_suite": "falter.api.suites",
    "inspect": "falter.api.suites",
    "load": "falter.api.suites",
    "write_suite": "falter.api.suites",
    "write_training": "falter.api.suites",
    "write_world": "falter.api.suites",
    "add_votes": "falter.api.people_tables",
    "SuiteBundle": "falter.core.bundle",
    "FalterError": "falter.core.errors",
    "InputError": "falter.core.errors",
    "UsageError": "falter.core.errors",
    "Measure": "falter.evaluation.measures",
    "Score": "falter.evaluation.measures",
    "Capabilities": "falter.data.model",
    "ModelOptions": "falter.data.model_options",
    "Request": "falter.data.model",
    "ImageRef": "falter.data.items",
    "Item": "falter.data.items",
    "Probe": "falter.data.items",
    "Suite": "falter.data.suite",
    "Reply": "falter.data.model",
    "Run": "falter.evaluation.runs",
}
"""Where each public name comes from."""

__all__ = [
    "Capabilities",
    "FalterError",
    "ImageRef",
    "InputError",
    "Item",
    "Measure",
    "ModelOptions",
    "Probe",
    "Reply",
    "Request",
    "Run",
    "Score",
    "Suite",
    "SuiteBundle",
    "UsageError",
    "__version__",
    "add_votes",
    "audit",
    "available",
    "check",
    "collect_votes",
    "compare",
    "debias",
    "dry_run",
    "error_rate",
    "estimate",
    "export",
    "export_study",
    "from_frame",
    "generate",
    "image_ablations",
    "import_inspect_log",
    "import_suite",
    "import_table",
    "inspect",
    "load",
    "load_run",
    "load_runs",
    "merge",
    "open_answers",
    "overlap",
    "people_agreement",
    "people_run",
    "plan_gates",
    "plan_study",
    "plot",
    "power",
    "prompt_spreads",
    "prompts",
    "report",
    "run",
    "run_all",
    "score",
    "serve_study",
    "view",
    "write_example",
    "write_suite",
    "write_training",
    "write_world",
]


def _bundle_function(name: str) -> Any:
    from falter.core.bundle import bundle_function

    return bundle_function(name)


__getattr__ = lazy_names(__name__, _NAMES, _bundle_function)


def __dir__() -> list[str]:
    from falter.core.bundle import BUNDLES

    functions = {name for bundle in BUNDLES.available() for name in bundle.functions}
    return sorted({*globals(), *__all__, *functions})
