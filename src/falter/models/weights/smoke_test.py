"""One made-up question before the real ones: what does not fit together shows at once, in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from falter.errors import FalterError, InputError, UsageError
from falter.models.request import Request
from falter.models.weights.batching_config import LoadedRequest
from falter.models.weights.checkpoint import Checkpoint
from falter.models.weights.devices import Placement, is_out_of_memory
from falter.models.weights.pipeline import Pipeline

__all__ = ["AS_IT_CAME", "fits_together", "smoke_test"]


AS_IT_CAME = "put the preprocessor_config.json and the tokenizer that it came with beside the weights"


def smoke_test(checkpoint: Checkpoint, pipeline: Pipeline, model: Any, place: Placement) -> None:
    """Ask a grey image something; a processor of another model fails here."""
    for task in sorted(pipeline.tasks):
        request = Request(item_id="trial", task=task, text="Is there a dog?", image_id="trial", choices=("yes", "no"))
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
                f"{source} fits the memory, but no question does: give --dtype bf16, another --device, or a "
                "smaller model"
            ) from error
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise InputError(
            source, f"its processor and its weights do not go together ({said})", hint=AS_IT_CAME
        ) from error
