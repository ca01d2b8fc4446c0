"""Predictions made elsewhere, read back from a file: ``file:PATH``."""

from falter.evaluation.models.predictions.model import PredictionsModel, load_predictions

__all__ = ["PredictionsModel", "load_predictions"]
