"""A suite gives a reader of the text alone nothing to bet on."""

from __future__ import annotations

import numpy as np
import pytest

from .conftest import World


@pytest.mark.parametrize("form", ["single", "related", "all"])
def test_a_text_only_model_stays_close_to_a_coin(world: World, form: str) -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    items = [item for item in world.suite.items() if item.role == "original" and form in ("all", item.facets["form"])]
    assert len(items) >= 4_000
    images = list(dict.fromkeys(item.image_id for item in items))
    training = set(images[::2])
    known = np.array([item.image_id in training for item in items])
    golds = np.array([item.gold == "yes" for item in items])
    assert abs(golds.mean() - 0.5) < 0.01
    words = CountVectorizer(ngram_range=(1, 3), min_df=2, binary=True).fit_transform([item.text for item in items])
    model = LogisticRegression(max_iter=1000).fit(words[known], golds[known])
    accuracy = model.score(words[~known], golds[~known])
    assert accuracy < 0.60
    # Nor may a model win by betting against what it learned.
    assert accuracy > 0.40


def test_no_number_or_form_leans_to_one_answer(world: World) -> None:
    counts: dict[tuple[str, str], list[int]] = {}
    for item in world.suite.items():
        if item.role == "original":
            cell = counts.setdefault((item.facets["form"], item.facets["number"]), [0, 0])
            cell[item.gold == "yes"] += 1
    for cell, (no, yes) in counts.items():
        if no + yes >= 400:
            assert abs(yes / (no + yes) - 0.5) < 0.1, cell
