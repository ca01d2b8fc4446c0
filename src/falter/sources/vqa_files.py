"""Which files of a folder are the questions and annotations of VQA, or of VQA-CP."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from falter.errors import InputError

__all__ = ["VqaFiles", "find_vqa_cp_files", "find_vqa_files"]

_OTHER_DATA_SETS = (
    "_balanced_questions", "_all_questions", "submission_questions", "challenge_questions",
    "vqacp_", "yes-no_from_", "valrep",
)  # fmt: skip
"""Files of GQA, VQA-CP, YesNoVQA and VQA-Rephrasings may be in the same folder."""


class VqaFiles(NamedTuple):
    """Files that belong together."""

    questions: list[Path]
    annotations: list[Path]


def find_vqa_files(folder: Path) -> VqaFiles:
    """The files of VQA v1 or v2. Where the questions are there in both forms, the open-ended ones are taken."""
    found = _find(folder, "questions")
    names = {path.name for path in found}
    questions = [
        path
        for path in found
        if "MultipleChoice" not in path.name or path.name.replace("MultipleChoice", "OpenEnded") not in names
    ]
    _refuse_two_versions(folder, questions, "v2_", ("OpenEnded_", "MultipleChoice_"), "vqa")
    return VqaFiles(questions, _find(folder, "annotations"))


def find_vqa_cp_files(folder: Path) -> VqaFiles:
    """The files of VQA-CP v1 or v2."""
    questions = sorted(folder.glob("vqacp_*questions*.json"))
    _refuse_two_versions(folder, questions, "vqacp_v2_", ("vqacp_v1_",), "vqa-cp")
    return VqaFiles(questions, sorted(folder.glob("vqacp_*annotations*.json")))


def _find(folder: Path, key: str) -> list[Path]:
    found = sorted(folder.glob(f"*{key}*.json"))
    return [path for path in found if not any(part in path.name for part in _OTHER_DATA_SETS)]


def _refuse_two_versions(folder: Path, found: Sequence[Path], second: str, first: tuple[str, ...], name: str) -> None:
    """Both versions number their questions alike."""
    names = [path.name for path in found]
    if any(one.startswith(second) for one in names) and any(one.startswith(first) for one in names):
        hint = f"name one: {name}:questions=FILE,annotations=FILE"
        raise InputError(folder, "holds questions of version 1 and of version 2", hint=hint)
