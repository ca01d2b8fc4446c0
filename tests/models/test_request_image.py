"""The image of a request: a bad file is a permanent failure of that request."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from falter.data.model import PermanentError, Request, load_image


def request_for(path: Path | None, sha256: str | None = None) -> Request:
    return Request(item_id="x", task="answer", text="?", image=path, image_id="7", image_sha256=sha256)


def test_bad_images_are_permanent_failures(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="no file for image 7"):
        load_image(request_for(None))
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    with pytest.raises(PermanentError, match="bytes have changed"):
        load_image(request_for(tmp_path / "a.png", "0" * 64))
    with pytest.raises(PermanentError, match="4x4 pixels"):
        load_image(request_for(tmp_path / "a.png"), max_pixels=15)
