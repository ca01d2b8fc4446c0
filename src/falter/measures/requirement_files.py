"""Files of requirements: a YAML list of them, with the baseline and what may be missing."""

from __future__ import annotations

from pathlib import Path

import msgspec

from falter.errors import InputError, UsageError
from falter.files import read_yaml
from falter.measures.requirements import Requirement, parse_requirement, parse_share

__all__ = ["RequirementFile", "read_requirements"]

_HINT = "write a list under require:, such as - carets.negation.c_acc >= 60%"


class RequirementFile(msgspec.Struct, frozen=True):
    """The requirements of a file; None where it says nothing of the baseline or of what may be missing."""

    requirements: tuple[Requirement, ...]
    baseline: Path | None = None
    allow_missing: float | None = None


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    require: list[str]
    baseline: str | None = None
    allow_missing: str | float | None = None


def read_requirements(path: Path) -> RequirementFile:
    """Read a file of requirements; the folder of a baseline is relative to it."""
    written = read_yaml(path, _Written, what="a file of requirements", hint=_HINT)
    if not written.require:
        raise InputError(path, "requires nothing", hint=_HINT)
    requirements = []
    for number, text in enumerate(written.require, start=1):
        try:
            requirements.append(parse_requirement(text))
        except UsageError as error:
            raise InputError(path, str(error), record=f"requirement {number}") from None
    allowed = written.allow_missing
    try:
        share = None if allowed is None else parse_share(str(allowed), "allow_missing")
    except UsageError as error:
        raise InputError(path, str(error)) from None
    baseline = None if written.baseline is None else path.parent / written.baseline
    return RequirementFile(tuple(requirements), baseline, share)
