"""Images are found by id or name, checked and hashed once each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

import falter
from falter.core.files import sha256_of_file
from falter.data.images import NO_IMAGE_FILE, ImageFile, ImageLocator, SourceImages, check_image


def draw(path: Path, color: str = "red") -> ImageFile:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4), color).save(path)
    return ImageFile(path, sha256_of_file(path))


class Folder:
    """A source of images alone, which counts how often each is asked for."""

    def __init__(self, paths: dict[str, Path | None]) -> None:
        self.paths = paths
        self.asked: Counter[str] = Counter()

    def image_ids(self) -> Sequence[str]:
        return list(self.paths)

    def image_path(self, image_id: str) -> Path | None:
        self.asked[image_id] += 1
        return self.paths.get(image_id)


def test_an_image_is_checked_and_hashed(tmp_path: Path) -> None:
    good = draw(tmp_path / "a.png")
    assert check_image(tmp_path / "a.png") == good
    (tmp_path / "b.png").write_bytes(b"no image")
    assert check_image(tmp_path / "b.png") is None
    assert check_image(tmp_path / "absent.png") is None


def test_a_source_with_some_images_lacks_the_others(tmp_path: Path) -> None:
    good = draw(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"no image")
    source = Folder({"a": tmp_path / "a.png", "b": tmp_path / "b.png", "c": None})
    images = SourceImages(source)
    assert [images.get(name) for name in "aabc"] == [good, good, None, None]
    assert source.asked["b"] == 1


def test_a_source_without_images_has_none_to_lack() -> None:
    assert SourceImages(Folder({"a": None, "b": None})).get("a") == NO_IMAGE_FILE


def test_images_are_located_by_id(tmp_path: Path) -> None:
    jpg, png = draw(tmp_path / "folder" / "1.jpg"), draw(tmp_path / "folder" / "2.png")
    draw(tmp_path / "folder" / "1.png")
    draw(tmp_path / "outside.png")
    draw(tmp_path / "folder" / "deep" / "3.png")
    (tmp_path / "folder" / "4.png").write_bytes(b"no image")
    locator = ImageLocator(tmp_path / "folder")
    assert [locator.find(image_id) for image_id in ("1", "2")] == [jpg, png]
    assert {locator.find(image_id) for image_id in ("3", "4", "5", "../outside", "")} == {NO_IMAGE_FILE}


def test_images_are_located_by_name_at_any_depth(tmp_path: Path) -> None:
    first, second = draw(tmp_path / "a" / "deep" / "x.jpg"), draw(tmp_path / "b" / "y.jpg", "blue")
    draw(tmp_path / "b" / "x.jpg", "green")
    try:
        (tmp_path / "b" / "loop").symlink_to(tmp_path, target_is_directory=True)
    except OSError:
        pytest.skip("this system has no links")
    locator = ImageLocator(tmp_path, lambda image_id: (f"{image_id}.png", f"{image_id}.jpg"))
    assert [locator.find(image_id) for image_id in ("x", "y", "z")] == [first, second, NO_IMAGE_FILE]


def test_image_files_are_opened_in_one_module() -> None:
    root = Path(falter.__file__).parent
    opening = {path.relative_to(root).as_posix() for path in root.rglob("*.py") if "Image.open(" in path.read_text()}
    assert opening == {"data/images.py"}
