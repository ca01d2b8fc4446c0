"""Pictures that are missing, broken, changed or enormous are failures of one item, never of the process."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from falter.files import sha256_of_bytes
from falter.models import PermanentFailure, Request, load_picture


def request_for(path: Path | None, sha256: str | None = None) -> Request:
    return Request(item_id="x", task="answer", text="?", image=path, image_id="7", image_sha256=sha256)


def png_header_of(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )


def test_a_good_picture_is_rgb(tmp_path: Path) -> None:
    path = tmp_path / "good.png"
    Image.new("RGBA", (12, 9), (10, 20, 30, 255)).save(path)
    image = load_picture(request_for(path, sha256_of_bytes(path.read_bytes())))
    assert (image.mode, image.size, image.getpixel((3, 3))) == ("RGB", (12, 9), (10, 20, 30))


@pytest.mark.parametrize(
    ("size", "said"), [((10_000, 10_000), "10000x10000 pixels"), ((60_000, 60_000), "too many pixels|60000x60000")]
)
def test_a_hundred_megapixels_are_refused_by_the_header(tmp_path: Path, size: tuple[int, int], said: str) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png_header_of(*size))
    with pytest.raises(PermanentFailure, match=said):
        load_picture(request_for(path))


def test_broken_pictures(tmp_path: Path) -> None:
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
        with pytest.raises(PermanentFailure, match=name):
            load_picture(request_for(tmp_path / name))


def test_missing_and_changed_pictures(tmp_path: Path) -> None:
    with pytest.raises(PermanentFailure, match="no picture for image 7"):
        load_picture(request_for(None))
    with pytest.raises(PermanentFailure, match=r"gone\.png cannot be read"):
        load_picture(request_for(tmp_path / "gone.png"))
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    with pytest.raises(PermanentFailure, match="bytes have changed"):
        load_picture(request_for(tmp_path / "a.png", "0" * 64))
