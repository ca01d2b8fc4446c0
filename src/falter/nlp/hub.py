"""Whether the Hugging Face hub can be reached, found out with one request, and what was downloaded from it before."""

from __future__ import annotations

import importlib
from typing import Any

from falter.errors import UsageError

__all__ = ["hub_unreachable", "is_downloaded", "is_hub_reachable"]

_SECONDS = 3.0
"""How long a network that answers nothing is waited for."""


def is_hub_reachable() -> bool:
    """Ask the hub once, through the proxy and at the address that its library is set to; not where that is offline."""
    hub = _hub()
    try:
        hub.get_session().head(hub.constants.ENDPOINT, timeout=_SECONDS)
    except Exception:
        # Versions of the library raise the errors of different HTTP packages; any reply at all is none of them.
        return False
    return True


def is_downloaded(source: str, revision: str | None) -> bool:
    """Whether the configuration of a checkpoint of the hub is on disk."""
    return isinstance(_hub().try_to_load_from_cache(source, "config.json", revision=revision), str)


def hub_unreachable(source: str, more: str = "") -> UsageError:
    """What to say of an id that is not on disk where there is no hub."""
    return UsageError(
        f"{source} is no folder here and the hub cannot be reached (no network, or HF_HUB_OFFLINE is set): "
        f"download the checkpoint and give its folder{more}"
    )


def _hub() -> Any:
    try:
        return importlib.import_module("huggingface_hub")
    except ImportError as error:
        raise UsageError(
            f"this model needs the package huggingface_hub ({error}): pip install 'falter[torch]'"
        ) from error
