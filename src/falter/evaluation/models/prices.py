"""The cost of tokens and images, from the user's table of prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import msgspec

from falter.core.errors import InputError
from falter.core.files import read_yaml

__all__ = ["Price", "Prices", "read_prices"]

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
