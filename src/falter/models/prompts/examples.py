"""Few-shot examples that precede the question."""

from __future__ import annotations

from pathlib import Path

import msgspec

from falter.errors import InputError
from falter.files import is_regular, read_yaml
from falter.probes import Task

__all__ = ["FewShotExample", "read_examples"]


class FewShotExample(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question (or a caption) with the reply that is wanted; ``image`` is a file beside the YAML file."""

    text: str
    reply: str
    task: Task = "answer"
    choices: tuple[str, ...] | None = None
    image: str | None = None


def read_examples(path: Path) -> tuple[tuple[FewShotExample, Path | None], ...]:
    """The examples of a YAML list, each with the image's path where it has one."""
    hint = "each has text and reply, and may have task, choices, image"
    # Here yes and no are words, not booleans.
    examples = read_yaml(path, list[FewShotExample], what="a list of examples", hint=hint, plain_words=True)
    found: list[tuple[FewShotExample, Path | None]] = []
    for number, example in enumerate(examples):
        image = None if example.image is None else path.parent / example.image
        if image is not None and not is_regular(image):
            raise InputError(path, f"there is no image {example.image}", record=f"example {number}")
        found.append((example, image))
    return tuple(found)
