"""What goes wrong while a checkpoint is opened, as one line that says what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from falter.errors import FalterError, InputError, UsageError
from falter.models.weights.devices import is_out_of_memory
from falter.nlp.hub import hub_unreachable

__all__ = ["explain_load_errors"]

_OFFLINE = ("couldn't connect", "connection error", "offline", "failed to resolve", "name resolution", "max retries")
_NOT_THERE = ("is not a valid model identifier", "repository not found", "401 client error", "404 client error")
_PACKAGE = re.compile(r"pip install (?:-U )?[`']?([\w-]+)|requires? the ([\w-]+) library|No module named '([\w-]+)")


@contextmanager
def explain_load_errors(source: str, what: str) -> Iterator[None]:
    """Turn whatever transformers raises while it reads ``what`` of a checkpoint into one clear line."""
    try:
        yield
    except FalterError:
        raise
    except Exception as error:
        raise _line(source, what, error) from error


def _line(source: str, what: str, error: Exception) -> FalterError:
    said = " ".join(str(error).split())
    low = said.lower()
    if is_out_of_memory(error):
        return UsageError(f"{source} does not fit the memory: give --dtype bf16, another --device, or a smaller model")
    if "trust_remote_code" in low:
        return UsageError(
            f"{source} brings its own Python code, which is not run unless you say so: read it, then give "
            "--trust-remote-code"
        )
    if isinstance(error, ImportError):
        found = _PACKAGE.search(said)
        package = next((name for name in found.groups() if name), "") if found else ""
        missing = package.lower() or "another package"
        return UsageError(f"the {what} of {source} needs {missing}: pip install {missing}")
    if "gated" in low:
        return UsageError(f"{source} is gated on the hub: accept its terms there, then log in with hf auth login")
    if any(words in low for words in _NOT_THERE):
        return UsageError(f"there is no folder and no model on the hub named {source}: check the name")
    if any(words in low for words in _OFFLINE) or isinstance(error, ConnectionError):
        return hub_unreachable(source)
    if "does not recognize this architecture" in low or "unrecognized model" in low:
        return InputError(
            source, "is of a kind that the installed transformers does not know", hint="pip install -U transformers"
        )
    return InputError(source, f"the {what} cannot be read: {_shorten(error, said)}", hint=_REMEDIES.get(what, ""))


def _shorten(error: Exception, said: str) -> str:
    first = re.split(r"(?<=[.!]) ", said, maxsplit=1)[0]
    return f"{first or type(error).__name__}"[:300]


_REMEDIES = {
    "configuration": "config.json should be what save_pretrained wrote",
    "processor": "put preprocessor_config.json and the tokenizer's files beside the weights, as the model came with",
    "tokenizer": "put tokenizer.json or vocab.txt and tokenizer_config.json beside the weights",
    "weights": "put model.safetensors (all of its parts) beside config.json, or download it again",
}
