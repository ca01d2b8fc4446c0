"""ViLT, BLIP and BLIP-2, from pixels: answers from a list of labels, or how well a text fits an image.

ViLT has both heads; BLIP and BLIP-2 have one that tells whether a text belongs to an image.
"""

from __future__ import annotations

import re
import threading
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from falter.core.errors import InputError
from falter.core.files import Int64, read_json, read_text
from falter.core.tables import format_count
from falter.data.items import YES_NO
from falter.data.model import Reply, Request
from falter.data.model_options import AnswerBy, ModelOptions
from falter.data.normalize import normalize
from falter.evaluation.models.prompts import load_prompt
from falter.evaluation.models.weights.batching import LoadedRequest
from falter.evaluation.models.weights.checkpoint import Checkpoint, load_processor
from falter.evaluation.models.weights.devices import Placement, load_torch
from falter.evaluation.models.weights.pipeline import (
    ModelInputs,
    Pipeline,
    check_length,
    max_text_tokens,
    move_to_device,
    pad_images,
    preprocess_pixels,
    tokenize,
)

if TYPE_CHECKING:
    from PIL.Image import Image

_FILES = ("label2ans.json", "trainval_label2ans.json", "answers.json", "labels.json", "labels.txt", "answers.txt")
_PLACE = re.compile(r"[0-9]{1,9}")
_NAMELESS = re.compile(r"LABEL_\d+")


class Labels:
    """Reads the scores of a classifier as replies."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._places: dict[str, list[int]] = {}
        for place, name in enumerate(self.names):
            self._places.setdefault(normalize(name), []).append(place)

    @property
    def know_yes_and_no(self) -> bool:
        """Whether a caption can be matched by asking about it."""
        return "yes" in self._places and "no" in self._places

    def answer(self, request: Request, logits: Any, answer_by: AnswerBy) -> Reply:
        """The likeliest label; with ``likelihood``, the likeliest of those that are among the choices."""
        logprobs = logits.double().log_softmax(-1)
        if answer_by == "likelihood" and request.choices:
            found = {choice: self._places.get(normalize(choice)) for choice in request.choices}
            scores = {choice: float(logprobs[places].logsumexp(0)) for choice, places in found.items() if places}
            if not scores:
                return Reply(item_id=request.item_id, status="unsupported", error="no choice is an answer it can give")
            return Reply(item_id=request.item_id, choice_scores=scores, score_kind="logprob")
        return Reply(item_id=request.item_id, text=self.names[int(logprobs.argmax())])

    def match(self, request: Request, logits: Any) -> Reply:
        """The probability of yes against no."""
        wide = logits.double()
        yes, no = (wide[self._places[word]].logsumexp(0) for word in YES_NO)
        return Reply(item_id=request.item_id, score=float((yes - no).sigmoid()), score_kind="probability")


def load_labels(checkpoint: Checkpoint, count: int) -> Labels:
    """The names of a classifier's answers: from the user's file, from the configuration, or from beside the weights."""
    if checkpoint.labels is not None:
        return _check_labels(read_label_names(checkpoint.labels), count, checkpoint.labels)
    named: dict[int, str] = getattr(checkpoint.config, "id2label", None) or {}
    if len(named) == count and not all(_NAMELESS.fullmatch(name) for name in named.values()):
        return Labels([named[place] for place in sorted(named)])
    if checkpoint.is_local:
        for name in _FILES:
            path = Path(checkpoint.source) / name
            if path.is_file():
                return _check_labels(read_label_names(path), count, path)
    raise InputError(
        checkpoint.source,
        f"its {count} answers have no names",
        hint=f"give the list of answers it was trained with: hf:{checkpoint.source},labels=FILE",
    )


def read_label_names(path: Path) -> list[str]:
    what, hint = "a list of answers", "a JSON list, or one answer a line"
    if path.suffix != ".json":
        return read_text(path, what=what, hint=hint).splitlines()
    raw: Any = read_json(path, cast(type[Any], list[str] | dict[str, str | Int64]), what=what, hint=hint)
    if isinstance(raw, list):
        return raw
    named_by_place = all(_PLACE.fullmatch(key) for key in raw)
    if not all(isinstance(value, str if named_by_place else int) for value in raw.values()):
        raise InputError(path, f"is not {what}: it maps names to texts", hint=hint)
    places = [(int(key), value) if named_by_place else (value, key) for key, value in raw.items()]
    return [name for _, name in sorted(places, key=lambda pair: pair[0])]


def _check_labels(names: list[str], count: int, path: Path) -> Labels:
    if len(names) != count:
        raise InputError(
            path,
            f"has {format_count(len(names), 'answers')}, and the model gives {count}",
            hint="give the list it came with",
        )
    return Labels(names)


_SEEDING = threading.Lock()


class _ViltPipeline(Pipeline):
    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        self._processor = load_processor(checkpoint)
        self.tokenizer = self._processor.tokenizer
        self._most = max_text_tokens(checkpoint.config)
        self.prompt = load_prompt(options, default="plain")

    def collate(self, loaded: list[LoadedRequest]) -> ModelInputs:
        requests = [one.request for one in loaded]
        inputs = tokenize(self.tokenizer, [self.prompt_text(request) for request in requests], self._most)
        pixels = pad_images([one.image for one in loaded])
        return ModelInputs(requests, inputs | {"pixel_values": pixels.values, "pixel_mask": pixels.mask})

    def preprocess_image(self, image: Image) -> Any:
        return preprocess_pixels(self._processor.image_processor, image)

    def configure(self, model: Any) -> None:
        """Make it deterministic: ViLT draws the order of patches, which changes the last digits of its scores."""
        embeddings = model.vilt.embeddings
        drawn = embeddings.visual_embed
        torch = load_torch()

        def settled(*given: Any, **named: Any) -> Any:
            with _SEEDING, torch.random.fork_rng(devices=[]):
                torch.manual_seed(0)
                return drawn(*given, **named)

        embeddings.visual_embed = settled

    def _logits(self, model: Any, place: Placement, batch: ModelInputs) -> Any:
        with place.running():
            return model(**move_to_device(batch.inputs, model)).logits.float().cpu()


class ViltVqaPipeline(_ViltPipeline):
    """A classifier over a list of answers."""

    class_name = "ViltForQuestionAnswering"
    prompted_tasks = frozenset(("answer", "match"))

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        super().__init__(checkpoint, options)
        self._labels = load_labels(checkpoint, checkpoint.config.num_labels)
        self._answer_by = options.answer_by
        self.fingerprint_parts = self._labels.names
        self.tasks = frozenset(("answer", "match") if self._labels.know_yes_and_no else ("answer",))
        self.method = f"decide:{options.answer_by},match:yes-no"

    def prompt_text(self, request: Request) -> str:
        return self.prompt.question(request)

    def infer(self, model: Any, place: Placement, batch: ModelInputs) -> list[Reply]:
        logits = self._logits(model, place, batch)
        return [
            self._labels.match(request, row)
            if request.task == "match"
            else self._labels.answer(request, row, self._answer_by)
            for request, row in zip(batch.requests, logits, strict=True)
        ]


class ViltMatchingPipeline(_ViltPipeline):
    """A score for an image and a text."""

    class_name = "ViltForImageAndTextRetrieval"
    tasks = frozenset(("match",))
    method = "match:head"

    def prompt_text(self, request: Request) -> str:
        return request.text

    def infer(self, model: Any, place: Placement, batch: ModelInputs) -> list[Reply]:
        scores = self._logits(model, place, batch)[:, 0].double().sigmoid()
        return [
            Reply(item_id=request.item_id, score=float(score), score_kind="probability")
            for request, score in zip(batch.requests, scores, strict=True)
        ]


class _MatchingPipeline(Pipeline):
    tasks = frozenset(("match",))
    method = "match:head"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        self._processor = load_processor(checkpoint)
        self.tokenizer = self._processor.tokenizer
        self.prompt = load_prompt(options, default="plain")
        self._most = self.longest(checkpoint.config)

    def longest(self, config: Any) -> int | None:
        """How many tokens the text may have."""
        return max_text_tokens(config)

    def prompt_text(self, request: Request) -> str:
        return request.text

    def collate(self, loaded: list[LoadedRequest]) -> ModelInputs:
        requests = [one.request for one in loaded]
        self.tokenizer.padding_side = "right"
        inputs = self.tokens([request.text for request in requests])
        check_length(inputs["attention_mask"], self._most)
        return ModelInputs(requests, inputs | {"pixel_values": pad_images([one.image for one in loaded]).values})

    def preprocess_image(self, image: Image) -> Any:
        return preprocess_pixels(self._processor.image_processor, image)

    def tokens(self, texts: list[str]) -> dict[str, Any]:
        """Texts as the model takes them."""
        return dict(self._processor(text=texts, padding=True, return_tensors="pt"))

    @abstractmethod
    def logits(self, model: Any, inputs: dict[str, Any]) -> Any:
        """Two numbers for each pair: no match, match."""

    def infer(self, model: Any, place: Placement, batch: ModelInputs) -> list[Reply]:
        with place.running():
            logits = self.logits(model, move_to_device(batch.inputs, model)).double().cpu()
        scores = (logits[:, 1] - logits[:, 0]).sigmoid()
        return [
            Reply(item_id=request.item_id, score=float(score), score_kind="probability")
            for request, score in zip(batch.requests, scores, strict=True)
        ]


class BlipMatchingPipeline(_MatchingPipeline):
    """BLIP's image-text matching."""

    class_name = "BlipForImageTextRetrieval"

    def logits(self, model: Any, inputs: dict[str, Any]) -> Any:
        # The model's own forward makes one of its masks on the CPU.
        seen = model.vision_model(pixel_values=inputs["pixel_values"]).last_hidden_state
        read = model.text_encoder(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            encoder_hidden_states=seen,
            encoder_attention_mask=inputs["input_ids"].new_ones(seen.shape[:2]),
        )
        return model.itm_head(read.last_hidden_state[:, 0])


class Blip2MatchingPipeline(_MatchingPipeline):
    """BLIP-2's image-text matching, by its querying transformer."""

    class_name = "Blip2ForImageTextRetrieval"

    def longest(self, config: Any) -> int | None:
        return int(config.qformer_config.max_position_embeddings)

    def tokens(self, texts: list[str]) -> dict[str, Any]:
        inputs = super().tokens(texts)
        count = self._processor.num_query_tokens
        if count is None:
            return inputs
        # The processor puts the tokens of the image before the text only where it sees the image itself.
        mark = self.tokenizer.convert_tokens_to_ids(str(getattr(self._processor.image_token, "content", "<image>")))
        ids, mask = inputs["input_ids"], inputs["attention_mask"]
        torch = load_torch()
        return {
            "input_ids": torch.cat([ids.new_full((len(ids), count), mark), ids], dim=1),
            "attention_mask": torch.cat([mask.new_ones((len(ids), count)), mask], dim=1),
        }

    def logits(self, model: Any, inputs: dict[str, Any]) -> Any:
        return model(**inputs, use_image_text_matching_head=True).logits_per_image
