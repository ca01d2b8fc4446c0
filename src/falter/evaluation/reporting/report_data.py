"""What a report shows, apart from how it is gathered and how it looks."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.data.blind_checks import BlindCheck
from falter.evaluation.measures import AnsweredPairs, Comparison, ImageAblation, Overlap, PromptSpread, Score
from falter.evaluation.measures.standardised import StandardisedDifference
from falter.evaluation.reporting.panel import Place, Section
from falter.evaluation.reporting.published import Published
from falter.evaluation.runs.failure_records import Failure, FailureCounts, FailureImage, SuiteTest
from falter.evaluation.runs.rankings import ModelRanking


class CountedTest(msgspec.Struct, frozen=True, kw_only=True):
    """One test of a suite, as its manifest counts it."""

    test: str
    probes: int = 0
    items: int = 0
    answers: dict[str, int] = msgspec.field(default_factory=dict)


class SuiteInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A suite's manifest, ready to show."""

    name: str
    title: str = ""
    made_by: str = ""
    falter: str = ""
    seed: int | None = None
    licence: str = "not stated"
    citation: str = ""
    fingerprint: str = ""
    probes: int = 0
    items: int = 0
    tests: tuple[CountedTest, ...] = ()
    sources: tuple[str, ...] = ()
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A model and the settings it ran with."""

    name: str
    spec: str = ""
    fingerprint: str = ""
    uses_images: str = "unknown"
    """What is known of it: declared by the model, or observed."""
    complete: bool = True
    settings: dict[str, str] = msgspec.field(default_factory=dict)
    counts: dict[str, int] = msgspec.field(default_factory=dict)


class ModelScore(msgspec.Struct, frozen=True):
    """A score of one model, an index into ``ReportData.models``."""

    model: int
    score: Score


class FailedTest(msgspec.Struct, frozen=True):
    """How many distinct pairs of a test at least one model failed."""

    test: SuiteTest
    failed: int


class ModelAnswered(msgspec.Struct, frozen=True):
    """How much of a test a model answered, an index into ``ReportData.models``."""

    model: int
    answered: AnsweredPairs


class ModelDifference(msgspec.Struct, frozen=True):
    """Two models on the pairs of a suite that both answered, as indices into ``ReportData.models``.

    Differences are the second's score less the first's.
    """

    first: int
    second: int
    suite: str
    comparisons: tuple[Comparison, ...]
    turned: tuple[StandardisedDifference, ...] = ()
    """Those whose sign turns once every value of a facet counts the same."""


class SuiteRanking(msgspec.Struct, frozen=True):
    """The models of a suite by its main figure; the runs of ``ranking`` are numbers in ``models``."""

    test: SuiteTest
    measure: str
    models: tuple[int, ...]
    ranking: ModelRanking


class ModelImageAblation(msgspec.Struct, frozen=True):
    """A model with its images and the same without: indices into ``ReportData.models``."""

    with_image: int
    ablated: int
    found: ImageAblation


class ModelPromptSpread(msgspec.Struct, frozen=True):
    """One model under several prompts, each an index into ``ReportData.models``."""

    models: tuple[int, ...]
    found: PromptSpread


class SuiteBlindCheck(NamedTuple):
    """How far text-only baselines get on a test of a suite."""

    suite: str
    found: BlindCheck


class PanelSection(msgspec.Struct, frozen=True, kw_only=True):
    """The section that a bundle's panel has built."""

    name: str
    title: str
    section: Section
    place: Place = "results"
    bundle: str = ""
    folder: Path | None = None
    """Where the section's template is."""


class ReportData(msgspec.Struct, kw_only=True):
    """Everything that a report is made from."""

    title: str
    suites: list[SuiteInfo]
    models: list[ModelInfo]
    scores: list[ModelScore]
    overlaps: list[Overlap] = msgspec.field(default_factory=list)
    """Between models that ran on the same suite, given as indices into ``models``."""
    differences: list[ModelDifference] = msgspec.field(default_factory=list)
    rankings: list[SuiteRanking] = msgspec.field(default_factory=list)
    image_ablations: list[ModelImageAblation] = msgspec.field(default_factory=list)
    prompt_spreads: list[ModelPromptSpread] = msgspec.field(default_factory=list)
    blind_checks: list[SuiteBlindCheck] = msgspec.field(default_factory=list)
    blind_unchecked: list[str] = msgspec.field(default_factory=list)
    """Tests with too few questions for a blind check, and how many they have."""
    panels: list[PanelSection] = msgspec.field(default_factory=list)
    facet_values: dict[tuple[str, str, str], int] = msgspec.field(default_factory=dict)
    """By suite, test and facet how many values there are; rare ones have no scores."""
    published: dict[str, Published] = msgspec.field(default_factory=dict)
    """By suite the figures that a paper published and that describe the suite and its scores."""
    unshown: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """By suite which published figures do not describe it, and what they belong to: a line each."""
    failures: list[Failure] = msgspec.field(default_factory=list)
    images: list[FailureImage] = msgspec.field(default_factory=list)
    failure_counts: list[FailureCounts] = msgspec.field(default_factory=list)
    failed_tests: list[FailedTest] = msgspec.field(default_factory=list)
    lacking: list[ModelAnswered] = msgspec.field(default_factory=list)
    """Tests of which a model did not answer more than 1 % of the pairs."""
    unranked: list[str] = msgspec.field(default_factory=list)
    """What became of runs in which no pair was answered; they have no scores."""
    warnings: list[str] = msgspec.field(default_factory=list)
    """Which runs have no answer to more than 1 % of a test."""
    sampled: list[str] = msgspec.field(default_factory=list)
    """Which runs asked a part in random order, and what their intervals are."""
    odd_answers: list[str] = msgspec.field(default_factory=list)
    """Which runs have answers that are mostly unparsed, off the list or all alike."""
    notes: list[str] = msgspec.field(default_factory=list)
