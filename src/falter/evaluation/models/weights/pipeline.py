"""What each family of models must say, so that one model can be made of any of them, and what they share.

Images are prepared once and put side by side for a batch; texts in tokens are refused where a model cannot take so
many. One made-up question before the real ones shows at once, in one line, what does not fit together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from falter.core.errors import FalterError, InputError, UsageError
from falter.data.images import blank_image
from falter.data.items import YES_NO, Task
from falter.data.model import PermanentError, Reply, Request, load_image
from falter.evaluation.models.prompts import Prompt
from falter.evaluation.models.weights.batching import LoadedRequest
from falter.evaluation.models.weights.checkpoint import Checkpoint
from falter.evaluation.models.weights.devices import Placement, is_out_of_memory, load_torch

if TYPE_CHECKING:
    from PIL.Image import Image


class ModelInputs(NamedTuple):
    """A batch in tokens and pixels, still in the memory of the machine."""

    requests: list[Request]
    inputs: dict[str, Any]
    row_map: Any = None
    """What the pipeline needs to read the result."""


class Pipeline(ABC):
    """One way from requests to replies: which class the weights are of, what goes in, what comes out."""

    class_name: str
    """The class of transformers that the weights are loaded into."""
    tasks: frozenset[Task]
    prompted_tasks: frozenset[Task] = frozenset()
    """The tasks whose requests are put in the words of the prompt."""
    generates: frozenset[Task] = frozenset()
    """The tasks that are replied to in writing."""
    reads_context = False
    accepts_text_only = False
    """Whether a request without an image can be asked."""
    batch_size = 16
    prompt: Prompt
    tokenizer: Any
    fingerprint_parts: tuple[object, ...] = ()
    """What changes a reply besides weights, prompt and method: features, labels."""
    method = ""
    """How answers and scores come about, for signatures."""

    def load_image(self, request: Request) -> Any:
        """What the model sees of a request's image; made in threads, once for an image."""
        return self.preprocess_image(load_image(request))

    def preprocess_image(self, image: Image) -> Any:
        """What the model sees of an image."""
        return image

    def dummy_image(self) -> Any:
        """What it would see of a grey image."""
        return self.preprocess_image(blank_image())

    def group_key(self, request: Request) -> Hashable:
        """Only requests of one kind share a batch."""
        return request.task

    def length(self, request: Request) -> int:
        """Requests of like length share a batch."""
        return len(request.text)

    @abstractmethod
    def collate(self, loaded: list[LoadedRequest]) -> ModelInputs:
        """Tokens and pixels of a batch."""

    @abstractmethod
    def infer(self, model: Any, place: Placement, batch: ModelInputs) -> list[Reply]:
        """Replies to a batch."""

    def smoke_test(self, model: Any, place: Placement, batch: ModelInputs) -> None:
        """Ask in the cheapest way that uses all parts."""
        self.infer(model, place, batch)

    @abstractmethod
    def prompt_text(self, request: Request) -> str:
        """The text that the model reads for a request."""

    def count_image_tokens(self, width: int, height: int) -> int | None:
        """The tokens of the prompt that an image of this size becomes; None where it becomes none."""
        del width, height
        return None

    def configure(self, model: Any) -> None:
        """Make a loaded model ready; called once for each copy."""
        del model


def move_to_device(inputs: dict[str, Any], model: Any) -> dict[str, Any]:
    """Inputs where the model is, numbers in its precision."""
    moved = {}
    for name, value in inputs.items():
        moved[name] = value.to(model.device, model.dtype if value.is_floating_point() else value.dtype)
    return moved


def preprocess_pixels(image_processor: Any, image: Any) -> Any:
    """One image as numbers: channels, height, width."""
    return image_processor(image, return_tensors="pt")["pixel_values"][0]


class PixelBatch(NamedTuple):
    """Images filled up to one size; ``mask`` tells which pixels are real."""

    values: Any
    mask: Any


def pad_images(pixels: Sequence[Any]) -> PixelBatch:
    """A batch of images, smaller ones filled up with zeros at the right and the bottom."""
    torch = load_torch()
    channels = pixels[0].shape[0]
    height, width = (max(one.shape[axis] for one in pixels) for axis in (1, 2))
    values = pixels[0].new_zeros((len(pixels), channels, height, width))
    mask = torch.zeros((len(pixels), height, width), dtype=torch.int64)
    for row, one in enumerate(pixels):
        values[row, :, : one.shape[1], : one.shape[2]] = one
        mask[row, : one.shape[1], : one.shape[2]] = 1
    return PixelBatch(values, mask)


def max_text_tokens(config: Any) -> int | None:
    """How many tokens a model with learned positions takes."""
    text = getattr(config, "text_config", config)
    most = getattr(text, "max_position_embeddings", None)
    return None if most is None else int(most)


def check_length(mask: Any, most: int | None) -> None:
    """Refuse a batch in which a text is too long: cut off, it would be another text."""
    longest = int(mask.sum(-1).max())
    if most is not None and longest > most:
        raise PermanentError(f"the text has {longest} tokens, and the model takes {most}")


def tokenize(tokenizer: Any, texts: Sequence[str], most: int | None) -> dict[str, Any]:
    """A batch of texts, padded at the end."""
    tokenizer.padding_side = "right"
    encoded = dict(tokenizer(list(texts), padding=True, return_tensors="pt"))
    check_length(encoded["attention_mask"], most)
    return encoded


AS_IT_CAME = "put the preprocessor_config.json and the tokenizer that it came with beside the weights"


def smoke_test(checkpoint: Checkpoint, pipeline: Pipeline, model: Any, place: Placement) -> None:
    """Ask a grey image something; a processor of another model fails here."""
    for task in sorted(pipeline.tasks):
        request = Request(item_id="trial", task=task, text="Is there a dog?", image_id="trial", choices=YES_NO)
        with fits_together(checkpoint.source):
            pipeline.smoke_test(model, place, pipeline.collate([LoadedRequest(request, pipeline.dummy_image())]))


@contextmanager
def fits_together(source: str) -> Iterator[None]:
    """Turn whatever is raised while a checkpoint is tried out into one clear line."""
    try:
        yield
    except FalterError:
        raise
    except Exception as error:
        if is_out_of_memory(error):
            raise UsageError(
                f"{source} fits the memory, but no question does: give -M dtype=bf16, another --device, or a "
                "smaller model"
            ) from error
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise InputError(
            source, f"its processor and its weights do not go together ({said})", hint=AS_IT_CAME
        ) from error
