"""Requirements: what a run must meet, and when it may stop early.

They are texts or files, or hold a run against a baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from falter.api.paths import PathOrStr, RunLike, as_run
from falter.core.errors import UsageError

if TYPE_CHECKING:
    from falter.data.run_options import RunOptions
    from falter.data.suite import Suite
    from falter.evaluation.engine import StoppingRule
    from falter.evaluation.measures.requirements import Requirement
    from falter.evaluation.runs import Run, RunSettings, UntilSettings


class Wanted(NamedTuple):
    """Requirements, with the baseline and the share that may be missing; None where nothing is said of them."""

    requirements: list[Requirement]
    baseline: RunLike | None
    allow_missing: float | None


def read_wanted(
    given: PathOrStr | Sequence[PathOrStr], baseline: RunLike | None = None, allow_missing: float | str | None = None
) -> Wanted:
    """Requirements given as texts and as YAML files; what is given besides takes the place of what a file says."""
    from falter.evaluation.measures.requirements import parse_requirement, parse_share, read_requirements

    wanted: list[Requirement] = []
    share = None if allow_missing is None else parse_share(str(allow_missing), "--allow-missing")
    for one in [given] if isinstance(given, str | PathLike) else given:
        if isinstance(one, str) and not _is_requirement_file(one):
            wanted.append(parse_requirement(one))
            continue
        file = read_requirements(Path(one))
        wanted += file.requirements
        baseline = file.baseline if baseline is None else baseline
        share = file.allow_missing if share is None else share
    return Wanted(wanted, baseline, share)


def _is_requirement_file(text: str) -> bool:
    """Whether a text names a file: a requirement has a comparison in it."""
    return text.endswith((".yaml", ".yml")) and not set(text) & set("<>=")


def parse_alpha(given: float | str) -> float:
    """A share such as 0.01 or 1%."""
    from falter.evaluation.measures.requirements import parse_share

    return parse_share(str(given), "--alpha")


def find_until(options: RunOptions) -> tuple[UntilSettings | None, list[Requirement], Run | None]:
    """When a run may stop early, by the requirements given; None where there are none."""
    from falter.evaluation.runs import UntilSettings

    baseline = options.baseline
    wanted = read_wanted(options.until, baseline, options.allow_missing)
    if not wanted.requirements:
        if baseline is not None:
            raise UsageError("--baseline is what requirements refer to; pass --until REQUIREMENT with it")
        return None, [], None
    if baseline is not None and not any(one.baseline for one in wanted.requirements):
        raise UsageError(
            "no requirement of --until refers to --baseline; write one such as 'SUITE.TEST.acc>=baseline-2%', or "
            "leave it out"
        )
    opened = None if wanted.baseline is None else as_run(wanted.baseline)
    replies = (
        None if opened is None else opened.manifest.files.get("replies.parquet", opened.manifest.model.fingerprint)
    )
    settings = UntilSettings(
        requirements=tuple(one.text for one in wanted.requirements),
        alpha=parse_alpha(options.alpha),
        look_every=options.look_every,
        baseline=replies if any(one.baseline for one in wanted.requirements) else None,
        **({} if wanted.allow_missing is None else {"allow_missing": wanted.allow_missing}),
    )
    return settings, wanted.requirements, opened


def stopping_rules(
    suite: Suite, settings: RunSettings, requirements: Sequence[Requirement], baseline: Run | None
) -> Callable[[], StoppingRule]:
    """Makes the rule of a run that may stop early, a new one for every run; what cannot be required is said now."""
    from falter.evaluation.runs.value_checks import SuiteGate

    until = settings.until
    assert until is not None

    def make() -> SuiteGate:
        return SuiteGate.from_settings(suite, requirements, until, seed=settings.seed, baseline=baseline)

    first = [make()]
    return lambda: first.pop() if first else make()
