"""What a signature says of the way in which a model was asked."""

from __future__ import annotations

from collections.abc import Collection

from falter.runs import RunManifest

__all__ = ["marks_of"]

_TASK_OF_PART = {"decide": "answer", "match": "match"}
"""Parts of a rule that are about one task alone, by their names."""


def marks_of(manifest: RunManifest, tasks: Collection[str]) -> tuple[str, ...]:
    """The model's rule, its prompt, and what became of the pictures, as far as they bear on the tasks.

    A rule such as ``lm:mean,bos:on`` makes the parts ``lm:mean`` and ``bos:on``. How a model decides between answers
    says nothing of captions, and a prompt that is only put around questions is not named with them.
    """
    model = manifest.model
    rule = [] if model.rule is None else [part.strip() for part in model.rule.split(",") if part.strip()]
    image = manifest.settings.get("image")
    prompt = model.prompt_fingerprint
    if model.prompted is not None and not set(model.prompted) & set(tasks):
        prompt = None
    return (
        *(_plain(part) for part in rule if _TASK_OF_PART.get(part.partition(":")[0]) in (None, *tasks)),
        *([f"prompt:{_plain(prompt)}"] if prompt is not None else []),
        *([f"image:{_plain(str(image))}"] if image is not None else []),
    )


def _plain(text: str) -> str:
    """A name that cannot be taken for two parts."""
    return text.replace("%", "%25").replace("|", "%7C")
