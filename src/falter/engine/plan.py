"""What a run is going to ask, worked out before it asks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from falter.engine.estimate import Estimate
from falter.engine.image_input import check_switch, needs_pictures, switch_for
from falter.engine.requests import ids_of, requests_of
from falter.errors import InputError
from falter.models.failures import is_transient
from falter.models.protocol import Model
from falter.models.request import Request
from falter.probes import Suite
from falter.runs.limit import select_probes
from falter.runs.reply import Reply
from falter.runs.settings import Settings

__all__ = ["Plan", "Planned", "can_be_asked", "plan_run"]

_SHOWN = 5

Look = Callable[[Request], None]
"""Sees every request that will be asked, as it stands in the suite, as often as it will be."""


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
    repeat: int = 1
    notes: tuple[str, ...] = ()
    served: bool = False
    """Whether a server is asked, which may charge for it."""
    estimate: Estimate | None = None
    """Tokens, time and cost, where they were worked out."""


class Planned(NamedTuple):
    """A plan, and the probes that a limit selects (None for all)."""

    plan: Plan
    probes: frozenset[str] | None


def can_be_asked(model: Model, request: Request, *, needs_image: bool | None = None) -> bool:
    """Whether a request is of a kind that the model declares to take."""
    if request.task not in model.capabilities.tasks:
        return False
    needs = model.capabilities.needs_image if needs_image is None else needs_image
    return not needs or request.image is not None or request.image_id is not None


def plan_run(
    suite: Suite,
    model: Model,
    settings: Settings,
    *,
    batch_size: int,
    on_disk: Sequence[Mapping[str, Reply]],
    look: Look | None = None,
) -> Planned:
    """Count what there is to ask, and stop where pictures that the model needs are not at hand.

    ``on_disk`` holds the replies that are there, for each repetition.
    """
    check_switch(model, settings)
    probes = None if settings.limit is None else select_probes(suite, limit=settings.limit, seed=settings.seed)
    counted = _Count(model, on_disk, needs_pictures(model, settings), look)
    # A grey picture is as much at hand as the picture whose size it has.
    show = switch_for(suite, settings, None) if settings.image == "shuffle" else lambda request: request
    for request in requests_of(suite, probes):
        counted.add(request, show(request))
    if counted.missing:
        raise _missing_pictures(suite, model, counted.missing)
    probe_count, rows = _extent(suite, probes)
    preflight = model.capabilities.preflight
    return Planned(
        Plan(
            suite=suite.name,
            model=settings.named(model.name),
            probes=probe_count,
            rows=rows,
            items=counted.items,
            images=len(counted.images),
            answered=counted.answered,
            unsupported=counted.unsupported,
            to_ask=counted.to_ask,
            batch_size=batch_size,
            limit=settings.limit,
            repeat=settings.repeat,
            served=model.capabilities.remote,
            notes=() if preflight is None else tuple(preflight(ids_of(suite, probes))),
        ),
        probes,
    )


class _Count:
    """Goes through the requests once."""

    def __init__(
        self, model: Model, on_disk: Sequence[Mapping[str, Reply]], needs_image: bool, look: Look | None
    ) -> None:
        self._model = model
        self._on_disk = on_disk
        self._needs_image = needs_image
        self._look = look
        self._checked: dict[Path, bool] = {}
        self.items = self.answered = self.unsupported = self.to_ask = 0
        self.images: set[str] = set()
        self.missing: dict[str, None] = {}

    def add(self, original: Request, request: Request) -> None:
        """Count a request as it will be shown; whoever looks on sees it as it stands in the suite."""
        self.items += 1
        if request.image_id is not None:
            self.images.add(request.image_id)
        possible = can_be_asked(self._model, request, needs_image=self._needs_image)
        for replies in self._on_disk:
            known = replies.get(request.item_id)
            if known is not None and not is_transient(known):
                self.answered += 1
            elif not possible:
                self.unsupported += 1
            else:
                self.to_ask += 1
                if self._needs_image and not self._at_hand(request.image):
                    self.missing[request.image_id or str(request.image)] = None
                if self._look is not None:
                    self._look(original)

    def _at_hand(self, image: Path | None) -> bool:
        if image is None:
            return False
        if image not in self._checked:
            self._checked[image] = image.is_file()
        return self._checked[image]


def _missing_pictures(suite: Suite, model: Model, missing: Collection[str]) -> InputError:
    shown = ", ".join(list(missing)[:_SHOWN])
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    return InputError(
        suite.folder,
        f"{model.name} needs pictures, and {len(missing)} are not at hand: {shown}{more}",
        hint=f"put them back, {_bringing_pictures(suite.manifest.made_by)}or run a model that needs none",
    )


def _bringing_pictures(made_by: str) -> str:
    """How the command that made a suite is told to bring its pictures."""
    if made_by.startswith("falter import "):
        return f"give {made_by} --images with the folder that holds them, "
    if made_by.startswith("falter generate "):
        return f"give {made_by} --images copy, "
    return ""


def _extent(suite: Suite, probes: Collection[str] | None) -> tuple[int, int]:
    column = pq.read_table(suite.items_path, columns=["probe_id"])["probe_id"]
    if probes is not None:
        column = column.filter(pc.is_in(column, value_set=pa.array(sorted(probes), column.type)))
    return pc.count_distinct(column).as_py(), len(column)
