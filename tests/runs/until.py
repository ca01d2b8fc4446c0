"""The stopping rule that the settings of a run say."""

from __future__ import annotations

import falter
from falter.data.suite import Suite
from falter.evaluation.measures.requirements import parse_requirement
from falter.evaluation.runs import RunSettings
from falter.evaluation.runs.value_checks import SuiteGate


def rule(suite: Suite, told: RunSettings, baseline: falter.Run | None = None) -> SuiteGate:
    assert told.until is not None
    wanted = [parse_requirement(text) for text in told.until.requirements]
    return SuiteGate.from_settings(suite, wanted, told.until, seed=told.seed, baseline=baseline)
