"""The Hugging Face hub: whether it can be reached, found out with one request, and what was downloaded from it before.

The transformers library makes an empty tokenizer where its files are missing, and says nothing: a tokenizer is checked
for whether it knows any words.
"""

from __future__ import annotations

from typing import Any

from falter.core.errors import UsageError
from falter.core.optional_packages import import_package

__all__ = ["has_vocabulary", "hub_arguments", "hub_unreachable"]

_CONFIGURATIONS = ("config.json", "tokenizer_config.json")
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


def hub_arguments(source: str, revision: str | None = None, more: str = "") -> dict[str, Any]:
    """What ``from_pretrained`` is given besides for an id of the hub.

    Where the hub cannot be reached only what was downloaded before counts, or every file would be tried again and again
    for half a minute; what was not is an error at once, which ``more`` may end.
    """
    if is_hub_reachable():
        return {}
    if not is_downloaded(source, revision):
        raise hub_unreachable(source, more)
    return {"local_files_only": True}


def is_downloaded(source: str, revision: str | None) -> bool:
    """Whether the configuration of a checkpoint of the hub, or its tokenizer's, is on disk."""
    found = _hub().try_to_load_from_cache
    try:
        return any(isinstance(found(source, file, revision=revision), str) for file in _CONFIGURATIONS)
    except ValueError:
        # It cannot be an id: a folder that is not there, with more than one slash.
        return False


def hub_unreachable(source: str, more: str = "") -> UsageError:
    """What to say of an id that is not on disk where there is no hub."""
    return UsageError(
        f"{source} is no folder here and the hub cannot be reached (no network, or HF_HUB_OFFLINE is set): "
        f"download the checkpoint and give its folder{more}"
    )


def _hub() -> Any:
    return import_package("huggingface_hub", "this model")


_SAMPLE = "there is a picture of the man and a dog on the road"


def has_vocabulary(tokenizer: Any) -> bool:
    """Whether plain English becomes tokens that are not all unknown."""
    ids = tokenizer(_SAMPLE, add_special_tokens=False)["input_ids"]
    return any(one != tokenizer.unk_token_id for one in ids)
