"""What each family of models must say, so that one model can be made of any of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

from falter.images.blank import blank_image
from falter.models.prompts import Prompt
from falter.models.request import Request
from falter.models.request_image import load_image
from falter.models.weights.batching_config import Loaded
from falter.models.weights.devices import Placement
from falter.probes import Task
from falter.runs.reply import Reply

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Prepared", "Road", "on_device"]


class Prepared(NamedTuple):
    """A batch in tokens and pixels, still in the memory of the machine."""

    requests: list[Request]
    inputs: dict[str, Any]
    way: Any = None
    """What the road needs to read the result."""


class Road(ABC):
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
    """Whether a request without a picture can be asked."""
    batch_size = 16
    prompt: Prompt
    tokenizer: Any
    identity: tuple[object, ...] = ()
    """What changes a reply besides weights, prompt and method: features, labels."""
    method = ""
    """How answers and scores come about, for signatures."""

    def load(self, request: Request) -> Any:
        """What the model sees of a request's picture; made in threads, once for a picture."""
        return self.seen(load_image(request))

    def seen(self, picture: Image) -> Any:
        """What the model sees of a picture."""
        return picture

    def trial_picture(self) -> Any:
        """What it would see of a grey picture."""
        return self.seen(blank_image())

    def kind(self, request: Request) -> Hashable:
        """Only requests of one kind share a batch."""
        return request.task

    def length(self, request: Request) -> int:
        """Requests of like length share a batch."""
        return len(request.text)

    @abstractmethod
    def prepare(self, loaded: list[Loaded]) -> Prepared:
        """Tokens and pixels of a batch."""

    @abstractmethod
    def ask(self, model: Any, place: Placement, prepared: Prepared) -> list[Reply]:
        """Replies to a batch."""

    def try_out(self, model: Any, place: Placement, prepared: Prepared) -> None:
        """Ask in the cheapest way that uses all parts."""
        self.ask(model, place, prepared)

    @abstractmethod
    def said(self, request: Request) -> str:
        """The text that the model reads for a request."""

    def fit(self, model: Any) -> None:
        """Make a loaded model ready; called once for each copy."""
        del model


def on_device(inputs: dict[str, Any], model: Any) -> dict[str, Any]:
    """Inputs where the model is, numbers in its precision."""
    moved = {}
    for name, value in inputs.items():
        moved[name] = value.to(model.device, model.dtype if value.is_floating_point() else value.dtype)
    return moved
