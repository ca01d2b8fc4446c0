"""Results: scores, comparisons, overlaps, prompt spreads and image ablations; and the signature of a score.

A signature says what was counted, by which rule, with which version."""

from __future__ import annotations

from typing import Literal

import msgspec

from falter.core.version import __version__
from falter.data.normalize import ANSWERS_VERSION
from falter.evaluation.answers import READER_VERSION
from falter.evaluation.measures.intervals import IntervalKind

NO_REPLIES = "no pair was answered"
"""The reason of a score that has no value because there is no reply."""

MOST_EXCLUDED = 0.01
"""Where a larger share of the pairs than this is excluded, scores say so and a requirement is not met."""


class Group(msgspec.Struct, frozen=True, order=True):
    """Which probes a score is about: a test of a suite, whole or where a facet has one value."""

    suite: str
    test: str
    facet: str | None = None
    value: str | None = None


class Estimate(msgspec.Struct, frozen=True):
    """A value with its 95 % interval over images and its count; None where there is nothing to measure."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """One measured value.

    ``value`` is None where there is nothing to measure (no pair was answered), never 0. ``low`` and ``high`` are the
    ends of the 95 % interval. ``n`` counts what the value is a mean over: pairs, items or sets.
    """

    measure: str
    group: Group
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    signature: str = ""
    reason: str | None = None
    """Why there is no value, where there is none."""
    se: float | None = None
    """The standard error, clustered by image."""
    images: int | None = None
    """How many images carry the score; a probe without an image is one of its own."""
    interval: IntervalKind | None = None
    """How the interval was found; ``none`` where there are too few images for one."""


class AnsweredPairs(msgspec.Struct, frozen=True, kw_only=True):
    """How many pairs of a group were answered, and why the others are excluded; a single question counts as a pair."""

    group: Group
    pairs: int
    failed: int = 0
    missing: int = 0
    unsupported: int = 0

    @property
    def excluded(self) -> int:
        """How many pairs are in no score."""
        return self.failed + self.missing + self.unsupported

    @property
    def answered(self) -> int:
        """How many pairs have both replies."""
        return self.pairs - self.excluded

    @property
    def lacks_answers(self) -> bool:
        """Whether more than 1 % of the pairs are excluded."""
        return self.excluded > MOST_EXCLUDED * self.pairs

    def __str__(self) -> str:
        """In words: ``carets:order 3 of 60 (2 failed, 1 missing)``."""
        facet = f" [{self.group.facet}={self.group.value}]" if self.group.facet is not None else ""
        counts = {"failed": self.failed, "missing": self.missing, "unsupported": self.unsupported}
        why = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        told = f"{self.group.suite}:{self.group.test}{facet} {self.excluded:,} of {self.pairs:,}"
        return f"{told} ({why})" if why else told


class SharedPairs(msgspec.Struct, frozen=True, kw_only=True):
    """How many pairs of a test every one of several runs answered: what these runs are compared over."""

    group: Group
    pairs: int
    shared: int
    runs: tuple[AnsweredPairs, ...]
    """What each of the runs answered."""
    reason: str | None = None
    """Why the test is not compared, where it is not."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of two runs over the pairs that both include.

    ``difference`` is the second minus the first, ``low`` and ``high`` its 95 % interval, paired by image; ``interval``
    is how it was found, ``none`` where there are too few images for one.
    ``only_first`` and ``only_second`` count the cases that one run alone got right: pairs (ACC: questions, each once;
    set measures: probes); ``p`` is McNemar's exact p-value from them, None where the measure is no share of cases, and
    ``p_holm`` is corrected over the whole table; totals over all tests are a table of their own. ``better`` names a run
    only if the interval excludes 0 and ``p_holm``, where there is one, is below 0.05; which run that is depends on
    whether a higher value is better.
    """

    measure: str
    group: Group
    first: float | None
    second: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    only_first: int | None = None
    only_second: int | None = None
    p: float | None = None
    p_holm: float | None = None
    better: Literal["first", "second"] | None = None
    signature: str = ""
    interval: IntervalKind | None = None


OverlapUnit = Literal["instances", "pairs"]


class Overlap(msgspec.Struct, frozen=True, kw_only=True):
    """How much of what the run ``given`` gets right the run ``run`` gets right as well (CARETS, Tables 13 to 17).

    The runs are numbered as they were given. ``over`` says what is counted: the two questions of every pair one by one,
    as ACC counts them, or pairs with both answers correct, as C-ACC does; of captions and foils, pairs whose caption
    scores strictly above its foil, as acc_r does, and nothing one by one. Only pairs that both runs include count.
    ``n`` is how much the given run gets right; where that is nothing, ``value`` is None.
    """

    group: Group
    over: OverlapUnit
    run: int = msgspec.field(name="covering")
    given: int = msgspec.field(name="covered")
    value: float | None
    n: int
    signature: str


class PromptSpread(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of a model under several prompts, over the pairs that are included under all of them.

    ``worst`` and ``best`` are the lowest and the highest score, ``range`` the distance between them, ``sd`` the
    standard deviation over prompts (n - 1). ``all_prompts`` is the share of pairs that are correct under every prompt,
    where a pair is correct or not (C-ACC, acc_r): what can be relied on whatever the prompt.
    """

    measure: str
    group: Group
    by_prompt: dict[str, float]
    worst_prompt: str
    worst: Estimate
    best: Estimate
    range: Estimate
    sd: Estimate
    all_prompts: Estimate | None = None
    n: int = 0
    signature: str = ""


class ImageAblation(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of a run and of the same run without its images, over the pairs that both include.

    ``retained`` is the ablated score over the one with images, ``low`` and ``high`` its 95 % interval (paired bootstrap
    over images): 1 means that the images add nothing. It is None where the score with images is 0. ``difference`` is
    the score with images minus the ablated one.
    """

    measure: str
    group: Group
    image: str
    """What was shown instead of the image: none, blank, shuffle."""
    with_image: float
    ablated: float
    retained: float | None
    low: float | None = None
    high: float | None = None
    difference: float = 0.0
    difference_low: float | None = None
    difference_high: float | None = None
    n: int = 0
    signature: str = ""


_RESAMPLES = 1000


def signature(
    group: Group,
    *,
    n: int,
    seed: int | None,
    vqa_rule: str = "vqa-v2",
    n_resamples: int = _RESAMPLES,
    parts: tuple[str, ...] = (),
) -> str:
    """The signature; ``seed`` is None for what is not drawn.

    >>> from falter.evaluation.measures.results import Group
    >>> signature(Group("carets", "rephrase"), n=19412, seed=0).replace(f"reader:{READER_VERSION}", "reader:R")
    'falter:0.2|carets:rephrase|rule:vqa-v2|answers:vqa-v2.2|reader:R|unparsed:wrong|n:19412|seed:0'
    """
    all_parts = [
        f"falter:{'.'.join(__version__.split('.')[:2])}",
        f"{_escape_name(group.suite)}:{_escape_name(group.test)}",
        *([f"{_escape_name(group.facet)}={_escape_name(group.value or '')}"] if group.facet is not None else []),
        f"rule:{vqa_rule}",
        f"answers:{ANSWERS_VERSION}",
        f"reader:{READER_VERSION}",
        "unparsed:wrong",
        *parts,
        f"n:{n}",
        *([f"seed:{seed}"] if seed is not None else []),
        *([f"draws:{n_resamples}"] if seed is not None and n_resamples != _RESAMPLES else []),
    ]
    return "|".join(all_parts)


def escape_part(text: str) -> str:
    """A text that cannot be taken for two parts."""
    return text.replace("%", "%25").replace("|", "%7C")


def _escape_name(text: str) -> str:
    return escape_part(text).replace(":", "%3A")
