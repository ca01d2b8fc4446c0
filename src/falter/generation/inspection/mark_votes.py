"""Writing a suite with the votes on its probes, which are marked as valid and unanimous."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.core.errors import InputError
from falter.data.blind_checks import is_pair
from falter.data.items import Probe
from falter.data.suite import Suite
from falter.data.validation import (
    PairVerdict,
    ValidatedTest,
    probe_verdict,
    screen_annotators,
    units_of_probe,
    validate_pairs,
    verdicts,
)
from falter.data.votes import Vote, read_vote_file
from falter.generation.inspection.debias import PairSubset, SubsampleRecord, check_target, write_subsample


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
    """Write the suite with the votes of a file on its captions and foils; see :func:`write_voted`."""
    check_target(suite, out, overwrite=overwrite, inputs=[file])
    pairs = {probe.probe_id for probe in suite.probes() if is_pair(probe)}
    if not pairs:
        raise InputError(suite.folder, "has no captions and foils", hint="give a suite of pairs, such as VALSE's")
    votes = read_vote_file(file, pairs)
    return write_voted(
        suite,
        votes,
        out,
        made_by="falter people votes",
        source=file.name,
        screen=screen,
        subset=subset,
        overwrite=overwrite,
        inputs=[file],
    )


def write_voted(
    suite: Suite,
    votes: Sequence[Vote],
    out: Path,
    *,
    made_by: str,
    source: str,
    screen: float = 0.0,
    subset: PairSubset = "all",
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
) -> MarkedVotes:
    """Write the suite with ``votes.parquet`` and the facets ``valid`` and ``unanimous`` of probes that have votes.

    Annotators who confirm less than ``screen`` of what they judge do not count, and their votes are not written.
    ``subset`` leaves out probes that annotators did not confirm. Probes without votes keep the facets they have.
    """
    counted = screen_annotators(votes, screen)
    found = verdicts(counted.votes)
    voted = {vote.probe_id or vote.item_id or "" for vote in counted.votes}
    tests = validate_pairs(suite, counted.votes)

    def mark(probe: Probe) -> Probe:
        return _mark(probe, probe_verdict(units_of_probe(probe), voted, found))

    over_pairs = all(vote.probe_id is not None for vote in counted.votes)

    def is_kept(probe: Probe) -> bool:
        if subset == "all" or (over_pairs and not is_pair(probe) and probe.probe_id not in voted):
            return True
        return mark(probe).original.facets.get(subset) == "yes"

    summary: dict[str, Any] = {one.test: msgspec.to_builtins(one) for one in tests}
    write_subsample(
        suite,
        out,
        is_kept,
        SubsampleRecord(
            made_by,
            parameters={"screen": screen, "subset": subset, "file": source},
            counts={"votes": summary, "screened_annotators": len(counted.out)},
        ),
        change=mark,
        votes=counted.votes,
        overwrite=overwrite,
        inputs=inputs,
    )
    return MarkedVotes(tests, counted.out)


def _mark(probe: Probe, verdict: PairVerdict | None) -> Probe:
    if verdict is None:
        return probe
    flags = {"valid": "yes" if verdict.valid else "no", "unanimous": "yes" if verdict.unanimous else "no"}
    return Probe(tuple(msgspec.structs.replace(item, facets={**item.facets, **flags}) for item in probe.items))
