"""Renders a composed scene to pixels."""

from __future__ import annotations

import io

from PIL import Image

from falter.world.compose import WorldScene
from falter.world.drawing import Canvas, draw, draw_background, draw_dressed

__all__ = ["render", "render_jpeg"]


def render(scene: WorldScene) -> Image.Image:
    """Draw the image of a scene."""
    canvas = Canvas()
    draw_background(canvas, scene.background, scene.background_seed)
    for index, appearance in enumerate(scene.appearances):
        if index in scene.wearers:
            continue
        worn = [scene.appearances[item] for item, wearer in scene.wearers.items() if wearer == index]
        if worn:
            draw_dressed(canvas, appearance, worn)
        else:
            draw(canvas, appearance)
    return canvas.finish()


def render_jpeg(scene: WorldScene) -> bytes:
    """Draw the image of a scene and encode it as JPEG."""
    stream = io.BytesIO()
    render(scene).save(stream, "JPEG", quality=90, subsampling=0, optimize=False)
    return stream.getvalue()
