"""What a run will call the model with, computed before it does, and what makes its scores doubtful.

Doubtful are scores of a model that was trained on images of the suite, or is shown examples from it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.errors import InputError
from falter.core.files import is_regular, open_parquet, sha256_of_file
from falter.core.tables import format_count
from falter.data.model import Model, Reply, Request, is_transient
from falter.data.suite import ITEM_SCHEMA, Suite
from falter.evaluation.engine.estimate import CostEstimate
from falter.evaluation.engine.requests import (
    check_image_input,
    distinct_requests,
    image_transform,
    item_and_source_ids,
    needs_images,
    own_requests,
)
from falter.evaluation.models.prompts import read_examples
from falter.evaluation.runs.asked import select_probes
from falter.evaluation.runs.manifest import RunSettings

_SHOWN = 5

RequestObserver = Callable[[Request], None]
"""Sees every request that will be sent, as it stands in the suite, as often as it will be."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run; ``to_ask`` counts the pending requests."""

    suite: str
    model: str
    out: str = ""
    """The folder of the run."""
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


_OVERLAP_COLUMNS = ["task", "text", "image_id", "image_sha256"]


def overlap_notes(suite: Suite, model: Model, few_shot: Path | None = None) -> Iterator[str]:
    """What overlaps, a sentence each: training images by their ids, few-shot images by their bytes.

    Where the suite has no hashes of images, few-shot images are told by their names. An example without an image
    overlaps with an item of the same text that has none either.
    """
    trained: Collection[str] = getattr(model, "trained_images", ())
    examples = () if few_shot is None else read_examples(few_shot)
    if not trained and not examples:
        return
    table = open_parquet(suite.items_path, ITEM_SCHEMA).read(_OVERLAP_COLUMNS)
    ids = _distinct_values(table["image_id"])
    known = ids.intersection(trained)
    if known:
        yield (
            f"{model.name} was trained on {len(known):,} of the {format_count(len(ids), 'images')} of {suite.name}: "
            "its replies to them tell nothing about new images; give --train other data"
        )
    if not examples:
        return
    hashes = _distinct_values(table["image_sha256"])
    without = table.filter(pc.is_null(table["image_id"]))
    texts = set(zip(without["task"].to_pylist(), without["text"].to_pylist(), strict=True))
    shared = [
        (example.task, example.text) in texts
        if image is None
        else (sha256_of_file(image) in hashes if hashes else image.stem in ids)
        for example, image in examples
    ]
    if any(shared):
        verb = "is" if sum(shared) == 1 else "are"
        yield (
            f"{sum(shared):,} of {format_count(len(shared), 'few-shot examples')} of {model.name} {verb} from "
            f"{suite.name} (an equal item, or an image of it): give -M few_shot examples from elsewhere"
        )


def _distinct_values(column: Any) -> set[str]:
    return {one for one in pc.unique(column).to_pylist() if one is not None}
