"""Predicts from image features which words occur in questions and answers about an image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from falter.models.builtin.training_data import TrainingExample, split_words

__all__ = ["WordPredictor", "strip_plural"]

_FEWEST_IMAGES = 3
_MOST_SHARE = 0.5
_RIDGE = 300.0

Floats = NDArray[np.float32]


class WordPredictor:
    """Ridge regression from looks to words, all words at once.

    A word belongs to an image if a question about it presumes the word ("What colour is the dog?"), or an answer says
    it. Words that belong to most images are grammar, and left out.
    """

    def __init__(self, examples: Sequence[TrainingExample], looks: Mapping[str, Floats]) -> None:
        image_ids = sorted(looks)
        row_of = {image_id: row for row, image_id in enumerate(image_ids)}
        talked: dict[str, set[int]] = {}
        for example in examples:
            if example.answer != "no":
                for word in (*split_words(example.text), *split_words(example.answer)):
                    talked.setdefault(strip_plural(word), set()).add(row_of[example.image_id])
        most = _MOST_SHARE * len(image_ids)
        words = sorted(word for word, rows in talked.items() if _FEWEST_IMAGES <= len(rows) <= most)
        self._column = {word: column for column, word in enumerate(words)}
        there = np.zeros((len(image_ids), len(words)), dtype=np.float64)
        for word, column in self._column.items():
            there[sorted(talked[word]), column] = 1.0
        seen = np.stack([looks[image_id] for image_id in image_ids]).astype(np.float64)
        self._centre = seen.mean(axis=0)
        self._scale = seen.std(axis=0) + 1e-3
        share = there.mean(axis=0)
        seen = (seen - self._centre) / self._scale
        inverse = np.linalg.inv(seen @ seen.T + _RIDGE * np.eye(len(seen)))
        spread = np.sqrt(share * (1 - share) + 1e-3)
        dual = inverse @ (there - share)
        self._weights = seen.T @ dual / spread
        # What a regression without the image itself would expect of it, in closed form: a classifier that learned
        # from expectations over known images would trust them too much on new ones.
        left_out = (there - share - dual / np.diag(inverse)[:, None]) / spread
        self.left_out: dict[str, Floats] = dict(zip(image_ids, left_out.astype(np.float32), strict=True))

    def words_in(self, look: Floats) -> Floats:
        """The predicted value of each known word for an image."""
        expected: Floats = (((look - self._centre) / self._scale) @ self._weights).astype(np.float32)
        return expected

    def expectations(self, text: str, expected: Floats) -> tuple[float, float]:
        """The minimum and the mean of the predicted values over the words of a question."""
        columns = [self._column[stem] for word in split_words(text) if (stem := strip_plural(word)) in self._column]
        if not columns:
            return 0.0, 0.0
        values = expected[columns]
        return float(values.min()), float(values.mean())


def strip_plural(word: str) -> str:
    """A word without its plural s, roughly."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
