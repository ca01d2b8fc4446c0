"""Images as they reach the server."""

from __future__ import annotations

import base64
import hashlib
import io
from pathlib import Path

import pytest
from PIL import Image

from falter.data.model import PermanentError
from falter.evaluation.models.openai import messages as image_data
from falter.evaluation.models.openai.messages import data_uri
from falter.evaluation.models.token_costs import choose_image_tokens


def written(folder: Path, form: str, name: str = "image.dat", size: tuple[int, int] = (20, 10)) -> Path:
    path = folder / name
    Image.new("RGB", size, (10, 200, 30)).save(path, form)
    return path


def decoded(uri: str) -> tuple[str, bytes]:
    head, _, data = uri.partition(",")
    return head, base64.b64decode(data)


@pytest.mark.parametrize(
    ("form", "mime"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif"), ("WEBP", "image/webp")]
)
def test_the_files_own_bytes_by_what_they_are_and_not_by_their_name(tmp_path: Path, form: str, mime: str) -> None:
    path = written(tmp_path, form, "image.jpg")
    head, data = decoded(data_uri(path, hashlib.sha256(path.read_bytes()).hexdigest()))
    assert head == f"data:{mime};base64"
    assert data == path.read_bytes()


def test_other_formats_are_written_anew_without_loss(tmp_path: Path) -> None:
    head, data = decoded(data_uri(written(tmp_path, "BMP")))
    assert head == "data:image/png;base64"
    assert Image.open(io.BytesIO(data)).getpixel((3, 3)) == (10, 200, 30)


def test_a_file_past_the_limit_is_made_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_data, "MAX_BYTES", 1000)
    noise = Image.effect_noise((3000, 100), 80)
    noise.save(tmp_path / "large.png")
    head, data = decoded(data_uri(tmp_path / "large.png"))
    assert head == "data:image/jpeg;base64"
    assert max(Image.open(io.BytesIO(data)).size) == 2048


def test_what_cannot_be_sent_is_a_failure_of_the_item(tmp_path: Path) -> None:
    (tmp_path / "no.png").write_bytes(b"nothing like an image")
    for path, sha256 in [
        (tmp_path / "gone.png", None),
        (tmp_path / "no.png", None),
        (written(tmp_path, "PNG"), "0" * 64),
    ]:
        with pytest.raises(PermanentError):
            data_uri(path, sha256)


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, "PNG")
    before = data_uri(path)
    written(tmp_path, "PNG", size=(33, 44))
    assert data_uri(path) != before


def test_tokens_by_the_size_of_the_file(tmp_path: Path) -> None:
    tiles = choose_image_tokens("gpt-4o", None)
    assert tiles.count(None) == 0
    assert tiles.count(written(tmp_path, "PNG", "a", (500, 300))) == 85 + 170
    assert tiles.count(written(tmp_path, "PNG", "c", (2048, 4096))) == 85 + 170 * 6
    (tmp_path / "broken").write_bytes(b"no image")
    assert tiles.count(tmp_path / "broken") == 85 + 170 * 4, "never nothing"
