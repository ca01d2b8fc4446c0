"""What a run is going to ask, worked out before it asks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from falter.errors import BadInput
from falter.models.failures import is_transient
from falter.models.protocol import Model
from falter.models.reply import Reply, Request
from falter.probes import Suite
from falter.runs.requests import requests_of
from falter.runs.selection import select_probes
from falter.runs.settings import Settings

__all__ = ["Plan", "can_be_asked", "plan_run"]

_SHOWN = 5


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run; ``to_ask`` is what the model will really be asked."""

    suite: str
    model: str
    probes: int
    rows: int
    items: int
    images: int
    answered: int
    unsupported: int
    to_ask: int
    batch_size: int
    limit: int | None = None
    notes: tuple[str, ...] = ()


def can_be_asked(model: Model, request: Request) -> bool:
    """Whether a request is of a kind that the model declares to take."""
    if request.task not in model.abilities:
        return False
    return not model.needs_image or request.image is not None or request.image_id is not None


def plan_run(
    suite: Suite,
    model: Model,
    settings: Settings,
    *,
    batch_size: int,
    on_disk: Mapping[str, Reply],
) -> tuple[Plan, frozenset[str] | None]:
    """Count what there is to ask, and stop where pictures that the model needs are not at hand.

    Gives the plan, and the probes that a limit selects (None for all).
    """
    probes = None if settings.limit is None else select_probes(suite, limit=settings.limit, seed=settings.seed)
    counted = _Count(model, on_disk)
    for request in requests_of(suite, probes):
        counted.add(request)
    if counted.missing:
        raise _missing_pictures(suite, model, counted.missing)
    probe_count, rows = _extent(suite, probes)
    survey = getattr(model, "survey", None)
    return (
        Plan(
            suite=suite.name,
            model=model.name,
            probes=probe_count,
            rows=rows,
            items=counted.items,
            images=len(counted.images),
            answered=counted.answered,
            unsupported=counted.unsupported,
            to_ask=counted.items - counted.answered - counted.unsupported,
            batch_size=batch_size,
            limit=settings.limit,
            notes=tuple(survey(counted.ids)) if callable(survey) else (),
        ),
        probes,
    )


class _Count:
    """Goes through the requests once."""

    def __init__(self, model: Model, on_disk: Mapping[str, Reply]) -> None:
        self._model = model
        self._on_disk = on_disk
        self._wants_ids = hasattr(model, "survey")
        self._checked: dict[Path, bool] = {}
        self.items = self.answered = self.unsupported = 0
        self.images: set[str] = set()
        self.missing: dict[str, None] = {}
        self.ids: list[tuple[str, str | None]] = []

    def add(self, request: Request) -> None:
        self.items += 1
        if request.image_id is not None:
            self.images.add(request.image_id)
        if self._wants_ids:
            self.ids.append((request.item_id, request.source_id))
        known = self._on_disk.get(request.item_id)
        if known is not None and not is_transient(known):
            self.answered += 1
        elif not can_be_asked(self._model, request):
            self.unsupported += 1
        elif self._model.needs_image and not self._at_hand(request.image):
            self.missing[request.image_id or str(request.image)] = None

    def _at_hand(self, image: Path | None) -> bool:
        if image is None:
            return False
        if image not in self._checked:
            self._checked[image] = image.is_file()
        return self._checked[image]


def _missing_pictures(suite: Suite, model: Model, missing: Collection[str]) -> BadInput:
    shown = ", ".join(list(missing)[:_SHOWN])
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    return BadInput(
        suite.folder,
        f"{model.name} needs pictures, and {len(missing)} are not at hand: {shown}{more}",
        remedy="put them back, make the suite with --images copy, or run a model that needs none",
    )


def _extent(suite: Suite, probes: Collection[str] | None) -> tuple[int, int]:
    import polars as pl

    column = pl.read_parquet(suite.items_path, columns=["probe_id"])["probe_id"]
    if probes is not None:
        column = column.filter(column.is_in(sorted(probes)))
    return column.n_unique(), len(column)
