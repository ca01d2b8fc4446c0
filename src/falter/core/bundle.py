"""A suite as one bundle: what Falter knows about one kind of suite, registered once and loaded slot by slot.

A slot holds the thing itself or names it as ``"package.module:attribute"``; ``".module:attribute"`` is relative to the
bundle's ``package``. Nothing is imported before a slot is used, so that listing bundles stays cheap.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from falter.core.errors import FalterError, UsageError
from falter.core.registry import Registry

T = TypeVar("T")

Lazy: TypeAlias = T | str
"""The thing itself, or ``"package.module:attribute"``."""

_BUILT_IN = "falter.suites:BUILT_IN"
_SUITES = "falter.suites:SUITES"
_GROUP = "falter.suites"


@dataclass(frozen=True)
class Command:
    """A command of a bundle, ``falter BUNDLE NAME``.

    ``function`` has a signature that Typer understands; it is imported when the command is called or its help is shown.
    """

    help: str
    function: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Demo:
    """What ``falter demo`` generates of a bundle from the world it has drawn.

    ``source`` is the format of the world in which it is read, such as ``gqa``; ``size`` the pairs per test (None: the
    demo's own number); ``options`` are the bundle's own options by name; ``models`` are the models to run (none: the
    demo's own), ``measures`` the scores to show (none: the demo's own). A ``fallback`` runs only where no bundle has a
    demo that is not one.
    """

    source: str
    size: int | None = None
    tests: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    fallback: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class SuiteBundle:
    """Everything Falter knows about one kind of suite.

    ``suites`` are the values of the column ``suite`` that the bundle answers for; empty stands for its own name.
    """

    name: str
    title: str
    citation: str = ""
    package: str = ""
    """``__name__`` of the bundle's folder, for slots and files relative to it."""
    suites: tuple[str, ...] = ()
    generator: Lazy[Any] | None = None
    """A :class:`falter.generation.authoring.SuiteGenerator`, for ``falter generate``."""
    options: Lazy[type] | None = None
    """The generator's options, a ``msgspec.Struct``: command line, Python and manifest read the same declaration."""
    importers: Mapping[str, Lazy[Any]] = field(default_factory=dict)
    """By name a :class:`falter.generation.authoring.Importer`, for ``falter import NAME``."""
    audit: Lazy[Any] | None = None
    """Labels that no query holds: ``(probe, source)`` to what is wrong, or ""."""
    contents: Lazy[Any] | None = None
    """Further tables of ``falter inspect``."""
    measures: Lazy[Sequence[Any]] = ()
    """Measures beside those of every suite, for the bundle's suites alone."""
    summaries: Lazy[Sequence[Any]] = ()
    """Tests taken together."""
    layouts: Lazy[Sequence[Any]] = ()
    """Layouts of released score files: a row to ``(source_id, fields)``, or None where it is in another layout.

    ``fields`` holds the prediction under the names of Falter's own layout: answer, text, score, score_kind. A row that
    is in the layout and malformed is a ValueError, to which the reader adds the file and the record.
    """
    panels: Lazy[Sequence[Any]] = ()
    """Sections of the report and the viewer."""
    published: str = ""
    """A YAML file of published figures in the bundle's folder."""
    commands: Mapping[str, Command] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)
    """By name a function that Python finds as ``falter.NAME``."""
    extension_names: Mapping[str, str] = field(default_factory=dict)
    """By name what plugins of this suite import from ``falter.extend``."""
    training: Mapping[str, Lazy[Any]] = field(default_factory=dict)
    """By format a writer of training files, for ``falter generate --as training``."""
    exporters: Mapping[str, Lazy[Any]] = field(default_factory=dict)
    """By name a :class:`falter.evaluation.exporting.Exporter`, for ``falter export --to NAME``."""
    demo: Demo | None = None
    _resolved: dict[tuple[str, str], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def suite_names(self) -> tuple[str, ...]:
        """The values of the column ``suite`` that the bundle answers for."""
        return self.suites or (self.name,)

    def get(self, slot: str, key: str = "") -> Any:
        """What a slot holds, imported now; with ``key``, one entry of a slot that is a mapping.

        An empty slot gives what it holds: None, () or an empty mapping.

        >>> SuiteBundle(name="mine", title="Mine", generator="collections:Counter").get("generator")
        <class 'collections.Counter'>
        """
        if (slot, key) not in self._resolved:
            if slot not in _SLOTS:
                raise UsageError(f"a bundle has no slot {slot!r}; slots: {', '.join(sorted(_SLOTS))}")
            held = getattr(self, slot)
            if key:
                if key not in held:
                    raise UsageError(f"{self.name} has no {slot} {key!r}; available: {', '.join(sorted(held))}")
                held = held[key]
            where = f"{slot} {key}".strip()
            self._resolved[slot, key] = self._load(where, held) if isinstance(held, str) and held else held
        return self._resolved[slot, key]

    def load_command(self, name: str) -> Any:
        """The function of one of the bundle's commands."""
        if name not in self.commands:
            raise UsageError(f"{self.name} has no command {name!r}; available: {', '.join(sorted(self.commands))}")
        return self._load(f"commands {name}", self.commands[name].function)

    def path(self, name: str) -> Path:
        """A file in the bundle's folder, such as that of its published figures."""
        module = sys.modules.get(self.package)
        if module is None:
            spec = importlib.util.find_spec(self.package) if self.package else None
            origin = None if spec is None else spec.origin
        else:
            origin = module.__file__
        if origin is None:
            raise UsageError(f"the bundle {self.name!r} names the file {name!r} and no package that holds it")
        return Path(origin).parent / name

    def _load(self, where: str, target: str) -> Any:
        module, _, attribute = target.partition(":")
        try:
            if module.startswith("."):
                module = importlib.util.resolve_name(module, self.package)
            return getattr(importlib.import_module(module), attribute)
        except FalterError:
            raise
        except Exception as error:
            raise UsageError(
                f"the slot {where!r} of the bundle {self.name!r} cannot be loaded from {target}: "
                f"{type(error).__name__}: {error}"
            ) from error


_SLOTS = (
    {one.name for one in fields(SuiteBundle)}
    - {"name", "title", "citation", "package", "suites", "_resolved"}
    - {
        "published",
        "commands",
        "demo",
    }
)


class Bundles(Registry[SuiteBundle]):
    """All bundles: Falter's own, those of installed packages, and those that ``--plugin-dir`` has added."""

    def __init__(self) -> None:
        super().__init__("suite", _GROUP, {})
        self.problems: dict[str, str] = {}
        """By name why a bundle was left out of a listing."""
        self._hidden: set[str] = set()

    @cached_property
    def _entries(self) -> dict[str, str]:
        module, _, attribute = _BUILT_IN.partition(":")
        entries: dict[str, str] = dict(getattr(importlib.import_module(module), attribute))
        for point in entry_points(group=self.group):
            if point.name in entries:
                self.problems[point.value] = f"the name {point.name!r} is taken by {entries[point.name]}"
            else:
                entries[point.name] = point.value
        return entries

    def names(self) -> list[str]:
        return [name for name in super().names() if name not in self._hidden]

    def __contains__(self, name: str) -> bool:
        return name not in self._hidden and super().__contains__(name)

    def add(self, name: str, thing: SuiteBundle) -> None:
        """Register a bundle; a name, or a value of the column ``suite``, that is taken is an error."""
        for suite in thing.suite_names:
            taken = bundle_of(suite)
            if taken is not None:
                raise UsageError(
                    f"the bundle {name!r} is for the suite {suite!r}, which belongs to {taken.name!r}; "
                    "choose another name"
                )
        super().add(name, thing)

    def get(self, name: str) -> SuiteBundle:
        if name in self._hidden:
            raise UsageError(f"unknown {self.noun} {name!r}: there are {', '.join(self.names())}")
        found = super().get(name)
        if not isinstance(found, SuiteBundle):
            raise UsageError(f"the {self.noun} {name!r} is a {type(found).__name__}, not a SuiteBundle")
        return found

    @cached_property
    def own_suites(self) -> dict[str, str]:
        """By suite the bundle of Falter that answers for it."""
        module, _, attribute = _SUITES.partition(":")
        return dict(getattr(importlib.import_module(module), attribute))

    def available(self, among: Collection[str] | None = None) -> list[SuiteBundle]:
        """Every bundle that can be loaded, or those of some names; why others cannot is in :attr:`problems`."""
        found = []
        for name in self.names():
            if among is not None and name not in among:
                continue
            try:
                found.append(self.get(name))
            except UsageError as error:
                self.problems[name] = str(error)
        return found

    @contextmanager
    def without(self, name: str) -> Iterator[None]:
        """Do without a bundle for a while, to test that nothing else needs it."""
        self._hidden.add(name)
        try:
            yield
        finally:
            self._hidden.discard(name)


BUNDLES = Bundles()
"""Every suite that Falter can generate or import."""


def bundle_of(suite: str) -> SuiteBundle | None:
    """The bundle that answers for a value of the column ``suite``, or None."""
    own = BUNDLES.own_suites
    for among in ({own.get(suite, "")}, set(BUNDLES.names()) - set(own.values())):
        for bundle in BUNDLES.available(among):
            if suite in bundle.suite_names:
                return bundle
    return None


def bundle_function(name: str) -> Any:
    """The function that a bundle gives Python under this name (``falter.NAME``), or None."""
    return _find_name("functions", name)


def bundle_extension_name(name: str) -> Any:
    """What a bundle gives plugins under this name (``falter.extend.NAME``), or None."""
    return _find_name("extension_names", name)


def _find_name(slot: str, name: str) -> Any:
    for bundle in BUNDLES.available():
        if name in getattr(bundle, slot):
            return bundle.get(slot, name)
    return None
