"""What things cost, by a table of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.core.errors import InputError
from falter.evaluation.models import read_prices

TABLE = """
big-vlm: {input_per_million: 2.5, output_per_million: 10, image_tokens: 800}
local: {input_per_million: 0, output_per_million: 0, per_image: 0.001, currency: EUR}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "prices.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_tokens_and_pictures_are_paid_once(tmp_path: Path) -> None:
    prices = read_prices(written(tmp_path, TABLE))
    # 1,000 questions of 100 tokens with an image each, 2 tokens back.
    assert prices.cost("big-vlm", 100_000, 2_000, images=1_000) == pytest.approx(2.5 * 0.9 + 10 * 0.002)
    assert prices.charged("big-vlm", 900_000, 2_000, images=1_000) == pytest.approx(2.5 * 0.9 + 10 * 0.002)
    assert prices.cost("local", 100_000, 2_000, images=1_000) == pytest.approx(1.0)
    assert prices.charged("local", 100_000, 2_000, images=1_000) == pytest.approx(1.0)
    assert prices.currency("local") == "EUR"
    assert prices.get("big-vlm@http://localhost:8000/v1") == prices.get("big-vlm")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a list", "is not a table of prices"),
        ("a: {input_per_million: 1}", "output_per_million"),
        ("a: {input_per_million: cheap, output_per_million: 1}", "is not a table of prices"),
        ("a: {input_per_million: -1, output_per_million: 1}", "a: a price is a number from 0 upwards"),
        ("a: {input_per_million: .inf, output_per_million: 1}", "a: a price is a number from 0 upwards"),
        ("a: {input_per_million: 1, output_per_million: 1, image_tokens: 1, per_image: 1}", "give one of them"),
        ("a: {input_per_million: 1, output_per_million: 1, per_token: 1}", "per_token"),
        ("a: {", "is not a table of prices"),
    ],
)
def test_bad_tables_are_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=r"prices\.yaml") as caught:
        read_prices(written(tmp_path, text))
    assert said in str(caught.value)


def test_a_model_without_a_price(tmp_path: Path) -> None:
    prices = read_prices(written(tmp_path, TABLE))
    with pytest.raises(InputError, match="has no price of small"):
        prices.cost("small", 1, 1)
    with pytest.raises(InputError, match="cannot be read"):
        read_prices(tmp_path / "none.yaml")
