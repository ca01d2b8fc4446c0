"""Whether the packages are installed that serve pages."""

from __future__ import annotations

from importlib.util import find_spec

from falter.errors import UsageError

__all__ = ["require_server_packages"]


def require_server_packages(extra: str) -> None:
    """Say what to install where starlette or uvicorn is missing."""
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UsageError(f"the page needs {' and '.join(missing)}: pip install 'falter[{extra}]'")
