"""Painting a composed scene."""

from __future__ import annotations

import io

from PIL import Image

from falter.world.compose import WorldScene
from falter.world.drawing import Canvas, draw, draw_background, draw_dressed

__all__ = ["jpeg_of", "render"]


def render(scene: WorldScene) -> Image.Image:
    """The picture of a scene."""
    canvas = Canvas()
    draw_background(canvas, scene.background, scene.background_seed)
    for place, look in enumerate(scene.looks):
        if place in scene.wearers:
            continue
        worn = [scene.looks[item] for item, wearer in scene.wearers.items() if wearer == place]
        if worn:
            draw_dressed(canvas, look, worn)
        else:
            draw(canvas, look)
    return canvas.finish()


def jpeg_of(scene: WorldScene) -> bytes:
    """The picture of a scene as a JPEG file."""
    stream = io.BytesIO()
    render(scene).save(stream, "JPEG", quality=90, subsampling=0, optimize=False)
    return stream.getvalue()
