"""Making the views of the visual test: pictures with all but the foreground hidden."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from falter.errors import InputError
from falter.files import sha256_of_bytes
from falter.images.obfuscation import OBFUSCATIONS, Obfuscation, obfuscate
from falter.probes import ImageRef, Probe
from falter.scene import Box

__all__ = ["PendingProbe", "render_obfuscations"]

_VIEWS: dict[str, Obfuscation] = {view: view for view in OBFUSCATIONS}


class PendingProbe(NamedTuple):
    """A probe whose variants still show the original picture, and what each should show instead."""

    probe: Probe
    boxes: list[Box]
    picture: Path
    mean_color: tuple[int, int, int]
    image_dir: Path


def render_obfuscations(_: None, draft: PendingProbe) -> Probe | str:
    """Make the pictures of a draft and put them into its items; or say why it cannot be done."""
    views = [_VIEWS[item.facets["obfuscation"]] for item in draft.probe.variants]
    try:
        made = obfuscate(draft.picture, draft.boxes, views, mean_color=draft.mean_color)
    except InputError as error:
        return error.problem
    items = [draft.probe.original]
    for item, view in zip(draft.probe.variants, views, strict=True):
        digest = sha256_of_bytes(made[view])
        path = draft.image_dir / f"{draft.picture.stem}-{digest[:16]}.jpg"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(made[view])
        items.append(item.change(image=ImageRef(item.image_id, path, digest)))
    return Probe(tuple(items))
