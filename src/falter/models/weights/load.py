"""Loading weights onto a device, and refusing those that lack what is asked of them."""

from __future__ import annotations

from typing import Any

from falter.errors import InputError
from falter.models.weights.checkpoint import Checkpoint
from falter.models.weights.devices import Placement, needed_package
from falter.models.weights.load_errors import explain_load_errors

__all__ = ["load_weights"]

_SHOWN = 2


def load_weights(checkpoint: Checkpoint, class_name: str, place: Placement) -> Any:
    """A model of a class of transformers, in evaluation mode on its device.

    Tensors that the files lack would be random numbers, and no warning would tell: that is refused here.
    """
    made = getattr(needed_package("transformers"), class_name)
    with explain_load_errors(checkpoint.source, "weights"):
        model, report = made.from_pretrained(
            checkpoint.source, dtype=place.torch_dtype, output_loading_info=True, **checkpoint.arguments
        )
    missing = sorted({*report["missing_keys"], *(name for name, *_ in report.get("mismatched_keys", ()))})
    if missing:
        shown = ", ".join(missing[:_SHOWN]) + (", ..." if len(missing) > _SHOWN else "")
        raise InputError(
            checkpoint.source,
            f"the weights lack {len(missing)} tensors that a {type(model).__name__} needs ({shown})",
            hint="give the checkpoint that was trained for the task",
        )
    with explain_load_errors(checkpoint.source, "weights"):
        return model.to(place.device).eval()
