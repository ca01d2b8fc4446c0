"""Verdicts and intervals that hold at any time, and estimates that use stored runs. Arrays alone, no runs."""

from falter.measures.sequential.controls import (
    ControlledEstimate,
    ControlledEstimates,
    Controls,
    combine_estimates,
    controlled_estimate,
    controlled_estimates,
)
from falter.measures.sequential.discordant import anytime_mcnemar, discordant_evidence
from falter.measures.sequential.gate import Gate, SetTest
from falter.measures.sequential.intervals import AskedUnits, anytime_interval, anytime_interval_of_draws
from falter.measures.sequential.populations import UnitBounds

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
