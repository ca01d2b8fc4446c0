"""What requests cost: the user's table of prices, and published rules for the tokens of an image."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil, floor, isfinite, sqrt
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import read_yaml
from falter.data.images import image_size

_MILLION = 1_000_000
_FIELDS = "each model has input_per_million and output_per_million, and may have image_tokens or per_image, currency"


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one model costs.

    ``image_tokens``: how many input tokens an image is taken for where nobody counted them. ``per_image``: what a
    image costs by itself, where it is no tokens at all.
    """

    input_per_million: float
    output_per_million: float
    image_tokens: float | None = None
    per_image: float | None = None
    currency: str = "USD"


@dataclass(frozen=True)
class Prices:
    """The prices of a file."""

    path: Path
    by_model: Mapping[str, Price]

    def knows(self, model: str) -> bool:
        """Whether the price of a model is given."""
        return any(name in self.by_model for name in _names(model))

    def get(self, model: str) -> Price:
        """The price of a model, by its name with or without the ``@ADDRESS`` of its server."""
        for name in _names(model):
            if name in self.by_model:
                return self.by_model[name]
        known = ", ".join(sorted(self.by_model)) or "none"
        raise InputError(self.path, f"has no price of {model}", hint=f"there are {known}; add {model}")

    def cost(self, model: str, input_tokens: float, output_tokens: float, images: int = 0) -> float:
        """What is to be paid; ``images`` are images that ``input_tokens`` do not hold yet.

        >>> price = Price(input_per_million=2.0, output_per_million=8.0, image_tokens=1000)
        >>> Prices(Path("prices.yaml"), {"big": price}).cost("big", 500_000, 100_000, images=100)
        2.0
        """
        price = self.get(model)
        tokens = input_tokens + images * (price.image_tokens or 0)
        return self.charged(model, tokens, output_tokens, images=images)

    def charged(self, model: str, input_tokens: float, output_tokens: float, images: int = 0) -> float:
        """The same where a server has counted the tokens, those of the images among them."""
        price = self.get(model)
        tokens = input_tokens * price.input_per_million + output_tokens * price.output_per_million
        return tokens / _MILLION + images * (price.per_image or 0)

    def currency(self, model: str) -> str:
        """The currency of a model's price."""
        return self.get(model).currency


def _names(model: str) -> tuple[str, str]:
    """What a model may be called in a table of prices."""
    return model, model.partition("@")[0]


def read_prices(path: Path) -> Prices:
    """Read a YAML file of prices: the names of models, each with its :class:`Price`."""
    by_model = read_yaml(path, dict[str, Price], what="a table of prices", hint=_FIELDS)
    for name, price in by_model.items():
        figures = (price.input_per_million, price.output_per_million, price.image_tokens or 0, price.per_image or 0)
        if not all(isfinite(figure) and figure >= 0 for figure in figures):
            raise InputError(path, "a price is a number from 0 upwards", record=name)
        if price.image_tokens is not None and price.per_image is not None:
            raise InputError(path, "has both image_tokens and per_image", record=name, hint="give one of them")
    return Prices(path, by_model)


_RULES = Path(__file__).with_name("image_token_rules.yaml")
_DEFAULT = "tiles-85-170"
_GIVEN = ", by -M image_tokens"
_UNREADABLE = (768, 768)
"""The size that an image is taken for where it cannot be read."""
_TILE_LONG, _TILE_SHORT, _TILE = 2048, 768, 512
_PATCH, _MOST_PATCHES = 32, 1536
_CROP_SMALL, _CROP_LEAST, _CROP_MOST, _CROP_SHARE = 384, 256, 768, 1.5


class ImageTokenRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule from the size of an image to its tokens."""

    name: str
    models: list[str] = []
    exact: bool = False
    """The names are whole, apart from a date."""
    kind: Literal["tiles", "patches", "area", "crops", "grid", "rows", "fixed"]
    base: int = 0
    each: int = 0
    factor: float = 1.0
    side: int = 1
    long: int = 0
    most: int = 0

    def count(self, width: int, height: int) -> int:
        """The tokens of an image of this size."""
        return _KINDS[self.kind](self, width, height)

    def fits(self, model: str) -> bool:
        """Whether it is the rule of a model."""
        name = model.partition("@")[0].rpartition("/")[2].casefold()
        if self.exact:
            return any(name == one or name.startswith(f"{one}-20") for one in self.models)
        return any(name.startswith(one) for one in self.models)


def _tiles(rule: ImageTokenRule, width: int, height: int) -> int:
    """Tiles of 512 pixels, after the image is made to fit 2,048 pixels, and its short side 768."""
    scale = min(1.0, _TILE_LONG / max(width, height))
    scale *= min(1.0, _TILE_SHORT / (min(width, height) * scale))
    tiles = ceil(int(width * scale) / _TILE or 1) * ceil(int(height * scale) / _TILE or 1)
    return rule.base + rule.each * tiles


def _patches(rule: ImageTokenRule, width: int, height: int) -> int:
    """Patches of 32 pixels, at most 1,536 of them: a larger image is made smaller first."""
    patches = ceil(width / _PATCH) * ceil(height / _PATCH)
    if patches > _MOST_PATCHES:
        shrink = sqrt(_MOST_PATCHES * _PATCH**2 / (width * height))
        across, down = width * shrink / _PATCH, height * shrink / _PATCH
        # So that whole patches fit in both directions.
        shrink *= min(floor(across) / across, floor(down) / down)
        patches = ceil(round(width * shrink / _PATCH, 6)) * ceil(round(height * shrink / _PATCH, 6))
    return ceil(min(patches, _MOST_PATCHES) * rule.factor)


def _area(rule: ImageTokenRule, width: int, height: int) -> int:
    """A token for so many pixels, after the long side is made to fit."""
    scale = min(1.0, rule.long / max(width, height))
    return min(rule.most, ceil(width * scale * height * scale / rule.each))


def _crops(rule: ImageTokenRule, width: int, height: int) -> int:
    """One crop for a small image; else crops whose side is two thirds of the short side."""
    if max(width, height) <= _CROP_SMALL:
        return rule.each
    side = min(_CROP_MOST, max(_CROP_LEAST, floor(min(width, height) / _CROP_SHARE)))
    return rule.each * ceil(width / side) * ceil(height / side)


def _grid(rule: ImageTokenRule, width: int, height: int) -> int:
    """Cells of a grid to which the sides are rounded."""
    across, down = max(1, round(width / rule.side)), max(1, round(height / rule.side))
    if across * down > rule.most:
        shrink = sqrt(width * height / (rule.most * rule.side**2))
        across, down = (max(1, floor(length / shrink / rule.side)) for length in (width, height))
    return rule.base + across * down


def _rows(rule: ImageTokenRule, width: int, height: int) -> int:
    """Rows of patches, each with a token at its end."""
    scale = min(1.0, rule.long / max(width, height))
    across, down = (ceil(length * scale / rule.side) for length in (width, height))
    return down * (across + 1)


_KINDS: dict[str, Callable[[ImageTokenRule, int, int], int]] = {
    "tiles": _tiles,
    "patches": _patches,
    "area": _area,
    "crops": _crops,
    "grid": _grid,
    "rows": _rows,
    "fixed": lambda rule, _width, _height: rule.base,
}


class ImageTokens(NamedTuple):
    """The rule taken for a model, and why."""

    rule: ImageTokenRule
    origin: str

    @property
    def is_given(self) -> bool:
        """Whether the user chose it."""
        return self.origin.endswith(_GIVEN)

    def count(self, path: Path | None) -> int:
        """The tokens of an image file, by its size; 0 where there is none."""
        return 0 if path is None else self.rule.count(*_size(path))


@lru_cache(maxsize=1 << 16)
def _size(path: Path) -> tuple[int, int]:
    return image_size(path) or _UNREADABLE


@cache
def image_token_rules() -> dict[str, ImageTokenRule]:
    """All rules by name, in the order in which they are tried."""
    rules = read_yaml(_RULES, list[ImageTokenRule], what="rules of image tokens", hint="reinstall falter")
    return {rule.name: rule for rule in rules}


def choose_image_tokens(model: str, given: str | None) -> ImageTokens:
    """The rule that the user gave, as a name or a number; else the one of the model's name, else one that is assumed.

    >>> choose_image_tokens("gpt-4o-2024-08-06", None).origin
    'rule tiles-85-170'
    >>> choose_image_tokens("my-model", None).origin
    'rule tiles-85-170, assumed: none is known for my-model'
    >>> choose_image_tokens("my-model", "576").origin
    '576 an image, by -M image_tokens'
    """
    rules = image_token_rules()
    if given is not None:
        if given in rules:
            return ImageTokens(rules[given], f"rule {given}{_GIVEN}")
        if given.isascii() and given.isdigit() and int(given) < 10**7:
            fixed = ImageTokenRule(name=given, kind="fixed", base=int(given))
            return ImageTokens(fixed, f"{given} an image{_GIVEN}")
        raise UsageError(f"-M image_tokens {given!r} is neither a number nor a rule; there are {', '.join(rules)}")
    for rule in rules.values():
        if rule.fits(model):
            return ImageTokens(rule, f"rule {rule.name}")
    return ImageTokens(rules[_DEFAULT], f"rule {_DEFAULT}, assumed: none is known for {model}")
