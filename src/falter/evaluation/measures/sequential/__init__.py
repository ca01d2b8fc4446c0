"""Verdicts and intervals that hold at any time, and estimates that use stored runs. Arrays alone, no runs."""

from falter.evaluation.measures.sequential.anytime import (
    AskedUnits,
    Gate,
    SetTest,
    anytime_interval,
    anytime_interval_of_draws,
    anytime_mcnemar,
    discordant_evidence,
)
from falter.evaluation.measures.sequential.betting import UnitBounds
from falter.evaluation.measures.sequential.controls import (
    ControlledEstimate,
    ControlledEstimates,
    Controls,
    combine_estimates,
    controlled_estimate,
    controlled_estimates,
)

__all__ = [
    "AskedUnits",
    "ControlledEstimate",
    "ControlledEstimates",
    "Controls",
    "Gate",
    "SetTest",
    "UnitBounds",
    "anytime_interval",
    "anytime_interval_of_draws",
    "anytime_mcnemar",
    "combine_estimates",
    "controlled_estimate",
    "controlled_estimates",
    "discordant_evidence",
]
