"""Runs a bundle's generator and writes the suite: probes, images and manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from falter.authoring.collection import rare_collection
from falter.authoring.generator import GenerateContext, GenerateOptions, SuiteGenerator
from falter.bundle import SuiteBundle
from falter.errors import InputError, UsageError
from falter.parallel import Executor, Inline
from falter.plugins import plugin_hashes
from falter.probes import Item, Probe, SuiteManifest, SuiteWriter, create_suite
from falter.progress import StageCallback, no_stages
from falter.sources import HasProblems, Source, require

__all__ = ["generate", "load_generator"]

INLINE = Inline()


_NO_IMAGES = "No image of the source was found, so the suite has none; --images none says that this is meant."


def load_generator(bundle: SuiteBundle) -> SuiteGenerator:
    """The generator of a bundle, or a UsageError where it has none."""
    generator: SuiteGenerator | None = bundle.get("generator")
    if generator is None:
        raise UsageError(f"{bundle.name} cannot be generated; falter suites lists what can")
    return generator


def generate(
    bundle: SuiteBundle,
    source: Source,
    out: Path,
    options: GenerateOptions,
    *,
    executor: Executor = INLINE,
    plugin_dirs: Sequence[Path] = (),
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    progress: Callable[[], None] = lambda: None,
    start_stage: StageCallback = no_stages,
) -> SuiteManifest:
    """Generate a suite and give its manifest; what was rejected, by reason, is in its counts.

    ``inputs`` are the files and folders of the source and of options: what holds one of them is not overwritten.
    """
    generator = load_generator(bundle)
    check_options(bundle, generator, source, options)
    manifest = SuiteManifest(
        name=bundle.name,
        title=bundle.title,
        made_by=f"falter generate {bundle.name}",
        citation=bundle.citation,
        parameters=_parameters(generator, options, plugin_dirs),
        seed=options.seed,
        sources=[source.describe()],
        licence=source.licence,
    )
    context = GenerateContext(
        source=source,
        options=options,
        executor=executor,
        plugin_dirs=tuple(plugin_dirs),
        manifest=manifest,
        start_stage=start_stage,
    )
    written, has_images = 0, options.images == "none"
    with rare_collection(), create_suite(out, manifest, overwrite=overwrite, inputs=inputs) as writer:
        context.out_dir, context.image_dir = writer.folder, writer.folder / "images"
        for probe in generator.probes(source, options, context):
            with_images = _add_images(probe, writer, options)
            has_images = has_images or any(item.image is not None for item in with_images.items)
            writer.add(with_images)
            written += 1
            progress()
        rejected = context.rejected
        if written == 0:
            causes = rejected + (source.problems if isinstance(source, HasProblems) else Counter())
            reasons = "; ".join(f"{count} x {reason}" for reason, count in causes.most_common(3))
            reasons = reasons or "the source has nothing that these tests read"
            hint = "check the source"
            if any("ontology" in reason for reason in rejected):
                hint = "add its words with --wordnet or --plugin-dir, or check the source"
            raise InputError(out, f"no probe could be made ({reasons})", hint=hint)
        if not has_images:
            manifest.notes.append(_NO_IMAGES)
        manifest.counts["refused"] = dict(sorted(rejected.items()))
        if isinstance(source, HasProblems) and source.problems:
            manifest.counts["problems"] = dict(sorted(source.problems.items()))
    return manifest


def check_options(bundle: SuiteBundle, generator: SuiteGenerator, source: Source, options: GenerateOptions) -> None:
    """Stop where the generator has no such test, or the source has not what it needs."""
    tests = generator.tests()
    unknown = [test for test in options.tests if test not in tests]
    if unknown:
        raise UsageError(f"{bundle.name} has no test {unknown[0]!r}: there are {', '.join(tests)}")
    for protocol in generator.requires:
        require(source, protocol, bundle.name)


def _parameters(generator: SuiteGenerator, options: GenerateOptions, plugin_dirs: Sequence[Path]) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "tests": list(options.tests or generator.tests()),
        "size": options.size,
        "images": options.images,
    }
    if plugin_dirs:
        parameters["extend"] = plugin_hashes(plugin_dirs)
    return parameters


def _add_images(probe: Probe, writer: SuiteWriter, options: GenerateOptions) -> Probe:
    def add(item: Item) -> Item:
        if item.image is None:
            return item
        path = Path(item.image)
        inside = path.is_relative_to(writer.folder)
        image = str(path.relative_to(writer.folder)) if inside else writer.add_image(path, how=options.images)
        return msgspec.structs.replace(item, image=image)

    return Probe(tuple(add(item) for item in probe.items))
