"""Rendering the images of the visual test, with all but the foreground hidden."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from falter.errors import InputError
from falter.files import sha256_of_bytes
from falter.images.obfuscation import OBFUSCATIONS, Obfuscation, obfuscate
from falter.probes import ImageRef, Probe
from falter.scene import Box

__all__ = ["PendingProbe", "render_obfuscations"]

_OBFUSCATIONS: dict[str, Obfuscation] = {name: name for name in OBFUSCATIONS}


class PendingProbe(NamedTuple):
    """A probe whose variants still show the original image, and what each should show instead."""

    probe: Probe
    boxes: list[Box]
    image: Path
    mean_color: tuple[int, int, int]
    image_dir: Path


def render_obfuscations(_: None, pending: PendingProbe) -> Probe | str:
    """Render the images of a probe and put them into its items; or say why that is not possible."""
    names = [_OBFUSCATIONS[item.facets["obfuscation"]] for item in pending.probe.variants]
    try:
        rendered = obfuscate(pending.image, pending.boxes, names, mean_color=pending.mean_color)
    except InputError as error:
        return error.problem
    items = [pending.probe.original]
    for item, name in zip(pending.probe.variants, names, strict=True):
        digest = sha256_of_bytes(rendered[name])
        path = pending.image_dir / f"{pending.image.stem}-{digest[:16]}.jpg"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(rendered[name])
        items.append(item.change(image=ImageRef(item.image_id, path, digest)))
    return Probe(tuple(items))
