"""Logistic regression over sparse features, shared by the trained builtin models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from falter.errors import UsageError

__all__ = ["AnswerClassifier", "import_sklearn"]

_MOST_ANSWERS = 100


def import_sklearn(module: str) -> Any:
    """Import a module of scikit-learn, or raise an error with the command that installs it."""
    import importlib

    try:
        return importlib.import_module(f"sklearn.{module}")
    except ImportError as error:
        raise UsageError("the learned builtins need scikit-learn: pip install scikit-learn") from error


class AnswerClassifier:
    """Predicts an answer from features, among the allowed answers."""

    def __init__(self, features: Any, answers: Sequence[str], *, epochs: int, strength: float) -> None:
        counted = Counter(answers)
        frequent = sorted(counted, key=lambda answer: (-counted[answer], answer))[:_MOST_ANSWERS]
        self.answers = sorted(frequent)
        self._model: Any = None
        if len(self.answers) < 2:
            return
        number = {answer: index for index, answer in enumerate(self.answers)}
        rows = [row for row, answer in enumerate(answers) if answer in number]
        self._model = import_sklearn("linear_model").SGDClassifier(
            loss="log_loss", alpha=strength, max_iter=epochs, tol=None, random_state=0, average=True
        )
        self._model.fit(features[rows], np.array([number[answers[row]] for row in rows]))

    def best(self, features: Any, allowed: Sequence[Mapping[str, str] | None]) -> list[str | None]:
        """For each row the best answer, as the item writes it; None where no allowed answer was ever learned."""
        if self._model is None:
            values = np.zeros((features.shape[0], 1))
        else:
            values = self._model.decision_function(features)
            if values.ndim == 1:
                values = np.stack([-values, values], axis=1)
        return [self._best(row, forms) for row, forms in zip(values, allowed, strict=True)]

    def _best(self, values: Any, allowed: Mapping[str, str] | None) -> str | None:
        if allowed is None:
            return self.answers[int(np.argmax(values))]
        open_to_it = [index for index, answer in enumerate(self.answers) if answer in allowed]
        if not open_to_it:
            return None
        return allowed[self.answers[max(open_to_it, key=lambda index: (values[index], -index))]]
