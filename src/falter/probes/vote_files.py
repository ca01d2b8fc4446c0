"""Votes on pairs of a caption and a foil, read from CSV, JSON lines, JSON or Parquet."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from falter.errors import InputError
from falter.files import read_rows
from falter.probes.votes import Vote

__all__ = ["CATEGORIES", "read_vote_file"]

CATEGORIES = ("caption", "foil", "both", "neither", "cannot tell")
"""What an annotator may say of a pair: which of the two texts describes the image."""

_POSITIONS = {"first": True, "second": False}
_NAMES = {"unsure": "cannot tell", "cannot_tell": "cannot tell", "1": "first", "2": "second"}
_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_HINT = (
    "columns: probe_id, annotator, answer (caption, foil, both, neither, cannot tell; or first, second with "
    "caption_first), and if known seconds"
)


def read_vote_file(path: Path, probe_ids: Collection[str]) -> list[Vote]:
    """The votes of a file, one row each; every one must be about one of the probes, and no annotator votes twice.

    An answer of ``first`` or ``second`` becomes ``caption`` or ``foil`` by the column ``caption_first``.
    """
    votes: list[Vote] = []
    seen: set[tuple[str, str]] = set()
    for row in read_rows(path, hint=_HINT):
        if row.problem:
            raise InputError(path, row.problem, record=row.record, hint=_HINT)
        vote = _read(path, row.record, row.values)
        assert vote.probe_id is not None
        if vote.probe_id not in probe_ids:
            raise InputError(
                path,
                f"votes on {vote.probe_id!r:.80}, which is no pair of the suite",
                record=row.record,
                hint="give the suite that annotators saw; falter inspect shows its probe_id's",
            )
        if (vote.annotator, vote.probe_id) in seen:
            raise InputError(
                path,
                f"{vote.annotator!r:.60} votes on {vote.probe_id!r:.80} twice",
                record=row.record,
                hint="keep one of the two",
            )
        seen.add((vote.annotator, vote.probe_id))
        votes.append(vote)
    if not votes:
        raise InputError(path, "has no votes", hint=_HINT)
    return votes


def _read(path: Path, record: str, values: Mapping[str, Any]) -> Vote:
    for name in ("probe_id", "annotator", "answer"):
        if values.get(name) is None:
            raise InputError(path, f"has no {name}", record=record, hint=_HINT)
    first = _read_flag(path, record, values.get("caption_first"))
    seconds = values.get("seconds")
    try:
        taken = None if seconds is None else float(seconds)
    except (TypeError, ValueError) as error:
        raise InputError(path, f"has {seconds!r:.40} seconds", record=record, hint="give a number") from error
    return Vote(
        probe_id=str(values["probe_id"]),
        annotator=str(values["annotator"]),
        answer=_read_answer(path, record, str(values["answer"]), first),
        seconds=taken,
        caption_first=first,
    )


def _read_answer(path: Path, record: str, given: str, first: bool | None) -> str:
    name = given.strip().lower()
    name = _NAMES.get(name, name)
    if name in _POSITIONS:
        if first is None:
            raise InputError(path, f"says {given!r} and not which text that was", record=record, hint=_HINT)
        return "caption" if _POSITIONS[name] == first else "foil"
    if name not in CATEGORIES:
        raise InputError(path, f"has the answer {given!r:.60}", record=record, hint=_HINT)
    return name


def _read_flag(path: Path, record: str, given: Any) -> bool | None:
    if given is None or isinstance(given, bool):
        return given
    found = _YES_NO.get(str(given).strip().lower())
    if found is None:
        raise InputError(path, f"has caption_first {given!r:.40}", record=record, hint="give true or false")
    return found
