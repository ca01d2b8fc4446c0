"""How far annotators agree: Krippendorff's alpha over nominal categories."""

from __future__ import annotations

from collections.abc import Iterable

from falter.errors import UsageError
from falter.probes import Vote

__all__ = ["krippendorff_alpha"]


def krippendorff_alpha(votes: Iterable[Vote]) -> float | None:
    """Alpha over all annotators and pairs, by NLTK; None where no pair has two votes, or all votes are the same.

    1 is perfect agreement, 0 what chance gives. Where everyone gives one answer throughout, nothing could disagree.
    """
    try:
        from nltk.metrics.agreement import AnnotationTask
    except ImportError as error:
        raise UsageError("agreement needs the package nltk: pip install 'falter[nlp]'") from error

    by_pair: dict[str, list[Vote]] = {}
    for vote in votes:
        by_pair.setdefault(vote.probe_id or "", []).append(vote)
    rows = [
        (vote.annotator, pair, vote.answer)
        for pair, found in sorted(by_pair.items())
        if len(found) > 1
        for vote in sorted(found, key=lambda one: one.annotator)
    ]
    if len({answer for _, _, answer in rows}) < 2:
        return None
    return float(AnnotationTask(rows).alpha())
