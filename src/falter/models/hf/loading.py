"""Making a model from ``hf:ID_OR_PATH``."""

from __future__ import annotations

from falter.models.hf.model import HuggingFaceModel
from falter.models.hf.pipeline_selection import select_pipeline
from falter.models.load_context import LoadContext
from falter.models.weights.checkpoint import open_checkpoint
from falter.models.weights.devices import load_torch, placements
from falter.models.weights.load import load_weights
from falter.models.weights.processor import check_vocabulary
from falter.models.weights.smoke_test import smoke_test

__all__ = ["load_hf"]


def load_hf(rest: str, context: LoadContext) -> HuggingFaceModel:
    """Open a checkpoint, take the pipeline of its family, and put a copy of the weights on each device."""
    load_torch()
    options = context.options
    placed = placements(options)
    checkpoint = open_checkpoint(rest, options)
    pipeline = select_pipeline(checkpoint, options)
    copies = []
    for place in placed:
        model = load_weights(checkpoint, pipeline.class_name, place)
        check_vocabulary(checkpoint, pipeline.tokenizer, model)
        pipeline.configure(model)
        copies.append((model, place))
    smoke_test(checkpoint, pipeline, *copies[0])
    # By what the weights are, not by what was asked for: the same run can go on elsewhere.
    precision = f"{copies[0][0].dtype}{' mixed' if placed[0].mixed else ''}"
    return HuggingFaceModel(checkpoint.name, pipeline, copies, weights=checkpoint.fingerprint(), precision=precision)
