"""The stopping rule that the settings of a run say."""

from __future__ import annotations

import falter
from falter.measures.requirements import parse_requirement
from falter.probes import Suite
from falter.runs import RunSettings
from falter.runs.value_checks import SuiteGate


def rule(suite: Suite, told: RunSettings, baseline: falter.Run | None = None) -> SuiteGate:
    assert told.until is not None
    wanted = [parse_requirement(text) for text in told.until.requirements]
    return SuiteGate.from_settings(suite, wanted, told.until, seed=told.seed, baseline=baseline)
