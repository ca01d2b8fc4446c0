"""Every kind is drawn inside its box, in the color asked for, the same each time, and shows its attributes."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from falter.generation.scene import Box
from falter.world.drawing import (
    BACKGROUNDS,
    DRAWABLE,
    HEIGHT,
    WIDTH,
    WORN,
    Appearance,
    Canvas,
    PixelPoint,
    anchors,
    draw,
    draw_background,
    draw_dressed,
    mask,
    natural_size,
    worn_box,
)
from falter.world.drawing.palette import COLORS
from falter.world.drawn_objects import seen_box

ADULT = 120.0
PAPER = (255, 0, 255)
PEOPLE = ("man", "woman", "boy", "girl")
KINDS = sorted(DRAWABLE)


def natural_appearance(
    kind: str, *, scale: float = ADULT, at: tuple[float, float] = (6.0, 6.0), **fields: object
) -> Appearance:
    """An appearance at its natural size."""
    appearance = msgspec.structs.replace(Appearance(kind=kind, box=Box(0, 0, 1, 1)), **fields)
    w, h = natural_size(appearance)
    fit = min(scale, (WIDTH - 80) / w, (HEIGHT - 60) / h)
    return msgspec.structs.replace(appearance, box=Box(*at, w * fit, h * fit))


def paper(*appearances: Appearance) -> tuple[int, int]:
    """The size of a sheet that holds the objects, so that no test paints more paper than it needs."""
    boxes = [appearance.box for appearance in appearances]
    return max(int(box.right) for box in boxes) + 8, max(int(box.bottom) for box in boxes) + 8


def draw_pixels(appearance: Appearance, size: tuple[int, int] | None = None) -> NDArray[np.uint8]:
    canvas = Canvas(*(size or paper(appearance)), color=PAPER)
    draw(canvas, appearance)
    return np.asarray(canvas.finish())


def touched(pixels: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what differs visibly from the paper."""
    off = (np.abs(pixels.astype(int) - np.array(PAPER)).max(axis=2)) > 40
    rows, columns = np.flatnonzero(off.any(axis=1)), np.flatnonzero(off.any(axis=0))
    return columns[0], rows[0], columns[-1] + 1, rows[-1] + 1


def variants(kind: str) -> list[Appearance]:
    """One appearance for each single attribute value that a kind shows, facing either way."""
    appearances = [natural_appearance(kind), natural_appearance(kind, facing="left")]
    for field, values in DRAWABLE[kind].attributes.items():
        shown = values[:1] if field in ("shirt", "pants") else values
        appearances += [
            natural_appearance(kind, facing=("left", "right")[i % 2], **{field: v}) for i, v in enumerate(shown)
        ]
    if kind in PEOPLE:
        appearances += [natural_appearance(kind, pose="sitting", seat=seat) for seat in ("chair", "ground", "astride")]
    return appearances


def test_enough_kinds_are_drawable() -> None:
    assert len(DRAWABLE) >= 75


@pytest.mark.parametrize("kind", KINDS)
def test_stays_inside_its_box(kind: str) -> None:
    for appearance in variants(kind):
        # Light spreads beyond a lit thing and is no part of it: the mask leaves it out.
        extent = mask(appearance, *paper(appearance))
        rows, columns = np.flatnonzero(extent.any(axis=1)), np.flatnonzero(extent.any(axis=0))
        box = appearance.box
        assert columns[0] >= box.x - 1, appearance
        assert rows[0] >= box.y - 1, appearance
        assert columns[-1] + 1 <= box.right + 1, appearance
        assert rows[-1] + 1 <= box.bottom + 1, appearance


@pytest.mark.parametrize("kind", KINDS)
def test_fills_a_fair_part_of_its_box(kind: str) -> None:
    appearance = natural_appearance(kind)
    seen = seen_box(appearance)
    # The box of a person keeps room for raised and outstretched arms.
    assert seen.w >= appearance.box.w * (0.3 if kind in PEOPLE else 0.8)
    assert seen.h >= appearance.box.h * 0.7


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("car", "bus", "truck")])
def test_mask_agrees_with_the_image(kind: str) -> None:
    appearance = natural_appearance(kind, light="unlit" if "light" in DRAWABLE[kind].attributes else None)
    off = (np.abs(draw_pixels(appearance).astype(int) - np.array(PAPER)).max(axis=2)) > 90
    covered = mask(appearance, *paper(appearance))
    assert (off & covered).sum() >= 0.9 * max(off.sum(), covered.sum())


def test_seen_box_is_where_the_pixels_are() -> None:
    appearance = natural_appearance("elephant", at=(60.0, 41.0))
    left, top, right, bottom = touched(draw_pixels(appearance))
    seen = seen_box(appearance)
    assert abs(seen.x - left) <= 1
    assert abs(seen.y - top) <= 1
    assert abs(seen.right - right) <= 1
    assert abs(seen.bottom - bottom) <= 1


def test_mask_is_cut_at_the_edge_of_the_image() -> None:
    appearance = natural_appearance("car", at=(-60.0, 300.0))
    assert mask(appearance).shape == (HEIGHT, WIDTH)
    assert mask(appearance).any()
    assert seen_box(appearance).x < 0


COLORED = [(kind, color) for kind in KINDS for color in DRAWABLE[kind].attributes.get("color", ())]
# Thin things are mostly outline at this size; what they are filled with still is the color asked for.
THIN = {"glasses", "bicycle", "racket", "leash", "rope", "broom", "flower", "balloon", "kite"}


def dominant(appearance: Appearance) -> str:
    """The color word nearest to most of the thing's pixels, outlines left out."""
    inside = mask(appearance, *paper(appearance))
    pixels = draw_pixels(appearance)[inside].astype(float)
    words = list(COLORS)
    palette = np.array([COLORS[word] for word in words], dtype=float)
    distance = np.linalg.norm(pixels[:, None, :] - palette[None, :, :], axis=2)
    near = distance.min(axis=1) < 50
    counts = np.bincount(distance[near].argmin(axis=1), minlength=len(words))
    # Outlines are nearly black on everything: black wins only where it was asked for.
    if appearance.color != "black":
        counts[words.index("black")] = 0
    return words[int(counts.argmax())]


@pytest.mark.parametrize(("kind", "color"), COLORED)
def test_color_dominates(kind: str, color: str) -> None:
    appearance = natural_appearance(kind, color=color, scale=ADULT * (3 if kind in THIN else 1.6))
    assert dominant(appearance) == color


@pytest.mark.parametrize("kind", KINDS)
def test_anchors_lie_on_the_thing(kind: str) -> None:
    for appearance in variants(kind):
        box = appearance.box
        spots = anchors(appearance)
        assert {"center", "top", "bottom"} <= set(spots)
        for name, spot in spots.items():
            assert box.x - box.w * 0.1 - 1 <= spot.x <= box.right + box.w * 0.1 + 1, (appearance, name, spot)
            assert box.y - box.h * 0.1 - 1 <= spot.y <= box.bottom + box.h * 0.1 + 1, (appearance, name, spot)


def test_facing_left_mirrors_the_anchors() -> None:
    right, left = natural_appearance("dog"), natural_appearance("dog", facing="left")
    middle = right.box.x + right.box.w / 2
    for name, spot in anchors(right).items():
        other = anchors(left)[name]
        assert other.y == pytest.approx(spot.y)
        assert other.x == pytest.approx(2 * middle - spot.x)


@pytest.mark.parametrize("kind", PEOPLE)
@pytest.mark.parametrize("gesture", DRAWABLE["man"].attributes["gesture"])
def test_the_active_hand_is_drawn_where_the_anchor_says(kind: str, gesture: str) -> None:
    appearance = natural_appearance(kind, gesture=gesture)
    hand = anchors(appearance)["hand"]
    assert mask(appearance)[round(hand.y), round(hand.x)]


@pytest.mark.parametrize("kind", KINDS)
def test_drawing_is_deterministic(kind: str) -> None:
    appearance = natural_appearance(kind, seed=5)
    assert draw_pixels(appearance).tobytes() == draw_pixels(appearance).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_attribute_values_look_different(kind: str) -> None:
    for field, values in DRAWABLE[kind].attributes.items():
        if field in ("gesture", "shirt", "pants", "action") or len(values) < 2:
            continue
        appearances = [natural_appearance(kind, **{field: value}) for value in values]
        drawn = [draw_pixels(appearance, paper(*appearances)) for appearance in appearances]
        for (i, a), (j, b) in itertools.combinations(enumerate(drawn), 2):
            changed = (np.abs(a.astype(int) - b.astype(int)).max(axis=2) > 30).sum()
            assert changed >= 20, (kind, field, values[i], values[j])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "action" in DRAWABLE[kind].attributes])
def test_sleeping_and_moving_change_the_image(kind: str) -> None:
    still = natural_appearance(kind)
    for action in DRAWABLE[kind].attributes["action"]:
        if kind == "fish":
            continue
        moving = natural_appearance(kind, action=action)
        size = paper(still, moving)
        assert (draw_pixels(moving, size) != draw_pixels(still, size)).any(), (kind, action)


def test_shirt_and_pants_take_their_colors() -> None:
    appearance = natural_appearance("man", shirt="yellow", pants="purple", scale=240)
    pixels = draw_pixels(appearance).astype(int)
    for word in ("yellow", "purple"):
        assert (np.abs(pixels - np.array(COLORS[word])).max(axis=2) < 12).sum() > 800


def test_seeds_change_people_and_nothing_else() -> None:
    people = {
        draw_pixels(natural_appearance("man", seed=seed, shirt="red", pants="blue")).tobytes() for seed in range(12)
    }
    assert len(people) > 3
    assert (
        draw_pixels(natural_appearance("car", seed=1)).tobytes()
        == draw_pixels(natural_appearance("car", seed=2)).tobytes()
    )


@pytest.mark.parametrize("item", WORN)
@pytest.mark.parametrize("kind", PEOPLE)
def test_worn_things_touch_their_wearer(kind: str, item: str) -> None:
    person = natural_appearance(kind, at=(100.0, 60.0))
    box = worn_box(person, item)
    worn = mask(Appearance(kind=item, box=box, color="red", facing=person.facing))
    assert (worn & mask(person)).sum() > 0.15 * worn.sum()


def test_a_dressed_person_shows_the_dress() -> None:
    person = natural_appearance("woman", shirt="blue", pants="green", scale=200)
    dress = Appearance(kind="dress", box=worn_box(person, "dress"), color="orange")
    canvas = Canvas(color=PAPER)
    draw_dressed(canvas, person, [dress])
    pixels = np.asarray(canvas.finish()).astype(int)
    assert (np.abs(pixels - np.array(COLORS["orange"])).max(axis=2) < 12).sum() > 500
    assert (np.abs(pixels - np.array(COLORS["green"])).max(axis=2) < 12).sum() == 0


def test_a_driver_shows_through_the_window() -> None:
    car = natural_appearance("car", color="red")
    spot = anchors(car)["window"]
    x, y = round(spot.x), round(spot.y)
    assert mask(car)[y - 6 : y + 7, x - 6 : x + 7].mean() < 0.4


def test_a_leash_joins_its_two_ends() -> None:
    start, end = PixelPoint(60, 50), PixelPoint(200, 120)
    leash = Appearance(kind="leash", box=Box(60, 50, 140, 70), color="red", start=start, end=end)
    drawn = mask(leash)
    assert drawn[51, 61]
    assert drawn[119, 199]


def test_light_is_no_part_of_a_lit_thing() -> None:
    assert (mask(natural_appearance("lamp", light="lit")) == mask(natural_appearance("lamp", light="unlit"))).all()


def test_water_falls_from_a_can_to_where_it_is_poured() -> None:
    can = natural_appearance("watering can", at=(20.0, 20.0))
    poured = msgspec.structs.replace(can, end=PixelPoint(can.box.right + 20, can.box.bottom + 60))
    assert seen_box(poured).bottom > can.box.bottom + 50
    assert seen_box(can).bottom <= can.box.bottom + 1


def test_a_laid_surfboard_lies_flat() -> None:
    upright, flat = (
        natural_size(natural_appearance("surfboard")),
        natural_size(natural_appearance("surfboard", laid=True)),
    )
    assert upright[1] > 3 * upright[0]
    assert flat[0] > 4 * flat[1]


@pytest.mark.parametrize("name", sorted(BACKGROUNDS))
def test_backgrounds_cover_the_image(name: str) -> None:
    canvas = Canvas(color=PAPER)
    boxes = draw_background(canvas, name, 3)
    pixels = np.asarray(canvas.finish()).astype(int)
    assert not (np.abs(pixels - np.array(PAPER)).max(axis=2) < 5).any()
    background = BACKGROUNDS[name]
    assert set(boxes) == set(background.shows)
    assert background.indoors == ("floor" in boxes)
    for box in boxes.values():
        assert box.x >= 0
        assert box.y >= 0
        assert box.right <= WIDTH
        assert box.bottom <= HEIGHT
    again = Canvas(color=PAPER)
    draw_background(again, name, 3)
    assert again.finish().tobytes() == canvas.finish().tobytes()


def test_a_canvas_comes_down_to_its_size() -> None:
    image = Canvas().finish()
    assert isinstance(image, Image.Image)
    assert image.size == (WIDTH, HEIGHT)
