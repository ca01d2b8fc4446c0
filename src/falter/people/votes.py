"""The answers of a study as votes on its suite."""

from __future__ import annotations

from collections.abc import Iterable

from falter.people.judgements import PersonJudgement
from falter.probes import Vote

__all__ = ["make_votes"]


def make_votes(judgements: Iterable[PersonJudgement]) -> list[Vote]:
    """A vote for each judgement: on the item that was shown, or on the probe where a pair was."""
    votes = []
    for one in judgements:
        question = one.question
        # The answer of a vote on a caption and its foil says by itself what it confirms.
        plain = question.item_id is None and question.expected == "caption"
        votes.append(
            Vote(
                annotator=one.annotator,
                answer=one.answer,
                item_id=question.item_id,
                probe_id=None if question.item_id is not None else question.probe_id,
                seconds=one.seconds,
                caption_first=question.original_first if question.second is not None else None,
                confirms=None if plain else one.confirms,
            )
        )
    return sorted(votes, key=lambda vote: (vote.probe_id or "", vote.item_id or "", vote.annotator))
