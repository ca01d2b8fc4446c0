"""What each family of models must say, so that one model can be made of any of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

from falter.images.blank import blank_image
from falter.models.prompts import Prompt
from falter.models.request import Request
from falter.models.request_image import load_image
from falter.models.weights.batching_config import LoadedRequest
from falter.models.weights.devices import Placement
from falter.probes import Task
from falter.runs.reply import Reply

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["ModelInputs", "Pipeline", "move_to_device"]


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
