"""Writing a suite with the votes on its pairs, which are marked as valid and unanimous."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.errors import InputError
from falter.inspection.blind_sample import is_pair
from falter.inspection.debias import PairSubset
from falter.inspection.subsample import check_target, write_subsample
from falter.inspection.validation import (
    PairVerdict,
    ValidatedTest,
    screen_annotators,
    validate_pairs,
    verdicts,
)
from falter.probes import Probe, Suite
from falter.probes.vote_files import read_vote_file

__all__ = ["MarkedVotes", "mark_votes"]


class MarkedVotes(NamedTuple):
    """What the votes say by test, and by annotator who was screened out the share of captions chosen."""

    tests: list[ValidatedTest]
    screened: dict[str, float]


def mark_votes(
    suite: Suite,
    file: Path,
    out: Path,
    *,
    screen: float = 0.7,
    subset: PairSubset = "all",
    overwrite: bool = False,
) -> MarkedVotes:
    """Write the suite with ``votes.parquet`` and the facets ``valid`` and ``unanimous`` of pairs that have votes.

    Annotators who choose the caption in less than ``screen`` of their votes do not count, and their votes are not
    written. ``subset`` leaves out pairs that annotators did not confirm. Pairs without votes keep the facets they have.
    """
    check_target(suite, out, overwrite=overwrite)
    pairs = {probe.probe_id for probe in suite.probes() if is_pair(probe)}
    if not pairs:
        raise InputError(suite.folder, "has no captions and foils", hint="give a suite of pairs, such as VALSE's")
    counted = screen_annotators(read_vote_file(file, pairs), screen)
    found = verdicts(counted.votes)
    tests = validate_pairs(suite, counted.votes)

    def is_kept(probe: Probe) -> bool:
        return subset == "all" or not is_pair(probe) or _mark(probe, found).original.facets.get(subset) == "yes"

    summary: dict[str, Any] = {one.test: msgspec.to_builtins(one) for one in tests}
    write_subsample(
        suite,
        out,
        is_kept,
        change=lambda probe: _mark(probe, found),
        votes=counted.votes,
        made_by="falter votes",
        parameters={"screen": screen, "subset": subset, "file": file.name},
        counts={"votes": summary, "screened_annotators": len(counted.out)},
        overwrite=overwrite,
    )
    return MarkedVotes(tests, counted.out)


def _mark(probe: Probe, found: dict[str, PairVerdict]) -> Probe:
    verdict = found.get(probe.probe_id)
    if verdict is None:
        return probe
    flags = {"valid": "yes" if verdict.valid else "no", "unanimous": "yes" if verdict.unanimous else "no"}
    return Probe(tuple(msgspec.structs.replace(item, facets={**item.facets, **flags}) for item in probe.items))
