"""Small copies of images, good and bad."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from pathlib import Path

from PIL import Image

from falter.core.files import sha256_of_file
from falter.data.thumbnails import data_uri, thumbnail


def _size(jpeg: bytes | None) -> tuple[int, int]:
    assert jpeg is not None
    with Image.open(io.BytesIO(jpeg)) as image:
        assert image.format in ("JPEG", "PNG")
        return image.size


def _png_header(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", len(header)) + b"IHDR" + header + struct.pack(">I", zlib.crc32(b"IHDR" + header))
    body = struct.pack(">I", 4) + b"IDAT" + b"\x00" * 4 + struct.pack(">I", zlib.crc32(b"IDAT" + b"\x00" * 4))
    return b"\x89PNG\r\n\x1a\n" + chunk + body


def test_the_longer_side_is_cut_to_320_pixels_and_small_images_stay(tmp_path: Path) -> None:
    Image.new("RGB", (1280, 640), "red").save(tmp_path / "wide.jpg")
    Image.new("RGB", (40, 30), "red").save(tmp_path / "small.png")
    assert _size(thumbnail(tmp_path / "wide.jpg").data) == (320, 160)
    assert _size(thumbnail(tmp_path / "small.png").data) == (40, 30)


def test_a_small_png_stays_one_and_a_large_one_does_not(tmp_path: Path) -> None:
    sharp = Image.new("RGB", (60, 40), "white")
    sharp.putpixel((30, 20), (255, 0, 0))
    sharp.save(tmp_path / "chart.png")
    Image.effect_noise((400, 300), 90).save(tmp_path / "photo.png")
    kept, made = (thumbnail(tmp_path / name).data for name in ("chart.png", "photo.png"))
    assert kept is not None and made is not None
    with Image.open(io.BytesIO(kept)) as image:
        assert (image.format, image.convert("RGB").tobytes()) == ("PNG", sharp.tobytes())
    assert data_uri(kept).startswith("data:image/png;") and data_uri(made).startswith("data:image/jpeg;")


def test_transparency_becomes_white_and_odd_modes_are_read(tmp_path: Path) -> None:
    Image.new("RGBA", (20, 20), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    for mode in ("L", "P", "1", "I;16", "CMYK"):
        name = tmp_path / f"{mode[0]}.{'jpg' if mode == 'CMYK' else 'png'}"
        Image.new(mode, (20, 20)).save(name)
        assert _size(thumbnail(name).data) == (20, 20)
    made = thumbnail(tmp_path / "clear.png").data
    assert made is not None
    with Image.open(io.BytesIO(made)) as image:
        assert image.getpixel((10, 10)) == (255, 255, 255)


def test_missing_and_corrupt_files_are_named_as_such(tmp_path: Path) -> None:
    Image.effect_noise((200, 200), 50).save(tmp_path / "whole.png")
    whole = (tmp_path / "whole.png").read_bytes()
    (tmp_path / "torn.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.jpg").write_text("<svg onload=alert(1)>")
    (tmp_path / "empty.jpg").write_bytes(b"")
    assert thumbnail(None).problem == "missing"
    assert thumbnail(tmp_path / "nothing.jpg").problem == "missing"
    assert thumbnail(tmp_path).problem == "missing"
    for name in ("torn.png", "text.jpg", "empty.jpg"):
        assert thumbnail(tmp_path / name).problem == "corrupt", name


def test_an_image_whose_bytes_have_changed_is_not_shown(tmp_path: Path) -> None:
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    sha256 = sha256_of_file(tmp_path / "a.png")
    assert thumbnail(tmp_path / "a.png", sha256=sha256).problem is None
    Image.new("RGB", (8, 8), "red").save(tmp_path / "a.png")
    assert thumbnail(tmp_path / "a.png", sha256=sha256).problem == "changed"


def test_huge_images_are_refused_by_their_header(tmp_path: Path) -> None:
    # The files hold no pixels at all: had they been decoded, they would have been called corrupt.
    for name, side in (("100-megapixels.png", 10_000), ("bomb.png", 60_000)):
        (tmp_path / name).write_bytes(_png_header(side, side))
        assert thumbnail(tmp_path / name).problem == "too large"


def test_a_data_uri_holds_the_bytes() -> None:
    prefix, _, encoded = data_uri(b"\xff\xd8jpeg").partition(",")
    assert prefix == "data:image/jpeg;base64"
    assert base64.b64decode(encoded) == b"\xff\xd8jpeg"
