"""Opening an item's picture without letting a broken or enormous file take the process down."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from falter.files import sha256_of_bytes
from falter.models.failures import PermanentFailure
from falter.models.request import Request

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["MAX_PIXELS", "grey_picture", "load_picture"]

MAX_PIXELS = 50_000_000
"""Larger pictures are refused by what their header says, before a pixel is decoded."""

_MAX_BYTES = 200_000_000


def grey_picture() -> Image:
    """A picture of nothing, to try a model out with."""
    from PIL import Image

    return Image.new("RGB", (64, 48), (128, 128, 128))


def load_picture(request: Request, *, max_pixels: int = MAX_PIXELS, shrink_to: tuple[int, int] | None = None) -> Image:
    """The picture of a request in RGB; whatever is wrong with it becomes a :class:`PermanentFailure`.

    ``shrink_to`` lets the decoder of JPEG skip work when only a small picture is needed; the result is not smaller
    than that.
    """
    from PIL import Image, UnidentifiedImageError

    path = request.image
    if path is None:
        raise PermanentFailure(f"there is no picture for image {request.image_id}")
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise PermanentFailure(f"{path.name} is larger than {_MAX_BYTES // 1_000_000} MB")
        data = path.read_bytes()
    except OSError as error:
        raise PermanentFailure(f"{path.name} cannot be read: {error.strerror}") from error
    if request.image_sha256 is not None and sha256_of_bytes(data) != request.image_sha256:
        raise PermanentFailure(f"{path.name} is not the picture the suite was made with (its bytes have changed)")
    try:
        with warnings.catch_warnings():
            # Pillow's own limit only warns at first; ours is checked on the next line.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data))
        if image.width * image.height > max_pixels:
            raise PermanentFailure(
                f"{path.name} has {image.width}x{image.height} pixels, more than the {max_pixels:,} that are decoded"
            )
        if shrink_to is not None:
            image.draft("RGB", shrink_to)
        return image.convert("RGB")
    except Image.DecompressionBombError as error:
        raise PermanentFailure(f"{path.name} has too many pixels to decode: {error}") from error
    except UnidentifiedImageError as error:
        raise PermanentFailure(f"{path.name} is not a picture that can be read") from error
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, IndexError) as error:
        # Pillow's decoders raise all of these on damaged files.
        raise PermanentFailure(f"{path.name} is damaged: {error}") from error
