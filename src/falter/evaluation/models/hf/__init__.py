"""Models of Hugging Face transformers, chosen by their configuration: ``hf:ID_OR_PATH``."""

from falter.evaluation.models.hf.model import load_hf
from falter.evaluation.models.hf.region_features import RegionDetector

__all__ = ["RegionDetector", "load_hf"]
