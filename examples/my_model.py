"""A model in a few lines: ``falter run SUITE --model python:my_model:Brightness --out RUN``."""

from __future__ import annotations

from collections.abc import Sequence

from falter.extend import Capabilities, Request, load_image


class Brightness:
    """Says yes to bright images: it uses the image and understands nothing."""

    name = "brightness"
    capabilities = Capabilities(needs_image=True, batch_size=32)

    def reply(self, batch: Sequence[Request]) -> list[str]:
        return ["Yes, there is." if brightness_of(request) >= 195 else "No." for request in batch]


def brightness_of(request: Request) -> int:
    return load_image(request).convert("L").resize((1, 1)).tobytes()[0]
