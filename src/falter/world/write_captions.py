"""Writes captions in COCO's format, and with their foils in that of FOIL it!."""

from __future__ import annotations

from typing import Any, NamedTuple

from falter.world.captions import caption_scene, foil_noun
from falter.world.compose import WorldScene

__all__ = ["CaptionRecords", "caption_records"]

_ORIGINAL = "ORIG"
"""What FOIL it! gives as words of a caption that is no foil."""


class CaptionRecords(NamedTuple):
    """The annotations of one scene for either file."""

    captions: list[dict[str, Any]]
    foils: list[dict[str, Any]]


def caption_records(scene: WorldScene, seed: int) -> CaptionRecords:
    """The captions of a scene, each with a foil where there is one."""
    image = int(scene.image_id)
    records = CaptionRecords([], [])
    for index, caption in enumerate(caption_scene(scene, seed)):
        number = image * 10 + index
        record = {"image_id": image, "id": number, "caption": caption.text}
        records.captions.append(record)
        foil = foil_noun(caption, scene, seed)
        if foil is not None:
            words = {"target_word": _ORIGINAL, "foil_word": _ORIGINAL}
            records.foils.append({**record, **words, "foil": False, "foil_id": number * 10})
            words = {"target_word": foil.word, "foil_word": foil.foil_word}
            records.foils.append({**record, **words, "caption": foil.text, "foil": True, "foil_id": number * 10 + 1})
    return records
