"""The seven files that the authors of SugarCrepe released, one per way of making a negative caption.

A caption with its negative becomes a probe: to be matched with the image, or as a choice between both in both orders.
Options of ``falter import sugarcrepe`` say which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from falter.core.errors import InputError, UsageError
from falter.core.files import read_records
from falter.core.tables import format_count
from falter.data.items import ImageRef, Item, Probe
from falter.generation.authoring.importer import (
    PUBLISHED,
    ImportContext,
    Importer,
    ImportLog,
    coco_names,
    leave_out,
    log_file,
    skip_others,
)
from falter.generation.authoring.options import ItemFormatOptions

Order = Literal["both", "positive-first", "negative-first"]
FullStops = Literal["published", "none"]


class SugarCrepeOptions(ItemFormatOptions, frozen=True, kw_only=True):
    """How a caption and its negative become items."""

    item_format: Annotated[
        Literal["match", "choice"],
        Meta(
            description=(
                "How texts are put. "
                "match: each text is matched with the image; choice: the model chooses between both, numbered (1) and "
                "(2), in both orders. Default: match."
            )
        ),
    ] = "match"
    order: Annotated[
        Order,
        Meta(
            description=(
                "With --item-format choice: both orders of the captions, or one alone, whose questions are then single "
                "ones. Default: both."
            )
        ),
    ] = "both"
    full_stops: Annotated[
        FullStops,
        Meta(
            description=(
                "Full stops of texts. "
                "published: texts end as released; none: the full stop at the end of a text is taken off, for many "
                "captions have none where their negatives have one. Default: published."
            )
        ),
    ] = "published"


SPLITS = ("replace_obj", "replace_att", "replace_rel", "swap_obj", "swap_att", "add_obj", "add_att")
"""In the order of the paper's tables."""
ORDERS = ("positive-first", "negative-first")
QUESTION = "Which caption best describes the image?"
_NUMBERS = ("(1)", "(2)")
_SECOND = "caption2"
_CHANGED = {"obj": "object", "att": "attribute", "rel": "relation"}


def clean(text: str) -> str:
    """A caption without the blanks and line breaks that people typed around it."""
    return " ".join(text.split())


class SugarCrepeRelease:
    """SugarCrepe as released: seven splits of captions and negatives."""

    citation = (
        "Hsieh, Zhang, Ma, Kembhavi and Krishna (2023). SugarCrepe: Fixing Hackable Benchmarks for Vision-Language "
        "Compositionality"
    )
    licence = "MIT"
    options = SugarCrepeOptions

    def __init__(self, item_format: str = "match") -> None:
        self.item_format = item_format
        self.name = "sugarcrepe" if item_format == "match" else "sugarcrepe-choice"
        asked = "captions and negatives" if item_format == "match" else "two numbered captions, in both orders"
        self.title = f"SugarCrepe as published: {asked}"

    def with_format(self, name: str) -> Importer:
        """The same release as items of another format: ``match`` or ``choice``."""
        if name not in ("match", "choice"):
            raise UsageError(f"--item-format of SugarCrepe is match or choice, not {name!r}")
        return SugarCrepeRelease(name)

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The published name, and those that COCO 2014 gives the same image."""
        return coco_names(image_id)

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        files = {split: path / f"{split}.json" for split in SPLITS if (path / f"{split}.json").is_file()}
        if not files:
            raise InputError(
                path, "holds no file of SugarCrepe", hint="give the folder with files such as swap_obj.json"
            )
        log = context.log
        skip_others(log, path, files.values())
        absent = [split for split in SPLITS if split not in files]
        if absent:
            log.notes.append(f"{len(absent)} of the {len(SPLITS)} splits are not there: {', '.join(absent)}.")
        options = context.options if isinstance(context.options, SugarCrepeOptions) else SugarCrepeOptions()
        if options.order != "both" and self.item_format == "match":
            raise UsageError("--order is of numbered captions: give --item-format choice as well")
        context.manifest.parameters["full_stops"] = options.full_stops
        if options.order != "both":
            context.manifest.parameters["order"] = options.order
        problems: list[tuple[str, str]] = []
        for split, file in files.items():
            made = 0
            for row in read_records(file):
                if _SECOND in row.values:
                    raise InputError(
                        file,
                        f"is of SugarCrepe++: its records have {_SECOND}, a second caption, which SugarCrepe has not",
                        record=row.record,
                        hint="give the release of SugarCrepe; for SugarCrepe++, write a table with a row per text "
                        "(set, image, caption, answer: yes for caption and caption2, no for negative_caption) and "
                        "use falter import table",
                    )
                problem = row.problem or _problem(row.values)
                if problem:
                    problems.append((f"{file.name}, {row.record}", problem))
                    continue
                made += 1
                yield self._probe(split, row.record, row.values, options, log)
            log_file(log, file, made)
        _note_stops(log, options)
        leave_out(log, problems)

    def _probe(
        self, split: str, key: str, values: Mapping[str, Any], options: SugarCrepeOptions, log: ImportLog
    ) -> Probe:
        caption, negative = clean(values["caption"]), clean(values["negative_caption"])
        log.counts["stop_in_the_negative_alone"] += negative.endswith(".") and not caption.endswith(".")
        log.counts["stop_in_the_caption_alone"] += caption.endswith(".") and not negative.endswith(".")
        if options.full_stops == "none":
            caption, negative = caption.removesuffix("."), negative.removesuffix(".")
        operation, _, changed = split.partition("_")
        shared = {
            "probe_id": f"{split}:{key}",
            "test": split,
            "suite": self.name,
            "image": ImageRef(values["filename"]),
            "facets": {"operation": operation, "changed": _CHANGED[changed], "labels": PUBLISHED},
        }
        if self.item_format == "match":
            return _match(shared, f"{split}:{key}", caption, negative)
        orders = ORDERS if options.order == "both" else (options.order,)
        return _choice(shared, f"{split}:{key}", caption, negative, orders)


def _match(shared: dict[str, Any], key: str, caption: str, negative: str) -> Probe:
    sides = (("caption", caption, "yes"), ("negative", negative, "no"))
    return Probe(
        tuple(
            Item.make(
                **shared,
                variant=number,
                expects="prefer",
                task="match",
                text=text,
                gold=gold,
                source_id=f"{key}:{side}",
            )
            for number, (side, text, gold) in enumerate(sides)
        )
    )


def _choice(shared: dict[str, Any], key: str, caption: str, negative: str, orders: Sequence[str]) -> Probe:
    texts = {ORDERS[0]: (caption, negative), ORDERS[1]: (negative, caption)}
    return Probe(
        tuple(
            Item.make(
                **shared,
                variant=variant,
                expects="different" if len(orders) > 1 else "each",
                text=f"{QUESTION}\n(1) {texts[order][0]}\n(2) {texts[order][1]}",
                choices=_NUMBERS,
                gold=_NUMBERS[ORDERS.index(order)],
                source_id=f"{key}:{order}",
            )
            for variant, order in enumerate(orders)
        )
    )


def _problem(values: Mapping[str, Any]) -> str:
    for name in ("caption", "negative_caption", "filename"):
        if not isinstance(values.get(name), str) or not values[name].strip():
            return f"it has no {name}"
    if clean(values["caption"]) == clean(values["negative_caption"]):
        return "its caption and its negative are the same"
    return ""


def _note_stops(log: ImportLog, options: SugarCrepeOptions) -> None:
    negatives, captions = log.counts["stop_in_the_negative_alone"], log.counts["stop_in_the_caption_alone"]
    if options.full_stops == "published" and negatives + captions:
        log.notes.append(
            f"{format_count(negatives, 'pairs')} with a full stop in the negative alone and "
            f"{captions:,} in the caption alone: "
            "--full-stops none takes it off both."
        )


SUGARCREPE_RELEASE = SugarCrepeRelease()
