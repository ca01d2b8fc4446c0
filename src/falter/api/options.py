"""The structs of options that commands and functions share, for the command line."""

from falter.data.model_options import OWN_OPTIONS, ModelOptions
from falter.data.run_options import RunOptions

__all__ = ["OWN_OPTIONS", "ModelOptions", "RunOptions"]
