"""Opens the image of a request; a bad file fails that request alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falter.images.load import MAX_PIXELS, ImageError
from falter.images.load import load_image as load_image_file
from falter.models.failures import PermanentError
from falter.models.request import Request

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["load_image"]


def load_image(request: Request, *, max_pixels: int = MAX_PIXELS, shrink_to: tuple[int, int] | None = None) -> Image:
    """Load the image of a request as RGB; whatever is wrong with it raises :class:`PermanentError`.

    ``shrink_to`` lets the JPEG decoder skip work where a small image is enough; the result is not smaller than that.
    """
    try:
        return load_image_file(
            request.image,
            sha256=request.image_sha256,
            image_id=request.image_id,
            max_pixels=max_pixels,
            shrink_to=shrink_to,
        )
    except ImageError as error:
        raise PermanentError(str(error)) from error
