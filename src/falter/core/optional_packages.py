"""Packages that only some parts of Falter need: the extra that installs each, and the error where one is missing."""

from __future__ import annotations

import importlib
import importlib.util
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from falter.core.errors import UsageError

__all__ = ["EXTRAS", "import_package", "one_thread", "require_packages"]

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
