"""Images that are missing, broken, changed or enormous are errors of one image, never of the process."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from falter.core.files import sha256_of_bytes
from falter.data.images import ImageError, blank_image, blank_png, image_size, load_image


def png_header_of(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )


def test_a_good_image_is_rgb(tmp_path: Path) -> None:
    path = tmp_path / "good.png"
    Image.new("RGBA", (12, 9), (10, 20, 30, 255)).save(path)
    image = load_image(path, sha256=sha256_of_bytes(path.read_bytes()))
    assert (image.mode, image.size, image.getpixel((3, 3))) == ("RGB", (12, 9), (10, 20, 30))


@pytest.mark.parametrize(
    ("size", "said"), [((10_000, 10_000), "10000x10000 pixels"), ((60_000, 60_000), "too many pixels|60000x60000")]
)
def test_a_hundred_megapixels_are_refused_by_the_header(tmp_path: Path, size: tuple[int, int], said: str) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png_header_of(*size))
    with pytest.raises(ImageError, match=said):
        load_image(path)


def test_broken_images(tmp_path: Path) -> None:
    stream = io.BytesIO()
    Image.effect_noise((64, 64), 50).save(stream, "JPEG")
    whole = stream.getvalue()
    broken = {
        "empty.jpg": b"",
        "text.jpg": b"hello",
        "half.jpg": whole[: len(whole) // 2],
        "half.png": png_header_of(100, 100)[:-30],
    }
    for name, data in broken.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ImageError, match=name):
            load_image(tmp_path / name)
        assert image_size(tmp_path / name) == ((64, 64) if name == "half.jpg" else None)


def test_missing_and_changed_images(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="no file for image 7"):
        load_image(None, image_id="7")
    with pytest.raises(ImageError, match=r"gone\.png cannot be read"):
        load_image(tmp_path / "gone.png")
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    with pytest.raises(ImageError, match="bytes have changed"):
        load_image(tmp_path / "a.png", sha256="0" * 64)


def test_the_decoder_may_shrink_but_not_below_what_is_needed(tmp_path: Path) -> None:
    Image.new("RGB", (800, 600), "red").save(tmp_path / "large.jpg")
    image = load_image(tmp_path / "large.jpg", shrink_to=(100, 75))
    assert 100 <= image.width < 800
    assert 75 <= image.height < 600


def test_a_blank_image_is_one_gray() -> None:
    assert blank_image((7, 5)).getcolors() == [(35, (127, 127, 127))]
    decoded = Image.open(io.BytesIO(blank_png((7, 5))))
    assert (decoded.format, decoded.size, decoded.getcolors()) == ("PNG", (7, 5), [(35, (127, 127, 127))])
