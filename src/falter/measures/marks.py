"""What a signature says of the way in which a model was asked."""

from __future__ import annotations

from falter.runs import RunManifest

__all__ = ["marks_of"]


def marks_of(manifest: RunManifest) -> tuple[str, ...]:
    """The model's rule, its prompt, and what became of the pictures; nothing of what is as always.

    A rule such as ``lm:mean,bos:on`` makes the parts ``lm:mean`` and ``bos:on``.
    """
    model = manifest.model
    rule = [] if model.rule is None else [part.strip() for part in model.rule.split(",") if part.strip()]
    image = manifest.settings.get("image")
    return (
        *(_plain(part) for part in rule),
        *([f"prompt:{_plain(model.prompt_fingerprint)}"] if model.prompt_fingerprint is not None else []),
        *([f"image:{_plain(str(image))}"] if image is not None else []),
    )


def _plain(text: str) -> str:
    """A name that cannot be taken for two parts."""
    return text.replace("%", "%25").replace("|", "%7C")
