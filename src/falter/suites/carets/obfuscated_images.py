"""Rendering the images of the visual test, with all but the foreground hidden."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from falter.errors import InputError
from falter.files import sha256_of_bytes
from falter.images.obfuscation import (
    OBFUSCATIONS,
    Obfuscation,
    enclosing_region,
    obfuscate,
    pixel_regions,
    visible_share,
)
from falter.probes import ImageRef, Probe
from falter.scene import Box, SceneGraph

__all__ = ["PendingProbe", "reason_to_leave_out", "render_obfuscations"]

_MOST_VISIBLE = 0.95
"""An image of which more stays visible is no test."""

_OBFUSCATIONS: dict[str, Obfuscation] = {name: name for name in OBFUSCATIONS}


class PendingProbe(NamedTuple):
    """A probe whose variants still show the original image, and what each should show instead."""

    probe: Probe
    boxes: list[Box]
    image: Path
    mean_color: tuple[int, int, int]
    image_dir: Path


def reason_to_leave_out(boxes: list[Box], graph: SceneGraph) -> str | None:
    """Why images with these boxes visible would be no test, or cannot be made; None where they can."""
    width, height = graph.width, graph.height
    if width < 1 or height < 1:
        return None  # The size is not annotated.
    if not boxes:
        return "the scene graph has no boxes"
    try:
        regions = pixel_regions(boxes, width, height)
    except InputError as error:
        return error.problem
    if visible_share(regions, width, height) >= _MOST_VISIBLE:
        return "95 % of the image or more would stay visible"
    if visible_share([enclosing_region(regions)], width, height) >= _MOST_VISIBLE:
        return "95 % of the image or more would be left after cropping"
    return None


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
