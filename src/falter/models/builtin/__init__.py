"""Models that come with Falter: yardsticks, not competitors."""

from __future__ import annotations

from dataclasses import replace

from falter.errors import UsageError
from falter.models.builtin.entry import Builtin, Options
from falter.models.load_context import ModelContext
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
        "bag": "falter.models.builtin.bow_image:BAG",
    },
)


def parse_builtin(rest: str) -> tuple[str, dict[str, str], str | None]:
    """Take ``NAME[,key=value...][@SOURCE]`` apart; everything after ``@`` or ``,train=`` is the training source.

    >>> parse_builtin("noisy-oracle,p=0.9")
    ('noisy-oracle', {'p': '0.9'}, None)
    >>> parse_builtin("bag@gqa:graphs=g.json,images=d")
    ('bag', {}, 'gqa:graphs=g.json,images=d')
    """
    marks = [(rest.find(mark), mark) for mark in ("@", ",train=") if mark in rest]
    train = None
    if marks:
        place, mark = min(marks)
        rest, train = rest[:place], rest[place + len(mark) :]
    name, *parts = rest.split(",")
    options: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise UsageError(f"builtin:{rest}: {part!r} is not key=value")
        options[key] = value
    return name, options, train


def load_builtin(rest: str, context: ModelContext) -> Model:
    """Make a builtin model from its spec."""
    name, options, train = parse_builtin(rest)
    entry = BUILTINS.get(name)
    unknown = [key for key in options if key not in entry.options]
    if unknown:
        known = f"it knows {', '.join(entry.options)}" if entry.options else "it takes none"
        raise UsageError(f"builtin:{name} has no option {unknown[0]!r}: {known}")
    if train is not None:
        context = replace(context, train=open_source(train))
    return entry.make(Options(name, options), context)
