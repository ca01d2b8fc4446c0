"""Worked examples that are shown to a model before the question."""

from __future__ import annotations

from pathlib import Path

import msgspec
import yaml

from falter.errors import InputError
from falter.probes import Task

__all__ = ["FewShotExample", "read_examples"]


class FewShotExample(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question (or a caption) with the reply that is wanted; ``image`` is a file beside the YAML file."""

    text: str
    reply: str
    task: Task = "answer"
    choices: tuple[str, ...] | None = None
    image: str | None = None


class _Words(yaml.SafeLoader):
    """Reads yes and no as the words that they are here, not as truth values."""


_Words.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_examples(path: Path) -> tuple[tuple[FewShotExample, Path | None], ...]:
    """The examples of a YAML list, each with the image's path where it has one."""
    try:
        # The loader is a safe one that knows fewer types.
        raw = yaml.load(path.read_text(encoding="utf-8"), Loader=_Words)
        examples = msgspec.convert(raw, list[FewShotExample])
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}", hint="give --few-shot a YAML file") from None
    except (yaml.YAMLError, UnicodeDecodeError, msgspec.ValidationError) as error:
        problem = " ".join(str(error).split())
        raise InputError(
            path,
            f"is no list of examples: {problem}",
            hint="each has text and reply, and may have task, choices, image",
        ) from None
    found: list[tuple[FewShotExample, Path | None]] = []
    for number, example in enumerate(examples):
        image = None if example.image is None else path.parent / example.image
        if image is not None and not image.is_file():
            raise InputError(path, f"there is no image {example.image}", record=f"example {number}")
        found.append((example, image))
    return tuple(found)
