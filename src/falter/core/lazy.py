"""Names of a package that are imported when they are first used, so that importing the package stays fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, str], others: Callable[[str], Any] | None = None
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package, from the module that each of its names comes from.

    ``others`` resolves public names that are not in ``modules``; it returns None for those that it does not know. Type
    checkers do not see through this: the package imports the same names under ``TYPE_CHECKING``.

    >>> get = lazy_names(__name__, {"Counter": "collections"})
    >>> get("Counter")("aab")["a"]
    2
    """

    def get(name: str) -> Any:
        value = None
        if name in modules:
            value = getattr(importlib.import_module(modules[name]), name)
        elif others is not None and not name.startswith("_"):
            value = others(name)
        if value is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return get
