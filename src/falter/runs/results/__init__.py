"""Result tables of runs: scores, comparisons, overlaps, open answers, prompt spreads, image ablations and checks."""

from falter.runs.results.checks import CheckResults
from falter.runs.results.comparisons import Comparisons
from falter.runs.results.controlled_scores import ControlledScore, ControlledScores
from falter.runs.results.gate_plans import GatePlans
from falter.runs.results.image_ablations import ImageAblations
from falter.runs.results.open_answers import OpenAnswers
from falter.runs.results.overlaps import Overlaps
from falter.runs.results.power_plans import PowerPlans
from falter.runs.results.prompt_spreads import PromptSpreads
from falter.runs.results.run_names import RunName
from falter.runs.results.scores import RunScore, RunScores, Scores

__all__ = [
    "CheckResults",
    "Comparisons",
    "ControlledScore",
    "ControlledScores",
    "GatePlans",
    "ImageAblations",
    "OpenAnswers",
    "Overlaps",
    "PowerPlans",
    "PromptSpreads",
    "RunName",
    "RunScore",
    "RunScores",
    "Scores",
]
