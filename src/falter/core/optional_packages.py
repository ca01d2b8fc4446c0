"""Packages, weights and hubs that may be missing: what to install, and how a checkpoint of a hub is named."""

from __future__ import annotations

import importlib
import importlib.util
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from falter.core.errors import UsageError

EXTRAS = {
    "generate": {
        "bm25s": "bm25s",
        "cv2": "opencv-python-headless",
        "nltk": "nltk",
        "simplejpeg": "simplejpeg",
        "sklearn": "scikit-learn",
        "spacy": "spacy",
    },
    "hf": {
        "gguf": "gguf",
        "huggingface_hub": "transformers",
        "sentence_transformers": "sentence-transformers",
        "torch": "torch",
        "transformers": "transformers",
    },
    "server": {"httpx": "httpx", "openai": "openai"},
    "lasso": {"numba": "numba"},
    "view": {"starlette": "starlette", "uvicorn": "uvicorn"},
    "people": {"crowdkit": "crowd-kit"},
    "plot": {"matplotlib": "matplotlib"},
    "inspect": {"inspect_ai": "inspect-ai"},
}
"""By extra the modules that it brings and their names as packages; ``pyproject.toml`` has the versions."""

_WITHOUT_EXTRA = {"open_clip": "open_clip_torch", "pandas": "pandas"}


def import_package(module: str, what: str) -> Any:
    """Import a module of an optional package; where it cannot be, the error says what needs it and what installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise _missing_package(module, what, error) from error


def require_packages(*modules: str, what: str, extra: str = "") -> None:
    """Raise the error of :func:`import_package` where a package is not installed, without importing any.

    ``extra`` names the extra where several bring the package.
    """
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise _missing_package(module, what, None, extra)


def one_thread() -> AbstractContextManager[Any]:
    """Numeric libraries with one thread each, where threadpoolctl is installed; scikit-learn brings it.

    Without it they keep their threads, which is slower on small tables and gives the same results.
    """
    try:
        limits: AbstractContextManager[Any] = importlib.import_module("threadpoolctl").threadpool_limits(1)
    except ImportError:
        return nullcontext()
    return limits


def _missing_package(module: str, what: str, error: ImportError | None, extra: str = "") -> UsageError:
    top = module.partition(".")[0]
    extra = extra or next((name for name, modules in EXTRAS.items() if top in modules), "")
    package = EXTRAS[extra].get(top, top) if extra else _WITHOUT_EXTRA.get(top, top)
    # A package that is installed and cannot be imported has a reason of its own.
    is_missing = error is None or (isinstance(error, ModuleNotFoundError) and error.name in (module, top))
    reason = "" if is_missing else f" ({' '.join(str(error).split()):.200})"
    wanted = f"'falter[{extra}]'" if extra else package
    return UsageError(f"{what} needs the package {package}{reason}: pip install {wanted}")


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
