"""Names of sources, suites, tests, models and measures, imported only when they are used.

An entry is ``"package.module:attribute"``. Falter's own are in :mod:`~.builtin_parts`; packages from outside
add theirs under the entry point groups ``falter.sources``, ``falter.suites`` and so on, and a folder given with
``--plugin-dir`` adds to a registry with :meth:`Registry.add`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from falter.core.builtin_parts import BUILTIN_PARTS
from falter.core.errors import UsageError

T = TypeVar("T")


class Registry(Generic[T]):
    """A lazy, named collection, open to entry points."""

    def __init__(self, noun: str, group: str, entries: Mapping[str, str] | None = None) -> None:
        """``entries`` are the owner's; without them, those that Falter has for the group."""
        self.noun = noun
        self.group = group
        self._own = dict(BUILTIN_PARTS.get(group, {}) if entries is None else entries)
        self._added: dict[str, T] = {}

    @cached_property
    def _entries(self) -> dict[str, str]:
        entries = dict(self._own)
        for point in entry_points(group=self.group):
            if entries.setdefault(point.name, point.value) != point.value:
                owner = "Falter's own" if point.name in self._own else f"that of {entries[point.name]}"
                package = point.value if point.dist is None else point.dist.name
                raise UsageError(
                    f"the entry point {point.name!r} of {package} in the group {point.group} has the name of a "
                    f"{self.noun} that exists already ({owner}): rename it, or uninstall the package"
                )
        return entries

    @property
    def own(self) -> tuple[str, ...]:
        """The names that the owner of the registry gave it, in their order."""
        return tuple(self._own)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*self._entries, *self._added})

    def __contains__(self, name: str) -> bool:
        return name in self._added or name in self._entries

    def add(self, name: str, thing: T) -> None:
        """Register something that is at hand already; a name that is taken is an error."""
        if name in self:
            raise UsageError(f"there is a {self.noun} named {name!r} already: choose another name")
        self._added[name] = thing

    @contextmanager
    def restored(self, **things: T) -> Iterator[None]:
        """Forget after the block what was added within it, such as the additions of a plugin in a test.

        ``things`` are there within the block, also under a name that is taken.
        """
        before = dict(self._added)
        self._added.update(things)
        try:
            yield
        finally:
            self._added.clear()
            self._added.update(before)

    def get(self, name: str) -> T:
        """The thing behind a name, imported now."""
        if name in self._added:
            return self._added[name]
        try:
            module, _, attribute = self._entries[name].partition(":")
        except KeyError:
            raise UsageError(f"unknown {self.noun} {name!r}: there are {', '.join(self.names())}") from None
        try:
            found: T = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"the {self.noun} {name!r} cannot be loaded from {self._entries[name]}: {error}"
            ) from error
        return found
