"""Images that come inside the records of a release, as Hugging Face data sets hold them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from falter.authoring.importer import ImportContext
from falter.errors import InputError
from falter.probes import ImageRef

__all__ = ["is_image", "released_image"]

_ENDINGS = {b"\xff\xd8\xff": ".jpg", b"\x89PNG": ".png", b"RIFF": ".webp", b"GIF8": ".gif"}


def is_image(value: Any) -> bool:
    """Whether a field names an image, or holds one."""
    if isinstance(value, Mapping):
        return isinstance(value.get("bytes"), bytes) or isinstance(value.get("path"), str)
    return isinstance(value, str) and bool(value.strip())


def released_image(value: Any, image_id: str, context: ImportContext, path: Path) -> ImageRef:
    """The image of a field: its name, or the bytes in it, which are written into the suite once."""
    data = value.get("bytes") if isinstance(value, Mapping) else None
    if not isinstance(data, bytes):
        name = value if isinstance(value, str) else value["path"]
        return ImageRef(PurePosixPath(name).name)
    ending = next((ending for start, ending in _ENDINGS.items() if data.startswith(start)), None)
    if ending is None:
        raise InputError(path, f"the image {image_id} is neither JPEG, PNG, WebP nor GIF", hint="fetch the file again")
    target = context.image_dir / f"{image_id}{ending}"
    if not target.exists():
        context.image_dir.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return ImageRef.from_file(target, image_id)
