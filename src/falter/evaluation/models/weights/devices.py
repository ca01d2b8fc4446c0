"""The device and precision of weights, as the user chose or as the machine allows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from falter.core.errors import UsageError
from falter.core.optional_packages import import_package
from falter.data.model_options import DTYPES, ModelOptions

_MEMORY_WORDS = ("out of memory", "not enough memory", "can't allocate memory", "alloc_failed", "failed to allocate")
_LOST_WORDS = ("cuda error", "device-side assert", "cublas_status_execution_failed", "hip error", "unspecified launch")
_SPARE = 0.85
"""The part of a GPU's memory that a larger batch may be expected to fill."""


def load_torch() -> Any:
    """PyTorch, or the line that says how to install it."""
    return import_package("torch", "this model")


@dataclass(frozen=True)
class Placement:
    """One device and the precision of the weights on it.

    ``dtype`` is the name of a ``torch.dtype``, or None for the precision of the checkpoint itself. With ``mixed``,
    weights are in single precision and matrix products in ``bfloat16``.
    """

    device: str
    dtype: str | None
    mixed: bool = False

    @property
    def torch_dtype(self) -> Any:
        """As ``from_pretrained(dtype=...)`` takes it."""
        return "auto" if self.dtype is None else getattr(load_torch(), self.dtype)

    @contextmanager
    def running(self) -> Iterator[None]:
        """A context to run a model in: no gradients, with the chosen precision."""
        torch = load_torch()
        with torch.inference_mode():
            if not self.mixed:
                yield
                return
            with torch.autocast(self.device.partition(":")[0], dtype=torch.bfloat16):
                yield

    def has_room(self) -> bool:
        """Whether twice the largest batch so far would fit; False on a CPU, where it is unknown."""
        if not self.device.startswith("cuda"):
            return False
        torch = load_torch()
        peak = torch.cuda.max_memory_allocated(self.device)
        free, _ = torch.cuda.mem_get_info(self.device)
        # Others may be on the device: what they hold is not ours to grow into.
        ours = free + torch.cuda.memory_reserved(self.device)
        return bool(2 * peak < _SPARE * ours)


def placements(options: ModelOptions) -> tuple[Placement, ...]:
    """One placement for each device that the user named; a device named twice carries two copies."""
    torch = load_torch()
    devices = [_device(name.strip(), torch) for name in options.device.split(",")]
    return tuple(_place(device, options.dtype) for device in devices)


def _device(name: str, torch: Any) -> str:
    if name == "auto":
        if torch.cuda.is_available():
            return "cuda:0"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UsageError(f"--device {name!r} is no device: give auto, cpu, cuda, cuda:0 or cuda:0,cuda:1") from None
    if device.type == "cuda":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if (device.index or 0) >= count:
            raise UsageError(
                f"--device {name}: this machine has {count or 'no'} CUDA devices; give --device cpu or auto"
            )
        return f"cuda:{device.index or 0}"
    if device.type == "mps" and not torch.backends.mps.is_available():
        raise UsageError("--device mps: this machine has no such device; give --device cpu or auto")
    if device.type not in {"cpu", "mps"}:
        raise UsageError(f"--device {name}: only cpu, cuda and mps can be used")
    return str(device.type)


def _place(device: str, dtype: str) -> Placement:
    if dtype == "auto":
        # Half precision on a CPU is slow, and its sums depend on how a batch is cut.
        return Placement(device, "float32" if device == "cpu" else None)
    if dtype == "mixed":
        return Placement(device, "float32", mixed=True)
    return Placement(device, DTYPES.get(dtype, dtype))


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that the memory of a device or of the machine was not enough."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _MEMORY_WORDS)


def is_device_lost(error: BaseException) -> bool:
    """Whether a device has stopped working for this process: whatever is asked of it next will fail as well."""
    if is_out_of_memory(error):
        return False
    said = str(error).lower()
    return type(error).__name__ == "AcceleratorError" or (
        isinstance(error, RuntimeError) and any(words in said for words in _LOST_WORDS)
    )


def release_memory() -> None:
    """Release PyTorch's cached memory after a batch did not fit."""
    import gc
    import sys

    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
