"""What a run will call the model with, computed before it does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from falter.engine.estimate import CostEstimate
from falter.engine.image_input import check_image_input, image_transform, needs_images
from falter.engine.requests import distinct_requests, item_and_source_ids, own_requests
from falter.errors import InputError
from falter.files import is_regular, open_parquet
from falter.models.failures import is_transient
from falter.models.protocol import Model
from falter.models.request import Request
from falter.probes import Suite
from falter.probes.schema import ITEM_SCHEMA
from falter.runs.limit import select_probes
from falter.runs.reply import Reply
from falter.runs.settings import RunSettings
from falter.tables import format_count

__all__ = ["Plan", "Planned", "is_supported", "plan_run"]

_SHOWN = 5

RequestObserver = Callable[[Request], None]
"""Sees every request that will be sent, as it stands in the suite, as often as it will be."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run; ``to_ask`` counts the pending requests."""

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
    estimate: CostEstimate | None = None
    """Tokens, time and cost, where they were estimated."""


class Planned(NamedTuple):
    """A plan, the probes that a limit selects (None for all), and the rows that have a request of their own."""

    plan: Plan
    probes: frozenset[str] | None
    own: frozenset[tuple[str, str]]


def is_supported(model: Model, request: Request, *, needs_image: bool | None = None) -> bool:
    """Whether a request is of a kind that the model declares to take."""
    if request.task not in model.capabilities.tasks:
        return False
    needs = model.capabilities.needs_image if needs_image is None else needs_image
    return not needs or request.image is not None or request.image_id is not None


def plan_run(
    suite: Suite,
    model: Model,
    settings: RunSettings,
    *,
    batch_size: int,
    on_disk: Sequence[Mapping[str, Reply]],
    observe: RequestObserver | None = None,
) -> Planned:
    """Count the requests, and stop where images that the model needs are not available.

    ``on_disk`` holds the replies so far, for each repetition.
    """
    check_image_input(model, settings)
    probes = None if settings.limit is None else select_probes(suite, limit=settings.limit, seed=settings.seed)
    own = own_requests(suite, model, probes)
    counted = _Count(model, on_disk, needs_images(model, settings), observe)
    # A gray image is available where the image whose size it has is.
    transform = image_transform(suite, settings, None) if settings.image_input == "shuffle" else lambda request: request
    for request in distinct_requests(suite, probes, settings.shard, own):
        counted.add(request, transform(request))
    if counted.missing:
        raise _missing_images(suite, model, counted.missing)
    probe_count, rows = _extent(suite, probes)
    notes = [] if settings.shard is None else [f"part {settings.shard} of the items: falter merge joins all parts"]
    if model.capabilities.preflight is not None:
        # Of all parts: what a model makes of the ids must not depend on how a run is divided.
        notes += model.capabilities.preflight(item_and_source_ids(suite, probes))
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
            notes=tuple(notes),
        ),
        probes,
        own,
    )


class _Count:
    """Goes through the requests once."""

    def __init__(
        self, model: Model, on_disk: Sequence[Mapping[str, Reply]], needs_image: bool, observe: RequestObserver | None
    ) -> None:
        self._model = model
        self._on_disk = on_disk
        self._needs_image = needs_image
        self._observe = observe
        self._checked: dict[Path, bool] = {}
        self.items = self.answered = self.unsupported = self.to_ask = 0
        self.images: set[str] = set()
        self.missing: dict[str, None] = {}

    def add(self, original: Request, request: Request) -> None:
        """Count a request as it will be shown; an observer sees it as it stands in the suite."""
        self.items += 1
        if request.image_id is not None:
            self.images.add(request.image_id)
        possible = is_supported(self._model, request, needs_image=self._needs_image)
        for replies in self._on_disk:
            known = replies.get(request.item_id)
            if known is not None and not is_transient(known):
                self.answered += 1
            elif not possible:
                self.unsupported += 1
            else:
                self.to_ask += 1
                if self._needs_image and not self._is_available(request.image):
                    self.missing[request.image_id or str(request.image)] = None
                if self._observe is not None:
                    self._observe(original)

    def _is_available(self, image: Path | None) -> bool:
        if image is None:
            return False
        if image not in self._checked:
            self._checked[image] = is_regular(image)
        return self._checked[image]


def _missing_images(suite: Suite, model: Model, missing: Collection[str]) -> InputError:
    outside = list(suite.image_folders.outside)
    if outside:
        return InputError(
            suite.items_path,
            f"names {format_count(len(outside), 'images')} outside the suite, which are not opened unasked: "
            f"{', '.join(outside[:_SHOWN])}",
            hint="name the folder that holds them with --image-dir DIR, or run a model that needs none",
        )
    shown = ", ".join(list(missing)[:_SHOWN])
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    return InputError(
        suite.folder,
        f"{model.name} needs images, and {len(missing)} are not available: {shown}{more}",
        hint=f"put them back, {_how_to_bring_images(suite.manifest.made_by)}or run a model that needs none",
    )


def _how_to_bring_images(made_by: str) -> str:
    """How the command that made a suite is told to include its images."""
    if made_by.startswith("falter import "):
        return f"give {made_by} --images with the folder that holds them, "
    if made_by.startswith("falter generate "):
        return f"give {made_by} --images copy, "
    return ""


def _extent(suite: Suite, probes: Collection[str] | None) -> tuple[int, int]:
    column = open_parquet(suite.items_path, ITEM_SCHEMA).read(["probe_id"])["probe_id"]
    if probes is not None:
        column = column.filter(pc.is_in(column, value_set=pa.array(sorted(probes), column.type)))
    return pc.count_distinct(column).as_py(), len(column)
