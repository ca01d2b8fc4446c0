"""Tokens of images: the makers' own examples, and which rule is taken."""

from __future__ import annotations

import pytest

from falter.core.errors import UsageError
from falter.evaluation.models.token_costs import choose_image_tokens, image_token_rules

PUBLISHED = [
    ("gpt-4o", (1024, 1024), 765),
    ("gpt-4o", (2048, 4096), 1105),
    ("gpt-4o-mini", (1024, 1024), 2833 + 4 * 5667),
    ("gpt-4.1-mini", (1024, 1024), 1659),
    ("gpt-4.1-mini", (1800, 2400), 2353),
    ("o3-2025-04-16", (512, 512), 225),
    ("gpt-5-2025-08-07", (512, 512), 210),
    ("anthropic/claude-3-5-sonnet", (1000, 1000), 1334),
    ("claude-3-haiku", (200, 200), 54),
    ("gemini-2.0-flash", (960, 540), 6 * 258),
    ("gemini-2.0-flash", (300, 384), 258),
    ("Qwen/Qwen2.5-VL-7B-Instruct", (448, 448), 258),
    ("mistralai/Pixtral-12B-2409", (1024, 1024), 64 * 65),
    ("llava-hf/llava-1.5-7b-hf", (37, 2000), 576),
]


@pytest.mark.parametrize(("model", "size", "tokens"), PUBLISHED)
def test_published_examples(model: str, size: tuple[int, int], tokens: int) -> None:
    chosen = choose_image_tokens(f"{model}@http://localhost/v1", None)
    assert "assumed" not in chosen.origin
    assert chosen.rule.count(*size) == tokens


def test_no_size_is_free_and_none_is_beyond_what_a_rule_allows() -> None:
    for rule in image_token_rules().values():
        for size in ((1, 1), (1, 30_000), (30_000, 1), (8000, 8000), (33, 769)):
            assert 0 < rule.count(*size) < 100_000, (rule.name, size)
    patches = image_token_rules()["patches-1.62"]
    assert max(patches.count(width, height) for width in range(900, 1600, 37) for height in (900, 1303, 2000)) <= 2489


def test_a_model_of_a_later_version_is_not_taken_for_an_earlier_one() -> None:
    assert choose_image_tokens("gpt-5.9", None).origin.endswith("assumed: none is known for gpt-5.9")
    with pytest.raises(UsageError, match="neither a number nor a rule; there are tiles-2833-5667"):
        choose_image_tokens("gpt-4o", "many")
