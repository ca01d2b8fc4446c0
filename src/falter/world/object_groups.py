"""What a scene is made of before it is laid out: single things, people, numbers of one kind, laid tables, deeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from falter.scene import Box
from falter.world.action_layouts import PLACES, Stage
from falter.world.appearance_sampler import Caster, weighted
from falter.world.drawing import DRAWABLE, Point, anchors, worn_box
from falter.world.drawn_objects import Bond, Piece, Row, Unit, moved_look
from falter.world.masks import seen_box
from falter.world.world_data import PEOPLE, Setting, knowledge

__all__ = ["AFLOAT", "Builder"]

AFLOAT = frozenset({"boat", "fish"})
"""What is met on or in the water."""

_WORN = {"hat": 4.0, "helmet": 0.5, "glasses": 4.0, "scarf": 4.0, "backpack": 3.0, "dress": 8.0}


def drawable(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights of what can be drawn, evened out so that nothing is rare in the whole world."""
    factors = knowledge().factors
    return {
        kind: weight * factors.get(kind, 1.0) for kind, weight in weights.items() if kind in DRAWABLE and weight > 0
    }


class Builder:
    """Makes the units of one scene; ``scales`` gives the height of an adult and the ground's height by row."""

    def __init__(self, caster: Caster, setting: Setting, scales: Mapping[Row, tuple[float, float]]) -> None:
        self.caster = caster
        self.rng = caster.rng
        self.setting = setting
        self.scales = scales
        self.met: set[str] = set()

    def single(self, row: Row) -> Unit | None:
        """One thing of those met in a row."""
        weights = drawable(getattr(self.setting, row))
        sky = {"sun", "moon"} if self.met & {"sun", "moon"} else set()
        fresh = {
            kind: weight
            for kind, weight in weights.items()
            if kind not in sky and (kind not in self.met or self.rng.random() < 0.12)
        }
        if not fresh:
            return None
        kind = weighted(self.rng, fresh)
        return Unit(row=row, pieces=[self._thing(kind, row)])

    def person(self) -> Unit:
        """Somebody who does nothing with anything."""
        scale, foot = self.scales["front"]
        kind = self.rng.choice(PEOPLE)
        chance = self.rng.random()
        fields: dict[str, Any] = {"pose": "standing"}
        if chance < 0.15:
            fields = {"pose": None, "action": self.rng.choice(("walking", "running", "jumping", "dancing"))}
        elif chance < 0.25 and "sitting" in DRAWABLE[kind].honours.get("pose", ()):
            fields = {"pose": "sitting", "seat": "ground"}
        piece = self.caster.piece(kind, scale=scale, foot=foot, **fields)
        if piece.look.action == "jumping":
            piece.look = moved_look(piece.look, 0, -round(0.12 * scale))
            piece.grounded = False
        return Unit(row="front", pieces=[piece])

    def group(self, most: int) -> Unit | None:
        """Two to ``most`` things of one kind."""
        choices = [
            (row, kind)
            for row, kinds in self.setting.groups.items()
            for kind in kinds
            if kind in DRAWABLE and kind not in self.met
        ]
        if not choices or most < 2:
            return None
        factors = knowledge().factors
        row, kind = self.rng.choices(choices, [factors.get(kind, 1.0) for _, kind in choices])[0]
        number = self.rng.randint(2, most) if self.rng.random() < 0.5 else self.rng.randint((most + 2) // 2, most)
        if row == "top":
            return self.table(kind, number)
        pieces = [self._thing(kind, row) for _ in range(number)]
        return Unit(row=row, pieces=pieces, group=kind)

    def table(self, kind: str | None = None, number: int = 0) -> Unit | None:
        """A table with one to three things on it, or with so many of one kind."""
        tops = {top: things for top, things in self.setting.tables.items() if top in DRAWABLE and top not in self.met}
        if not tops:
            return None
        rng = self.rng
        top = rng.choice(list(tops))
        weights = drawable(tops[top])
        kinds = [kind] * number if kind else []
        while not kinds or (kind is None and len(kinds) < 3 and rng.random() < 0.6):
            fresh = {each: weight for each, weight in weights.items() if each not in kinds and each not in self.met}
            if not fresh:
                break
            kinds.append(weighted(rng, fresh))
        if not kinds:
            return None
        base = self._thing(top, "front")
        scale = self.scales["front"][0]
        places = anchors(base.look)
        seen = seen_box(base.look)
        left = places.get("top_left", Point(seen.x + 6, seen.y + 2))
        right = places.get("top_right", Point(seen.right - 6, seen.y + 2))
        bearing = places.get("top", Point(seen.x + seen.w / 2, seen.y + 2))
        lo, hi = min(left.x, right.x), max(left.x, right.x)
        things: list[Piece] = []
        for each in kinds:
            thing = self.caster.piece(each, scale=scale, foot=bearing.y + 2, grounded=False)
            things.append(thing)
        widths = [seen_box(thing.look).w for thing in things]
        while things and (hi - lo) - sum(widths) < 2 * (len(things) - 1):
            things.pop()
            widths.pop()
        if len(things) < (2 if kind else 1):
            return None
        slack = (hi - lo) - sum(widths)
        gap = slack / (len(things) + 1)
        at = lo + gap
        for thing, width in zip(things, widths, strict=True):
            box = seen_box(thing.look)
            thing.look = moved_look(thing.look, at - box.x, 0)
            at += width + gap
        bonds = [Bond(thing, "on", base) for thing in things]
        return Unit(row="front", pieces=[base, *things], bonds=bonds, group=kind)

    def deed(self) -> Unit | None:
        """Somebody doing something."""
        rng, known = self.rng, self.caster.known
        verbs = {
            name: weight * known.factors.get(name, 1.0)
            for name, weight in self.setting.deeds.items()
            if weight > 0 and name not in self.met
        }
        if not verbs:
            return None
        verb = known.verbs[weighted(rng, verbs)]
        agents = self._at_home(drawable(verb.agents))
        patients = {"ground": 1.0} if "ground" in verb.patients else self._at_home(drawable(verb.patients))
        tools = drawable(verb.tool)
        if not agents or not patients or (verb.tool and not tools):
            return None
        agent = weighted(rng, agents)
        if agent in patients:
            patients = {kind: weight for kind, weight in patients.items() if kind != agent}
        if not patients:
            return None
        patient = weighted(rng, patients)
        scale, foot = self.scales["front"]
        tool = weighted(rng, tools) if tools else ""
        unit = PLACES[verb.place](Stage(self.caster, verb, scale, foot, tool), agent, patient)
        if unit is not None:
            self.met.add(verb.name)
        return unit

    def _at_home(self, weights: dict[str, float]) -> dict[str, float]:
        """What may be met in this setting: no elephants in the kitchen."""
        setting = self.setting
        here = {*setting.back, *setting.front, *setting.wall, *setting.sky, *PEOPLE, *_CARRIED}
        here |= {kind for things in setting.tables.values() for kind in (*setting.tables, *things)}
        return {kind: weight for kind, weight in weights.items() if kind in here}

    def dress(self, unit: Unit) -> None:
        """Give the people of a unit something to wear beside shirt and pants."""
        rng = self.rng
        for piece in [each for each in unit.pieces if each.kind in PEOPLE]:
            look = piece.look
            if look.pose == "lying" or look.gesture in ("lift", "hug") or rng.random() < 0.5:
                continue
            weights = dict(_WORN)
            if any(bond.subject is piece and bond.relation == "riding" for bond in unit.bonds):
                weights = {"helmet": 1.0}
            if look.gesture in ("mouth", "camera"):
                weights = {kind: weight for kind, weight in weights.items() if kind not in ("glasses", "scarf")}
            if look.kind not in ("woman", "girl") or look.pose != "standing":
                weights.pop("dress", None)
            if look.pose == "sitting":
                weights.pop("backpack", None)
            if self.setting.name == "snow":
                weights["scarf"] = weights.get("scarf", 0) * 2
            self._wear(unit, piece, weighted(rng, weights))

    def _wear(self, unit: Unit, wearer: Piece, kind: str) -> None:
        # A pattern is not to be made out on a scarf, nor a scarf on a shirt of its colour.
        plain: dict[str, Any] = {"pattern": "plain"} if kind in ("scarf", "hat") else {}
        scale, facing = self.scales["front"][0], wearer.look.facing
        for _ in range(8):
            worn = self.caster.piece(kind, scale=scale, foot=0, grounded=False, facing=facing, **plain)
            if worn.look.color != wearer.look.shirt:
                break
        box = worn_box(wearer.look, kind)
        box = Box(round(box.x), round(box.y), max(4, round(box.w)), max(4, round(box.h)))
        worn.look = replace(worn.look, box=box)
        if kind == "dress":
            wearer.look = replace(wearer.look, shirt=worn.look.color, bare_legs=True)
        at = next(place for place, each in enumerate(unit.pieces) if each is wearer)
        unit.pieces.insert(at if kind == "backpack" else at + 1, worn)
        unit.bonds.append(Bond(wearer, "wearing", worn))

    def _thing(self, kind: str, row: Row) -> Piece:
        scale, foot = self.scales["water" if kind in AFLOAT else "door" if kind == "door" else row]
        fields: dict[str, str] = {}
        honours = DRAWABLE[kind].honours
        if row == "sky" and "flying" in honours.get("action", ()):
            fields = {"action": "flying", "pose": ""}
        elif "pose" in honours and self.rng.random() < 0.35:
            fields = {"pose": self.rng.choice(honours["pose"])}
        given: dict[str, Any] = {name: value or None for name, value in fields.items()}
        if kind == "fish":
            given = {"action": "swimming"}
        grounded = row in ("back", "front") and kind not in ("door", "fish")
        piece = self.caster.piece(kind, scale=scale, foot=foot, grounded=grounded, sizes=True, **given)
        piece.aloft = row in ("sky", "wall")
        return piece


_CARRIED = frozenset(
    {"flower", "umbrella", "balloon", "phone", "bag", "bottle", "cup", "book", "racket", "camera", "apple", "banana",
     "sandwich", "pizza", "carrot", "orange", "guitar", "box", "basket", "bucket", "ball", "kite", "hat", "ladder"}
)  # fmt: skip
"""What people have with them anywhere."""
