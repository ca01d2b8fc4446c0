"""Models that come with Falter: baselines and upper bounds."""

from __future__ import annotations

from dataclasses import replace

from falter.errors import UsageError
from falter.models.builtin.entry import Builtin, SpecOptions
from falter.models.load_context import LoadContext
from falter.models.protocol import Model
from falter.registry import Registry
from falter.sources import open_source

__all__ = ["BUILTINS", "Builtin", "load_builtin", "parse_builtin"]

BUILTINS: Registry[Builtin] = Registry(
    "builtin model",
    "falter.models.builtin",
    {
        "oracle": "falter.models.builtin.oracle:ORACLE",
        "noisy-oracle": "falter.models.builtin.noisy_oracle:NOISY_ORACLE",
        "always-yes": "falter.models.builtin.always_yes:ALWAYS_YES",
        "prior": "falter.models.builtin.prior:PRIOR",
        "blind": "falter.models.builtin.blind:BLIND",
        "bow-image": "falter.models.builtin.bow_image:BOW_IMAGE",
    },
)


def parse_builtin(rest: str) -> tuple[str, dict[str, str], str | None]:
    """Take ``NAME[,key=value...][@SOURCE]`` apart; everything after ``@`` or ``,train=`` is the source.

    >>> parse_builtin("noisy-oracle,p=0.9")
    ('noisy-oracle', {'p': '0.9'}, None)
    >>> parse_builtin("blind@gqa:graphs=g.json,images=d")
    ('blind', {}, 'gqa:graphs=g.json,images=d')
    """
    marks = [(rest.find(mark), mark) for mark in ("@", ",train=") if mark in rest]
    source = None
    if marks:
        place, mark = min(marks)
        rest, source = rest[:place], rest[place + len(mark) :]
    name, *parts = rest.split(",")
    options: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise UsageError(f"builtin:{rest}: {part!r} is not key=value")
        options[key] = value
    return name, options, source


def load_builtin(rest: str, context: LoadContext) -> Model:
    """Make a builtin model from its spec."""
    name, options, source = parse_builtin(rest)
    entry = BUILTINS.get(name)
    unknown = [key for key in options if key not in entry.options]
    if unknown:
        known = f"it knows {', '.join(entry.options)}" if entry.options else "it takes none"
        raise UsageError(f"builtin:{name} has no option {unknown[0]!r}: {known}")
    if source is not None:
        if entry.needs.startswith("--scenes"):
            context = replace(context, scenes=open_source(source))
        elif entry.needs.startswith("--train"):
            context = replace(context, train=open_source(source))
        else:
            raise UsageError(f"builtin:{name} needs {entry.needs}: leave out @{source}")
    return entry.make(SpecOptions(name, options), context)
