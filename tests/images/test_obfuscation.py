"""Images keep what is in the boxes and lose what is not, whatever file they come from."""

from __future__ import annotations

import io
import math
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
import simplejpeg
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

from falter.core.errors import InputError
from falter.generation.scene.graph import Box
from falter.suites.carets.obfuscation import (
    OBFUSCATIONS,
    Obfuscation,
    Region,
    dataset_mean_color,
    enclosing_region,
    pixel_regions,
)
from falter.suites.carets.obfuscation.blur import blur_background
from falter.suites.carets.obfuscation.decoding import decode_image, image_mean, open_image
from falter.suites.carets.obfuscation.obfuscate import SoftMask, obfuscate, soft_masks

BLURS: tuple[Obfuscation, ...] = ("blur-3", "blur-6", "blur-9")
Pixels = NDArray[np.uint8]


def photograph(width: int, height: int, seed: int = 0) -> Pixels:
    """Gradients, soft noise at several scales, fine grain and hard edges, in colour."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    image = np.stack([90 + 90 * x / width, 80 + 100 * y / height, 200 - 80 * x / width], axis=2)
    for scale, strength in ((40, 400), (8, 120), (2, 40)):
        noise = rng.normal(size=(height, width, 3))
        image += strength * gaussian_filter(noise, (scale / 2, scale / 2, 0))
    image += rng.normal(scale=6, size=image.shape)
    image[height // 3 : height // 2, width // 4 : width // 4 + 9] = (250, 250, 245)
    image[:, width // 2 : width // 2 + 40 : 3] = (10, 12, 20)
    image[-1:] = 255
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def as_png(pixels: Pixels) -> bytes:
    return saved(Image.fromarray(pixels), "PNG")


def saved(image: Image.Image, form: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def seen(data: bytes) -> NDArray[np.int64]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(np.int64)


def float_reference(pixels: Pixels, region_boxes: list[Box], sigma: float) -> NDArray[np.float64]:
    """Soft masking word for word, in floating point, with SciPy."""
    mask = np.zeros(pixels.shape[:2])
    for x, y, w, h in region_boxes:
        mask[int(y) : int(y + h), int(x) : int(x + w)] = 1
    soft = gaussian_filter(mask, sigma, mode="mirror", truncate=6)[:, :, None]
    blurred = gaussian_filter(pixels.astype(float), (sigma, sigma, 0), mode="mirror", truncate=6)
    return soft * pixels + (1 - soft) * blurred


@pytest.fixture(scope="module")
def pixels() -> Pixels:
    return photograph(500, 375)


def test_a_large_box_stays_as_it_is_away_from_its_edges(pixels: Pixels) -> None:
    box = Box(100, 80, 250, 220)
    made = obfuscate(as_png(pixels), [box], BLURS, quality=100)
    for name, sigma in zip(BLURS, (3, 6, 9), strict=True):
        inner = np.s_[80 + 4 * sigma : 300 - 4 * sigma, 100 + 4 * sigma : 350 - 4 * sigma]
        assert np.abs(seen(made[name])[inner] - pixels[inner]).max() <= 4
    for sigma, blurred in blur_background(pixels, [Region(100, 80, 350, 300)], [3, 6, 9]):
        reach = math.ceil(4 * sigma)
        inner = np.s_[80 + reach : 300 - reach, 100 + reach : 350 - reach]
        assert np.array_equal(blurred[inner], pixels[inner])


@pytest.mark.parametrize("size", [(500, 375), (499, 333), (128, 240), (77, 41)])
@pytest.mark.parametrize("exact", [False, True])
def test_soft_masking_is_close_to_floating_point(size: tuple[int, int], exact: bool) -> None:
    image = photograph(*size, seed=3)
    width, height = size
    boxes = [Box(5, 3, 34, 35), Box(width - 41, height - 36, 41, 36), Box(width // 2 - 10, 2, 33, 38)]
    regions = pixel_regions(boxes, width, height)
    for sigma, blurred in blur_background(image, regions, [3, 6, 9], exact=exact):
        error = np.abs(blurred - float_reference(image, boxes, sigma)).max()
        assert error <= (0.51 if exact else 1.5), (sigma, error)


@pytest.mark.parametrize("pattern", ["stripes", "pairs", "checks", "thirds", "rings", "frame", "noise"])
def test_fine_patterns_leave_no_trace(pattern: str) -> None:
    y, x = np.mgrid[0:211, 0:300]
    white = {
        "stripes": x % 2,
        "pairs": x // 2 % 2,
        "checks": (x + y) % 2,
        "thirds": x % 3 == 0,
        "rings": (x * x + y * y) // 700 % 2,
        "frame": (x == 299) | (y == 210) | (x == 0),
        "noise": np.random.default_rng(0).integers(0, 2, x.shape),
    }[pattern]
    image = np.repeat((white * 255).astype(np.uint8)[:, :, None], 3, axis=2)
    box = Box(0, 0, 32, 32)
    for sigma, blurred in blur_background(image, pixel_regions([box], 300, 211), [3, 6, 9]):
        error = np.abs(blurred - float_reference(image, [box], sigma))
        assert error[80:, 80:].max() <= 1.25
        assert error.max() <= 2


def test_images_smaller_than_the_blur_are_blurred_too() -> None:
    for width, height in ((1, 1), (3, 40), (40, 2), (20, 20)):
        image = photograph(width, height)
        made = obfuscate(as_png(image), [Box(0, 0, width, height)], OBFUSCATIONS)
        assert all(seen(data).shape == (height, width, 3) for data in made.values())
        # The one box is the whole image, so there is no background.
        kept = obfuscate(as_png(image), [Box(0, 0, width, height)], BLURS, quality=100)
        assert all(np.abs(seen(data) - image).max() <= 4 for data in kept.values())


def test_a_stronger_blur_leaves_less_detail(pixels: Pixels) -> None:
    made = obfuscate(as_png(pixels), [Box(20, 20, 60, 60)], BLURS)
    far = np.s_[150:, 150:]
    detail = [np.abs(np.diff(seen(data)[far], axis=1)).mean() for data in made.values()]
    original = np.abs(np.diff(pixels[far].astype(int), axis=1)).mean()
    assert original > 4 * detail[0] > 4 * detail[1] > 4 * detail[2]


def drawn(masks: list[SoftMask], width: int, height: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Masks put together, as fractions and as whole-number weights; no pixel may lie in two windows."""
    fractions, weights = np.zeros((height, width)), np.zeros((height, width))
    taken = np.zeros((height, width), dtype=bool)
    for mask in masks:
        left, top, right, bottom = mask.window
        place = np.s_[top:bottom, left:right]
        assert not taken[place].any()
        taken[place] = True
        fractions[place], weights[place] = mask.fractions(), mask.weights()
    return fractions, weights


regions_of_an_image = st.lists(
    st.tuples(st.integers(0, 128), st.integers(0, 88), st.integers(1, 90), st.integers(1, 90)).map(
        lambda values: Region(values[0], values[1], min(160, values[0] + values[2]), min(120, values[1] + values[3]))
    ),
    min_size=1,
    max_size=6,
)


@given(regions_of_an_image, st.sampled_from([1.5, 3.0, 6.0, 9.0]))
@settings(max_examples=60, deadline=None)
def test_the_soft_mask_is_the_blurred_union_of_all_regions(regions: list[Region], sigma: float) -> None:
    whole = np.zeros((120, 160))
    for left, top, right, bottom in regions:
        whole[top:bottom, left:right] = 1
    wanted = gaussian_filter(whole, sigma, mode="mirror", truncate=6)
    fractions, weights = drawn(soft_masks(regions, 160, 120, sigma), 160, 120)
    assert np.abs(fractions - wanted).max() < 1e-3
    assert np.abs(weights / 256 - wanted).max() < 0.003


def test_many_boxes_leave_no_seams() -> None:
    regions = [Region(50, top, 250, top + 40) for top in range(40, 200, 3)]
    _, weights = drawn(soft_masks(regions, 300, 300, 3.0), 300, 300)
    assert weights[60:200, 80:200].min() == 256 == weights.max()


def test_boxes_far_apart_have_small_windows_of_their_own() -> None:
    corners = [Region(0, 0, 40, 40), Region(400, 300, 460, 350), Region(20, 30, 70, 70)]
    masks = soft_masks(corners, 500, 375, 3.0)
    assert sorted(mask.window for mask in masks) == [Region(0, 0, 82, 82), Region(388, 288, 472, 362)]


def test_the_mask_has_the_mean_colour_and_the_boxes(pixels: Pixels) -> None:
    made = seen(
        obfuscate(as_png(pixels), [Box(96, 80, 160, 120)], ["mask"], mean_color=(12, 200, 90), quality=100)["mask"]
    )
    assert made.shape == pixels.shape
    inside = np.zeros(pixels.shape[:2], dtype=bool)
    inside[80:200, 96:256] = True
    # A JPEG's blocks of 8x8 pixels end at these edges, so no colour runs over.
    assert np.abs(made[~inside] - (12, 200, 90)).max() <= 2
    assert np.abs(made[inside] - pixels[inside]).max() <= 4


def test_the_crop_is_the_smallest_rectangle_with_all_boxes(pixels: Pixels) -> None:
    boxes = [Box(120, 60, 50, 40), Box(300, 200, 45.5, 70)]
    made = seen(obfuscate(as_png(pixels), boxes, ["crop"], quality=100)["crop"])
    assert made.shape == (210, 226, 3)
    assert np.abs(made - pixels[60:270, 120:346]).max() <= 4


def test_only_what_was_asked_for_is_made_and_in_that_order(pixels: Pixels) -> None:
    data = as_png(pixels)
    box = [Box(50, 50, 80, 80)]
    everything = obfuscate(data, box, OBFUSCATIONS)
    some = obfuscate(data, box, ["crop", "blur-9", "blur-3"])
    assert list(some) == ["crop", "blur-9", "blur-3"]
    assert all(some[name] == everything[name] for name in some)
    assert obfuscate(data, box, []) == {}


def test_the_same_input_gives_the_same_bytes(pixels: Pixels, tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    path.write_bytes(as_png(pixels))
    box = [Box(50.5, 50, 80, 80)]
    first = obfuscate(path, box, OBFUSCATIONS)
    before = cv2.getNumThreads()
    try:
        cv2.setNumThreads(4)
        assert obfuscate(path.read_bytes(), box, OBFUSCATIONS) == first
        assert cv2.getNumThreads() == 4
    finally:
        cv2.setNumThreads(before)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_boxes_refer_to_the_image_as_displayed(orientation: int) -> None:
    shown = np.full((120, 200, 3), 128, dtype=np.uint8)
    shown[20:60, 140:190] = (200, 40, 40)
    turns = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    image = Image.fromarray(shown)
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = image.transpose(turns[orientation]) if orientation in turns else image
    data = saved(stored, "JPEG", exif=exif, quality=95, subsampling=0)
    made = obfuscate(data, [Box(140, 20, 50, 40)], ["crop", "mask"], quality=95)
    crop = seen(made["crop"])
    assert crop.shape == (40, 50, 3)
    assert np.abs(crop - (200, 40, 40)).mean() < 4
    masked = Image.open(io.BytesIO(made["mask"]))
    assert masked.size == (200, 120)
    assert len(masked.getexif()) == 0


def without_adobe_marker(data: bytes) -> bytes:
    start = data.index(b"\xff\xee")
    length = int.from_bytes(data[start + 2 : start + 4], "big")
    return data[:start] + data[start + 2 + length :]


def deep_png(pixels: Pixels) -> bytes:
    """A PNG with 16 bits for each of three channels, which Pillow does not write."""
    height, width = pixels.shape[:2]
    values = pixels.astype(">u2") * 257
    lines = b"".join(b"\0" + line.tobytes() for line in values)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


COLOURS = np.zeros((64, 96, 3), dtype=np.uint8)
COLOURS[:, :48] = (180, 60, 20)
COLOURS[:, 48:] = (30, 90, 210)
GREY = np.repeat(np.linspace(0, 255, 96)[None, :].astype(np.uint8), 64, axis=0)


def cmyk(inverted: bool) -> bytes:
    ink = np.zeros((64, 96, 4), dtype=np.uint8)
    ink[:, :, :3] = 255 - COLOURS
    image = Image.fromarray(ink if inverted else 255 - ink, mode="CMYK")
    data = saved(image, "JPEG", quality=98)
    return data if inverted else without_adobe_marker(data)


def transparent() -> tuple[Image.Image, Pixels]:
    alpha = np.full((64, 96), 255, dtype=np.uint8)
    alpha[:32] = 0
    wanted = COLOURS.copy()
    wanted[:32] = 255
    return Image.fromarray(np.dstack([COLOURS, alpha])), wanted


def test_every_colour_mode_becomes_rgb() -> None:
    image = Image.fromarray(COLOURS)
    grey3 = np.repeat(GREY[:, :, None], 3, axis=2)
    rgba, on_white = transparent()
    grey_on_white = np.asarray(Image.fromarray(on_white).convert("L").convert("RGB"))
    keyed = Image.fromarray(COLOURS)
    keyed_on_white = COLOURS.copy()
    keyed_on_white[:, :48] = 255
    cases: dict[str, tuple[bytes, Pixels]] = {
        "grey JPEG": (saved(Image.fromarray(GREY), "JPEG", quality=98), grey3),
        "grey PNG": (saved(Image.fromarray(GREY), "PNG"), grey3),
        "CMYK of Adobe": (cmyk(inverted=True), COLOURS),
        "CMYK, plain": (cmyk(inverted=False), COLOURS),
        "CMYK TIFF": (saved(image.convert("CMYK"), "TIFF"), COLOURS),
        "palette": (saved(image.convert("P", palette=Image.Palette.ADAPTIVE), "PNG"), COLOURS),
        "GIF": (saved(image, "GIF"), COLOURS),
        "alpha": (saved(rgba, "PNG"), on_white),
        "grey and alpha": (saved(rgba.convert("LA"), "PNG"), grey_on_white),
        "palette with alpha": (saved(rgba.quantize(16), "PNG"), on_white),
        "transparent colour": (saved(keyed, "PNG", transparency=(180, 60, 20)), keyed_on_white),
        "16 bits, grey": (saved(Image.fromarray(GREY.astype(np.uint16) * 257), "PNG"), grey3),
        "16 bits, colour": (deep_png(COLOURS), COLOURS),
        "1 bit": (saved(Image.fromarray(GREY > 127), "PNG"), np.where(grey3 > 127, 255, 0).astype(np.uint8)),
        "WebP": (saved(image, "WEBP", lossless=True), COLOURS),
        "BMP": (saved(image, "BMP"), COLOURS),
        "progressive": (saved(image, "JPEG", quality=98, subsampling=0, progressive=True), COLOURS),
    }  # fmt: skip
    for name, (data, wanted) in cases.items():
        found = decode_image(open_image(data)).pixels
        assert found.shape == (64, 96, 3), name
        assert found.dtype == np.uint8, name
        assert np.abs(found.astype(int) - wanted).max() <= 8, name
        shown = seen(obfuscate(data, [Box(0, 0, 96, 64)], ["mask"], quality=98)["mask"])
        assert np.abs(shown - wanted).mean() <= 3, name


def test_jpegs_are_decoded_as_pillow_does_and_keep_their_subsampling(pixels: Pixels) -> None:
    for subsampling, name in ((0, "444"), (1, "422"), (2, "420")):
        data = saved(Image.fromarray(pixels), "JPEG", quality=88, subsampling=subsampling)
        assert np.abs(decode_image(open_image(data)).pixels - seen(data)).max() <= 1
        made = obfuscate(data, [Box(10, 10, 90, 90)], ["blur-6"])["blur-6"]
        assert simplejpeg.decode_jpeg_header(made)[3] == name


def test_damaged_images_are_named(pixels: Pixels, tmp_path: Path) -> None:
    jpeg = saved(Image.fromarray(pixels), "JPEG", quality=90)
    png = as_png(pixels)
    middle = len(jpeg) // 2
    cases = {
        "empty": b"",
        "text": b"this is no image",
        "cut JPEG": jpeg[:middle],
        "cut within the header": jpeg[:300],
        "holed JPEG": jpeg[:middle] + bytes(4000) + jpeg[middle + 4000 :],
        "cut PNG": png[: len(png) // 2],
        "holed PNG": png[:5000] + bytes(500) + png[5500:],
        "float": saved(Image.fromarray(np.zeros((40, 40), dtype=np.float32)), "TIFF"),
    }
    for name, data in cases.items():
        path = tmp_path / f"{name}.bin"
        path.write_bytes(data)
        with pytest.raises(InputError) as caught:
            obfuscate(path, [Box(0, 0, 40, 40)], ["crop"])
        assert str(path) in str(caught.value), name
        with pytest.raises(InputError, match="bytes"):
            obfuscate(data, [Box(0, 0, 40, 40)], ["crop"])
    for path in (tmp_path / "absent.jpg", tmp_path):
        with pytest.raises(InputError, match=r"cannot be read|is a folder"):
            obfuscate(path, [Box(0, 0, 40, 40)], ["crop"])


@pytest.mark.filterwarnings("error")
def test_bytes_after_the_end_and_a_broken_exif_do_no_harm(pixels: Pixels) -> None:
    jpeg = saved(Image.fromarray(pixels), "JPEG", quality=90)
    broken = b"\xff\xe1" + struct.pack(">H", 2 + 6 + 12) + b"Exif\0\0" + b"II*\0\xff\xff\xff\x7fabcd"
    for data in (jpeg + bytes(100), jpeg[:2] + broken + jpeg[2:]):
        assert np.array_equal(seen(jpeg), decode_image(open_image(data)).pixels)


@pytest.mark.filterwarnings("error")
def test_huge_images_are_refused_before_they_are_decoded() -> None:
    jpeg = bytearray(saved(Image.new("RGB", (16, 16)), "JPEG"))
    frame = jpeg.index(b"\xff\xc0")
    for height, width in ((10_001, 10_000), (60_000, 60_000)):
        jpeg[frame + 5 : frame + 9] = struct.pack(">HH", height, width)
        with pytest.raises(InputError, match="100 million pixels"):
            obfuscate(bytes(jpeg), [Box(0, 0, 40, 40)], ["crop"])


def test_small_boxes_grow_about_their_centre_and_stay_inside() -> None:
    regions = pixel_regions(
        [Box(100, 100, 10, 12), Box(0, 0, 5, 80), Box(195, 145, 5, 5), Box(60, 60, 32, 32)], 200, 150
    )
    assert regions == [
        Region(89, 90, 121, 122),
        Region(0, 0, 32, 80),
        Region(168, 118, 200, 150),
        Region(60, 60, 92, 92),
    ]
    assert pixel_regions([Box(3, 3, 2, 2)], 20, 200) == [Region(0, 0, 20, 32)]
    assert enclosing_region(regions) == Region(0, 0, 200, 150)


def test_boxes_are_clipped_and_rounded_outwards() -> None:
    assert pixel_regions([Box(-50, 20.7, 100, 60.5)], 200, 150) == [Region(0, 20, 50, 82)]
    assert pixel_regions([Box(-1e300, -5, 2e300, 1e300)], 200, 150) == [Region(0, 0, 200, 150)]


@given(
    st.tuples(*[st.floats(-300, 600)] * 2, *[st.floats(0.01, 700)] * 2).map(lambda values: Box(*values)),
    st.integers(1, 400),
    st.integers(1, 400),
)
@settings(max_examples=200, deadline=None)
def test_every_region_lies_within_and_covers_its_box(box: Box, width: int, height: int) -> None:
    try:
        (region,) = pixel_regions([box], width, height)
    except InputError:
        assert box.x >= width or box.y >= height or box.right <= 0 or box.bottom <= 0
        return
    assert 0 <= region.left <= max(0, box.x)
    assert 0 <= region.top <= max(0, box.y)
    assert min(width, box.right) <= region.right <= width
    assert min(height, box.bottom) <= region.bottom <= height
    assert region.right - region.left >= min(32, width)
    assert region.bottom - region.top >= min(32, height)


@pytest.mark.parametrize(
    "box",
    [
        Box(math.nan, 0, 10, 10),
        Box(0, 0, math.inf, 10),
        Box(5, 5, 0, 10),
        Box(5, 5, 10, -3),
        Box(500, 5, 10, 10),
        Box(5, -50, 10, 50),
    ],
)
def test_boxes_that_cannot_be_drawn_are_named(box: Box, tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    path.write_bytes(as_png(photograph(200, 150)))
    with pytest.raises(InputError, match=r"image\.png, box 2: "):
        obfuscate(path, [Box(0, 0, 40, 40), box], ["mask"])


def test_no_boxes_and_unknown_names_are_mistakes_of_the_caller() -> None:
    data = as_png(photograph(64, 64))
    box = [Box(0, 0, 40, 40)]
    with pytest.raises(ValueError, match="no boxes"):
        obfuscate(data, [], ["mask"])
    with pytest.raises(ValueError, match="blur-4"):
        obfuscate(data, box, ["blur-4"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="color"):
        obfuscate(data, box, ["mask"], mean_color=(1, 2, 256))
    with pytest.raises(ValueError, match="quality"):
        obfuscate(data, box, ["mask"], quality=0)


def test_the_mean_colour_is_that_of_all_pixels(tmp_path: Path, pixels: Pixels) -> None:
    small, large = tmp_path / "a.png", tmp_path / "b.png"
    Image.new("RGB", (10, 10), (200, 0, 40)).save(small)
    Image.new("RGB", (30, 10), (0, 100, 80)).save(large)
    assert dataset_mean_color([small, large]) == (50, 75, 70)
    with pytest.raises(ValueError, match="no images"):
        dataset_mean_color([])
    photo = tmp_path / "c.jpg"
    for subsampling in (0, 2):
        photo.write_bytes(saved(Image.fromarray(pixels), "JPEG", quality=90, subsampling=subsampling))
        exact = seen(photo.read_bytes()).mean(axis=(0, 1))
        assert np.abs(image_mean(open_image(photo)) - exact).max() < 1
    framed = np.full((97, 161, 3), 20, dtype=np.uint8)
    framed[-1:] = framed[:, -1:] = 250
    photo.write_bytes(saved(Image.fromarray(framed), "JPEG", quality=95, subsampling=0))
    assert np.abs(image_mean(open_image(photo)) - framed.mean(axis=(0, 1))).max() < 1
    photo.write_bytes(saved(Image.fromarray(pixels), "JPEG")[:9000])
    with pytest.raises(InputError, match=r"c\.jpg"):
        dataset_mean_color([photo])
