"""Whether the Hugging Face hub can be reached, found out with one request, and what was downloaded from it before."""

from __future__ import annotations

from falter.models.weights.devices import needed_package

__all__ = ["is_downloaded", "is_hub_reachable"]

_SECONDS = 3.0
"""How long a network that answers nothing is waited for."""


def is_hub_reachable() -> bool:
    """Ask the hub once, through the proxy and at the address that its library is set to; not where that is offline."""
    hub = needed_package("huggingface_hub")
    try:
        hub.get_session().head(hub.constants.ENDPOINT, timeout=_SECONDS)
    except Exception:
        # Versions of the library raise the errors of different HTTP packages; any reply at all is none of them.
        return False
    return True


def is_downloaded(source: str, revision: str | None) -> bool:
    """Whether the configuration of a checkpoint of the hub is on disk."""
    found = needed_package("huggingface_hub").try_to_load_from_cache(source, "config.json", revision=revision)
    return isinstance(found, str)
