"""Image files are opened in one place: named formats, regular files, sizes that can be decoded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import EpsImagePlugin, Image

import falter
from falter.core.errors import InputError
from falter.data.images import FORMATS, ImageError, check_image, image_size, load_image, open_image_file
from falter.data.items import ImageRef, Item, Probe
from falter.data.model import Capabilities, PermanentError, Reply, Request
from falter.data.suite import ImageFolders, open_suite
from falter.data.suite_writing import write_suite
from falter.data.thumbnails import thumbnail
from falter.evaluation.models.openai.messages import data_uri
from falter.suites.carets.obfuscation.decoding import open_image
from tests.images.test_load import png_header_of

EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\n(/etc/hostname) run showpage\n%%EOF\n"


def opens(path: Path) -> list[str]:
    """The names of the readers that make something of a file."""
    made = {"check_image": check_image(path), "image_size": image_size(path), "thumbnail": thumbnail(path).data}
    found = [name for name, value in made.items() if value is not None]
    for read, refusal in ((load_image, ImageError), (open_image, InputError), (data_uri, PermanentError)):
        try:
            read(path)  # type: ignore[operator]
        except refusal:
            continue
        found.append(read.__name__)
    return found


def test_an_eps_file_never_runs_ghostscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_args: object, **_more: object) -> None:
        raise AssertionError("Ghostscript was started")

    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", run)
    (tmp_path / "photo.jpg").write_bytes(EPS)
    assert opens(tmp_path / "photo.jpg") == []


@pytest.mark.parametrize("kind", FORMATS)
def test_the_named_formats_are_read_whatever_the_ending(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "image.dat"
    Image.new("RGB", (12, 9), (200, 10, 10)).save(path, kind)
    assert len(opens(path)) == 6


@pytest.mark.parametrize("kind", ["ICO", "TGA", "SGI", "DDS"])
def test_other_formats_are_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "image.jpg"
    Image.new("RGBA", (32, 32), (200, 10, 10, 255)).save(path, kind)
    assert opens(path) == []
    with pytest.raises(ImageError, match="JPEG, PNG, WebP, GIF, BMP, TIFF and PPM are"):
        open_image_file(path)


def test_pipes_devices_and_bombs_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "endless.jpg").symlink_to("/dev/zero")
    (tmp_path / "bomb.png").write_bytes(png_header_of(30_000, 30_000))
    with (tmp_path / "sparse.jpg").open("wb") as stream:
        stream.truncate(1 << 40)
    for name in ("pipe.jpg", "endless.jpg", "sparse.jpg"):
        assert opens(tmp_path / name) == []
    # A server is sent the bytes of a PNG as they are: it is not decoded here.
    assert opens(tmp_path / "bomb.png") == ["data_uri"]


def suite_with(tmp_path: Path, image: str) -> Path:
    """A suite whose items name a file, whatever it is."""
    folder = tmp_path / "suite"
    items = [
        Item.make(suite="mine", test="one", probe_id="p", variant=number, expects="same", text=text, gold="yes")
        for number, text in enumerate(("Is it red?", "Red, is it?"))
    ]
    write_suite([Probe(tuple(items))], folder, name="mine", overwrite=True)
    (folder / "images").mkdir(exist_ok=True)
    Image.new("RGB", (12, 9)).save(folder / "images" / "own.png")
    changed = [item.change(image=ImageRef("i", image)) for item in items]
    from falter.data.suite import SuiteManifest
    from falter.data.suite_writing import create_suite

    with create_suite(tmp_path / "made", SuiteManifest(name="mine"), overwrite=True) as writer:
        writer.add(Probe(tuple(changed)))
    for name in ("items.parquet", "suite.json"):
        (folder / name).write_bytes((tmp_path / "made" / name).read_bytes())
    return folder


def test_a_suite_reads_images_from_its_own_folder_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Image.new("RGB", (12, 9)).save(elsewhere / "secret.png")
    folder = suite_with(tmp_path, "images/own.png")
    (folder / "images" / "link.png").symlink_to(elsewhere / "secret.png")
    (folder / "images" / "folder").symlink_to(elsewhere)
    hostile = (
        *(str(elsewhere / "secret.png"), "../elsewhere/secret.png", "images/../../elsewhere/secret.png"),
        *("images/link.png", "images/folder/secret.png", "/etc/hostname", "a\0b"),
    )
    found = ImageFolders(folder)
    assert found.find("images/own.png") == folder / "images" / "own.png"
    assert [found.find(name) for name in hostile] == [None] * len(hostile)
    assert list(found.outside) == list(hostile)
    allowed = ImageFolders(folder, [elsewhere])
    assert all(allowed.find(name) is not None for name in hostile[:5])
    assert allowed.find("/etc/hostname") is None
    assert allowed.find("/moved/images/secret.png") == elsewhere / "secret.png"


def test_a_run_says_how_to_allow_images_elsewhere(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Image.new("RGB", (12, 9)).save(elsewhere / "photo.png")
    folder = suite_with(tmp_path, str(elsewhere / "photo.png"))

    class Sees:
        name, fingerprint = "sees", "1"
        capabilities = Capabilities(needs_image=True)

        def reply(self, batch: list[Request]) -> list[Reply]:
            return [Reply(item_id=one.item_id, text=str(load_image(one.image).width)) for one in batch]

    with pytest.raises(InputError, match=r"names 1 image outside the suite.*--image-dir DIR"):
        falter.run(folder, Sees(), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    run = falter.run(folder, Sees(), out=tmp_path / "run", image_dir=elsewhere)
    assert run.replies()["text"].to_list() == ["12", "12"]
    with pytest.raises(InputError, match="is outside the suite"):
        write_suite(open_suite(folder), tmp_path / "copy", name="mine")
    write_suite(open_suite(folder, image_dirs=[elsewhere]), tmp_path / "copy", name="mine")
