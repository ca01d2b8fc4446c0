"""Logistic regression over a bag of words and image features: the smallest model that uses the image.

The features are a few hundred numbers, colours in a grid and directions of edges, and from them which words occur in
questions and answers about such an image.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import InputError
from falter.core.optional_packages import import_package
from falter.data.images import Source
from falter.data.items import YES_NO
from falter.data.model import Capabilities, PermanentError, Reply, Request, failed_reply, load_image
from falter.generation.baselines.text_only import (
    AnswerClassifier,
    TrainingExample,
    allowed_answers,
    draw_examples,
    hash_examples,
    learned_fingerprint,
    learner,
    split_words,
)

if TYPE_CHECKING:
    from PIL.Image import Image

SMALL = (64, 48)
_GRID = (4, 3)
_LEVELS = 4
_DIRECTIONS = 6


def image_features(image: Image) -> NDArray[np.float32]:
    """Histograms of colour over the image and of edge directions in each cell, and each cell's mean colour."""
    small = image.resize(SMALL, resample=4)
    pixels = np.asarray(small, dtype=np.float32) / 255.0
    return np.concatenate([_colours(pixels), _means(pixels), _edges(pixels)]).astype(np.float32)


def _colours(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    levels = np.minimum((pixels * _LEVELS).astype(np.int64), _LEVELS - 1)
    bins = (levels[..., 0] * _LEVELS + levels[..., 1]) * _LEVELS + levels[..., 2]
    counts = np.bincount(bins.ravel(), minlength=_LEVELS**3)
    share: NDArray[np.float32] = np.sqrt(counts / counts.sum()).astype(np.float32)
    return share


def _cells(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sum values (height, width, kinds) over the cells of the grid."""
    columns, rows = _GRID
    height, width, kinds = values.shape
    cells = values.reshape(rows, height // rows, columns, width // columns, kinds)
    summed: NDArray[np.float32] = cells.mean(axis=(1, 3))
    return summed.ravel()


def _means(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    return _cells(pixels)


def _edges(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    grey = pixels.mean(axis=2)
    down, across = np.gradient(grey)
    strength = np.hypot(down, across)
    direction = (np.arctan2(down, across) % np.pi) / np.pi * _DIRECTIONS
    bins = np.minimum(direction.astype(np.int64), _DIRECTIONS - 1)
    spread = np.zeros((*grey.shape, _DIRECTIONS), dtype=np.float32)
    np.put_along_axis(spread, bins[..., None], strength[..., None], axis=2)
    cells = _cells(spread)
    return np.sqrt(cells).astype(np.float32)


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


_MOST_EXAMPLES = 16_000
_MOST_IMAGES = 2_000
_SIDES = 16
_EPOCHS = 6
_STRENGTH = 1e-4
_POLAR_STRENGTH = 5e-2

Look = NDArray[np.float32]


class BowImage:
    """Logistic regression over the words of the question, and each word times what the image has to say to it.

    For yes-or-no questions that is how far the image looks like ones that the question's words are used of; for the
    others, the main sides of its look.
    """

    name = "bow-image"
    capabilities = Capabilities(needs_image=True, batch_size=128)

    def __init__(self, source: Source) -> None:
        examples, looks = _seen(source)
        self._squeeze = _Squeeze(np.stack([looks[image_id] for image_id in sorted(looks)]))
        self._words = import_package("sklearn.feature_extraction.text", "a learned builtin").CountVectorizer(
            analyzer=_words_and_opening, binary=True, min_df=2 if len(examples) > 1000 else 1, max_features=4_000
        )
        self._words.fit([example.text for example in examples])
        self._sight = WordPredictor(examples, looks)
        views = {
            image_id: _View(self._squeeze(look), self._sight.left_out[image_id]) for image_id, look in looks.items()
        }
        polar = [example for example in examples if example.answer in YES_NO]
        other = [example for example in examples if example.answer not in YES_NO]
        self._polar = self._learn(polar, views, polar=True)
        self._other = self._learn(other, views, polar=False)
        self._look_at = lru_cache(maxsize=4096)(self._look)
        images = hashlib.sha256(b"".join(looks[image_id].tobytes() for image_id in sorted(looks))).hexdigest()
        self.trained_images = frozenset(looks)
        self.fingerprint = learned_fingerprint(
            *("builtin:bow-image", hash_examples(examples), images),
            code=("falter.data.images", "falter.data.model"),
            library="scikit-learn",
        )

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        replies: dict[int, Reply] = {}
        seen: list[tuple[int, _View]] = []
        for index, request in enumerate(batch):
            try:
                seen.append((index, self._look_at(request.image, request.image_sha256, request.image_id)))
            except PermanentError as failure:
                replies[index] = failed_reply(request.item_id, failure)
        if seen:
            requests = [batch[index] for index, _ in seen]
            answers = self._answer(requests, [view for _, view in seen])
            for (index, _), request, answer in zip(seen, requests, answers, strict=True):
                replies[index] = Reply(item_id=request.item_id, answer=answer)
        return [replies[index] for index in range(len(batch))]

    def _answer(self, requests: Sequence[Request], views: Sequence[_View]) -> list[str]:
        texts = [request.text for request in requests]
        allowed = [allowed_answers(request.choices) for request in requests]
        unknown: list[str | None] = [None] * len(requests)
        polar = self._polar.best(self._features(texts, views, polar=True), allowed) if self._polar else unknown
        other = self._other.best(self._features(texts, views, polar=False), allowed) if self._other else unknown
        answers = []
        for request, forms, yes_no, name in zip(requests, allowed, polar, other, strict=True):
            first, second = (yes_no, name) if forms is None and _asks_yes_or_no(request.text) else (name, yes_no)
            if forms is not None and set(YES_NO) & forms.keys():
                first, second = yes_no, name
            answers.append(first or second or min(request.choices or ("yes",)))
        return answers

    def _learn(
        self, examples: Sequence[TrainingExample], views: Mapping[str, _View], *, polar: bool
    ) -> AnswerClassifier | None:
        if not examples:
            return None
        features = self._features(
            [example.text for example in examples], [views[example.image_id] for example in examples], polar=polar
        )
        return AnswerClassifier(
            features,
            [example.answer for example in examples],
            epochs=_EPOCHS,
            strength=_POLAR_STRENGTH if polar else _STRENGTH,
        )

    def _features(self, texts: Sequence[str], views: Sequence[_View], *, polar: bool) -> Any:
        """Words, what the image says, and the products of both, row by row, as a sparse matrix."""
        from scipy import sparse

        if polar:
            pairs = zip(texts, views, strict=True)
            says = np.array([self._sight.expectations(text, view.expected) for text, view in pairs], dtype=np.float32)
        else:
            says = np.stack([view.sides for view in views])
        words = self._words.transform(texts).tocsr().astype(np.float32)
        counts = np.diff(words.indptr)
        rows = np.repeat(np.arange(words.shape[0]), counts)
        width = says.shape[1]
        values = (words.data[:, None] * says[rows]).ravel()
        columns = (words.indices[:, None].astype(np.int64) * width + np.arange(width)).ravel()
        pointers = np.concatenate([[0], np.cumsum(counts.astype(np.int64) * width)])
        products = sparse.csr_matrix((values, columns, pointers), shape=(words.shape[0], words.shape[1] * width))
        return sparse.hstack([words, sparse.csr_matrix(says), products]).tocsr()

    def _look(self, image: Path | None, image_sha256: str | None, image_id: str | None) -> _View:
        shown = Request(item_id="", task="answer", text="", image=image, image_sha256=image_sha256, image_id=image_id)
        return self._view(image_features(load_image(shown, shrink_to=SMALL)))

    def _view(self, look: Look) -> _View:
        return _View(self._squeeze(look), self._sight.words_in(look))


class _View(NamedTuple):
    """The features of an image that the classifiers use."""

    sides: Look
    expected: Look


class _Squeeze:
    """Principal components of image features, scaled to unit variance."""

    def __init__(self, looks: Look) -> None:
        self._centre = looks.mean(axis=0)
        _, spread, axes = np.linalg.svd(looks - self._centre, full_matrices=False)
        kept = min(_SIDES, int((spread > 1e-4 * max(spread[0], 1e-9)).sum())) or 1
        # The sign of an axis is arbitrary: it is fixed, so that equal images always give equal numbers.
        axes = axes[:kept] * np.sign(axes[np.arange(kept), np.abs(axes[:kept]).argmax(axis=1)])[:, None]
        scale = np.maximum(spread[:kept], 1e-6) / np.sqrt(len(looks))
        self._axes = (axes / scale[:, None]).astype(np.float32)

    def __call__(self, look: Look) -> Look:
        sides: Look = np.clip(self._axes @ (look - self._centre), -4, 4).astype(np.float32)
        return sides


def _seen(source: Source) -> tuple[list[TrainingExample], dict[str, Look]]:
    """Examples whose images are available and undamaged, and the features of each image."""
    looks: dict[str, Look | None] = {}
    examples: list[TrainingExample] = []
    for example in draw_examples(source, most=8 * _MOST_EXAMPLES):
        if example.image_id not in looks:
            if len(looks) >= _MOST_IMAGES:
                continue
            looks[example.image_id] = _look_or_none(source, example.image_id)
        if looks[example.image_id] is not None:
            examples.append(example)
        if len(examples) >= _MOST_EXAMPLES:
            break
    if not examples:
        raise InputError(source.name, "has no images to learn from", hint="give a --train SOURCE with its images")
    return examples, {image_id: look for image_id, look in looks.items() if look is not None}


def _look_or_none(source: Source, image_id: str) -> Look | None:
    shown = Request(item_id="", task="answer", text="", image=source.image_path(image_id), image_id=image_id)
    try:
        return image_features(load_image(shown, shrink_to=SMALL))
    except PermanentError:
        return None


def _words_and_opening(text: str) -> list[str]:
    words = split_words(text)
    return [*sorted(set(words)), "^ " + " ".join(words[:2])]


def _asks_yes_or_no(text: str) -> bool:
    return text.split(" ", 1)[0].lower() in ("is", "are", "does", "do", "was", "were", "has", "have", "can", "did")


BOW_IMAGE = learner(
    BowImage, summary="logistic regression over pixels and words; learns in seconds", needs="--train SOURCE with images"
)
