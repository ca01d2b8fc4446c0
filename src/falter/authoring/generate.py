"""Making a suite on disk: the maker's probes, the pictures, the manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from falter.authoring.generator import Order, SuiteMaker
from falter.authoring.options import refuse_unknown
from falter.authoring.wordnet_words import add_words
from falter.english import default_grammar
from falter.errors import InputError, UsageError
from falter.plugins import plugin_hashes
from falter.probes import Item, Probe, SuiteManifest, SuiteWriter, create_suite
from falter.sources import Source

__all__ = ["generate"]


def generate(
    maker: SuiteMaker,
    source: Source,
    out: Path,
    order: Order,
    *,
    overwrite: bool = False,
    tick: Callable[[], None] = lambda: None,
) -> SuiteManifest:
    """Make a suite and give its manifest; what was refused, by reason, is in its counts."""
    unknown = [test for test in order.tests if test not in maker.tests()]
    if unknown:
        raise UsageError(f"{maker.name} has no test {unknown[0]!r}: there are {', '.join(maker.tests())}")
    refuse_unknown(maker.name, order.settings)
    refused: Counter[str] = Counter()
    manifest = SuiteManifest(
        name=maker.name,
        title=maker.title,
        made_by=f"falter generate {maker.name}",
        citation=maker.citation,
        parameters=_parameters(maker, order),
        seed=order.seed,
        sources=[source.describe()],
        licence=source.licence,
    )
    made = 0
    with create_suite(out, manifest, overwrite=overwrite) as writer:
        made_here = msgspec.structs.replace(
            order, studio=writer.folder / "images", folder=writer.folder, manifest=manifest
        )
        if order.wordnet:
            words = writer.folder / "words"
            manifest.parameters["wordnet"] = add_words(source, default_grammar(*order.extend).ontology, words)
            made_here = msgspec.structs.replace(made_here, extend=(*order.extend, words))
        for probe in maker.probes(source, made_here, default_grammar(*made_here.extend), refused):
            writer.add(_with_pictures(probe, writer, order))
            made += 1
            tick()
        if made == 0:
            reasons = "; ".join(f"{count} x {reason}" for reason, count in refused.most_common(3))
            hint = "check the source"
            if any("ontology" in reason for reason in refused):
                hint = "bring its words in with --wordnet or --extend, or check the source"
            raise InputError(out, f"no probe could be made ({reasons or 'no scenes'})", hint=hint)
        manifest.counts["refused"] = dict(sorted(refused.items()))
        problems = getattr(source, "problems", None)
        if problems:
            manifest.counts["problems"] = dict(sorted(problems.items()))
    return manifest


def _parameters(maker: SuiteMaker, order: Order) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "tests": list(order.tests or maker.tests()),
        "size": order.size,
        "images": order.images,
    }
    if order.extend:
        parameters["extend"] = plugin_hashes(order.extend)
    return parameters


def _with_pictures(probe: Probe, writer: SuiteWriter, order: Order) -> Probe:
    def brought(item: Item) -> Item:
        if item.image is None:
            return item
        path = Path(item.image)
        inside = path.is_relative_to(writer.folder)
        image = str(path.relative_to(writer.folder)) if inside else writer.add_image(path, how=order.images)
        return msgspec.structs.replace(item, image=image)

    return Probe(tuple(brought(item) for item in probe.items))
