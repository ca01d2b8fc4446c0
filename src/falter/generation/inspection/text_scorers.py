"""Scorers of captions and foils that never see the image: plausibility by language models and counts, and grammar."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Protocol

import numpy as np

from falter.core.causal_lm import CausalLanguageModel, Continuation, TooLongError, load_causal_lm
from falter.core.errors import UsageError
from falter.generation.inspection.common_sense import CommonSenseBaseline
from falter.generation.inspection.foil_pairs import FoilPair
from falter.generation.inspection.ngram_baselines import Floats
from falter.generation.nlp.grammaticality import GrammaticalityModel, load_grammaticality_model

COMMON_SENSE = "common-sense"

_PREFIX = "lm:"
_GRAMMAR = "grammar:"
_DIGITS = 6
"""Batches of another make-up differ in the last digits."""


class PairScorer(Protocol):
    """Scores the two texts of pairs; the higher, the more usual."""

    name: str

    def gaps(self, pairs: Sequence[FoilPair]) -> Floats:
        """By pair the score of the caption less that of the foil; 0 where it does not tell them apart."""
        ...


class LanguageModelScorer:
    """A causal language model: the mean log-likelihood per token, the negative logarithm of the perplexity."""

    def __init__(self, model: CausalLanguageModel) -> None:
        self.name = f"{_PREFIX}{model.name}"
        self._model = model
        self._bos = model.bos_token is not None

    def gaps(self, pairs: Sequence[FoilPair]) -> Floats:
        """The difference of the two means; 0 where the model cannot take one of the texts."""
        texts = sorted({text for pair in pairs for text in (pair.caption, pair.foil)})
        scores = dict(zip(texts, self._score(texts), strict=True))
        gaps = np.array([scores[pair.caption] - scores[pair.foil] for pair in pairs])
        return np.where(np.isnan(gaps), 0.0, np.round(gaps, _DIGITS))

    def _score(self, texts: Sequence[str]) -> list[float]:
        readable = [number for number, text in enumerate(texts) if self._can_score(text)]
        found = self._model.score([Continuation(texts[number]) for number in readable], bos=self._bos)
        scores = [nan] * len(texts)
        for number, one in zip(readable, found, strict=True):
            scores[number] = one.mean
        return scores

    def _can_score(self, text: str) -> bool:
        try:
            self._model.encode(Continuation(text), bos=self._bos)
        except TooLongError:
            return False
        return True


class CommonSenseScorer:
    """How usual what is claimed is: kinds, attributes and relations, by counts of images that are not in the suite."""

    name = COMMON_SENSE

    def __init__(self) -> None:
        self._baseline = CommonSenseBaseline()

    def gaps(self, pairs: Sequence[FoilPair]) -> Floats:
        """The difference of the two sums of log counts, over what differs between caption and foil."""
        return np.round(self._baseline.usual_gaps([(pair.caption, pair.foil) for pair in pairs]), _DIGITS)


class GrammarScorer:
    """How grammatical a text is, from 0 to 1: by rules, or by a classifier that was trained on CoLA."""

    def __init__(self, model: GrammaticalityModel) -> None:
        self.name = f"{_GRAMMAR}{model.name}"
        self._model = model

    def gaps(self, pairs: Sequence[FoilPair]) -> Floats:
        """The difference of the two scores."""
        texts = sorted({text for pair in pairs for text in (pair.caption, pair.foil)})
        scores = dict(zip(texts, self._model.score(texts), strict=True))
        return np.round(np.array([scores[pair.caption] - scores[pair.foil] for pair in pairs]), _DIGITS)


def load_scorer(spec: str) -> PairScorer:
    """The scorer of a spec.

    ``common-sense``; ``lm:NAME``, a causal language model as ``falter run`` takes it; or ``grammar:NAME``, which is
    ``rules`` or a CoLA classifier of the transformers library.
    """
    if spec == COMMON_SENSE:
        return CommonSenseScorer()
    if name := _after(_PREFIX, spec):
        return LanguageModelScorer(load_causal_lm(name))
    if name := _after(_GRAMMAR, spec):
        return GrammarScorer(load_grammaticality_model(name))
    raise UsageError(
        f"{spec!r} scores no texts; give {COMMON_SENSE}, a language model such as lm:smollm2, or grammar:rules"
    )


def _after(prefix: str, spec: str) -> str:
    return spec.removeprefix(prefix) if spec.startswith(prefix) else ""
