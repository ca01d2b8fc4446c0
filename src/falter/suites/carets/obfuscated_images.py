"""Making the views of the visual test: pictures with all but the foreground hidden."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.errors import InputError
from falter.files import sha256_of_bytes
from falter.images.obfuscation import OBFUSCATIONS, Obfuscation, obfuscate
from falter.probes import Item, Probe, item_id_of
from falter.scene import Box

__all__ = ["Draft", "develop"]

_VIEWS: dict[str, Obfuscation] = {view: view for view in OBFUSCATIONS}


class Draft(NamedTuple):
    """A probe whose variants still show the original picture, and what each should show instead."""

    probe: Probe
    boxes: list[Box]
    picture: Path
    mean_colour: tuple[int, int, int]
    studio: Path


def develop(draft: Draft) -> Probe | str:
    """Make the pictures of a draft and put them into its items; or say why it cannot be done."""
    views = [_VIEWS[item.facets["obfuscation"]] for item in draft.probe.variants]
    try:
        made = obfuscate(draft.picture, draft.boxes, views, mean_colour=draft.mean_colour)
    except InputError as error:
        return error.problem
    items = [draft.probe.original]
    for item, view in zip(draft.probe.variants, views, strict=True):
        digest = sha256_of_bytes(made[view])
        path = draft.studio / f"{draft.picture.stem}-{digest[:16]}.jpg"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(made[view])
        items.append(_shown(item, path, digest))
    return Probe(tuple(items))


def _shown(item: Item, path: Path, digest: str) -> Item:
    return msgspec.structs.replace(
        item,
        image=str(path),
        image_sha256=digest,
        item_id=item_id_of(
            task=item.task, text=item.text, image_sha256=digest, image_id=item.image_id, choices=item.choices
        ),
    )
