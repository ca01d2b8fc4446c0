"""What a generator is and how it is run; names that the words do not know are counted."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec
import yaml

from falter.core.bundle import SuiteBundle
from falter.core.errors import InputError, UsageError, warn_user
from falter.core.executors import Executor, Inline, executor_for
from falter.core.plugins import plugin_hashes
from falter.core.progress import StageCallback, no_stages
from falter.data.images import Source, SourceImages
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import SuiteManifest
from falter.data.suite_writing import SuiteWriter, create_suite
from falter.data.word_forms import pluralize
from falter.generation.authoring.options import GenerateOptions, uses_wordnet
from falter.generation.english import Ontology
from falter.generation.nlp import WordNet, load_wordnet
from falter.generation.sources import HasProblems, require, require_scenes

if TYPE_CHECKING:
    from falter.generation.english import Grammar

T = TypeVar("T")

NO_IMAGE = "the picture is missing or not a picture"


@dataclass(kw_only=True)
class GenerateContext:
    """What a generator works with besides its source and its options.

    While a suite is written, ``out_dir`` is where, ``image_dir`` is where a generator puts images that it makes itself,
    and ``manifest`` may be added to: sources besides the first, parameters, counts. Without a folder a generator makes
    no images. ``start_stage`` is told of work before the first probe.
    """

    source: Source
    options: GenerateOptions
    rejected: Counter[str] = field(default_factory=Counter)
    """How many candidates were given up, by the reason."""
    executor: Executor = field(default_factory=Inline)
    plugin_dirs: tuple[Path, ...] = ()
    out_dir: Path | None = None
    image_dir: Path | None = None
    manifest: SuiteManifest | None = None
    held_out: Mapping[str, str] = field(default_factory=dict)
    """By image that no training question may be about the suite to evaluate on that has it."""
    start_stage: StageCallback = no_stages
    _images: SourceImages | None = field(default=None, init=False, repr=False)
    _grammar: Grammar | None = field(default=None, init=False, repr=False)

    def grammar(self) -> Grammar:
        """The grammar with the user's own words, loaded when it is first asked for."""
        if self._grammar is None:
            from falter.generation.english import default_grammar

            if uses_wordnet(self.options.suite_options):
                self._add_words()
            self._grammar = default_grammar(*self.plugin_dirs)
        return self._grammar

    def tell(self, note: str) -> None:
        """Say what a user must know of what was made: in the manifest of a suite, else as a warning."""
        if self.manifest is None:
            warn_user(note)
        else:
            self.manifest.notes.append(note)

    def image(self, image_id: str) -> ImageRef | None:
        """The image of the source, or None where it is missing or damaged, which is counted in ``rejected``.

        A suite without images refers to it by its id all the same.
        """
        found = self.find_image(image_id)
        if found is None and self.options.images == "none":
            return ImageRef(image_id)
        if found is None:
            self.rejected[NO_IMAGE] += 1
        return found

    def find_image(self, image_id: str) -> ImageRef | None:
        """The image of the source, or None; nothing is counted."""
        if self._images is None:
            self._images = SourceImages(self.source)
        found = self._images.get(image_id)
        return None if found is None else ImageRef(image_id, *found)

    def draw(self, things: Iterable[T]) -> Iterator[T]:
        """As many things as the options' size asks for, drawn by their seed and given in their own order.

        Draws of one seed are nested: the first hundred are among the first two hundred.
        """
        if not isinstance(self.options.size, int):
            yield from things
            return
        found = list(things)
        order = list(range(len(found)))
        Random(f"{self.options.seed}|draw").shuffle(order)
        for index in sorted(order[: self.options.size]):
            yield found[index]

    def _add_words(self) -> None:
        from falter.core.errors import UsageError
        from falter.generation.english import default_grammar

        if self.out_dir is None or self.manifest is None:
            raise UsageError("--wordnet writes its words into a suite: generate one, and use its folder of words")
        words = self.out_dir / "words"
        ontology = default_grammar(*self.plugin_dirs).ontology
        self.manifest.parameters["wordnet"] = add_words(self.source, ontology, words)
        self.plugin_dirs = (*self.plugin_dirs, words)


class SuiteGenerator(Protocol):
    """A way to make probes from a source."""

    requires: tuple[type, ...]
    """Protocols that the source must have, such as ``HasScenes``."""

    def tests(self) -> Sequence[str]:
        """The names of the tests it can generate."""
        ...

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        """The probes, in an order that depends on nothing but the source and the options.

        ``image`` holds the image's path as the source gives it; whoever writes the suite copies the image. What had to
        be given up is counted by its reason in ``context.rejected``.
        """
        ...


_ALLOCATIONS = 1_000_000


@contextmanager
def rare_collection() -> Iterator[None]:
    """Let Python look for unreachable objects rarely, within the block.

    A generator makes many small objects and few cycles: 400 scenes leave some hundred unreachable objects. With the
    usual threshold of 700 objects the search takes a twelfth of the time, with 250,000 a twentieth. A higher threshold
    that is set already is kept, and so is a search that is switched off.
    """
    before = gc.get_threshold()
    if 0 < before[0] < _ALLOCATIONS:
        gc.set_threshold(_ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


_NO_IMAGES = "No image of the source was found, so the suite has none; --images none says that this is meant."


def load_generator(bundle: SuiteBundle) -> SuiteGenerator:
    """The generator of a bundle, or a UsageError where it has none."""
    generator: SuiteGenerator | None = bundle.get("generator")
    if generator is None:
        raise UsageError(f"{bundle.name} cannot be generated; falter list suites lists what can")
    return generator


def generate(
    bundle: SuiteBundle,
    source: Source,
    out: Path,
    options: GenerateOptions,
    *,
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
        parameters=_parameters(generator, options),
        seed=options.seed,
        sources=[source.describe()],
        licence=source.licence,
    )
    context = GenerateContext(
        source=source,
        options=options,
        executor=executor_for(options.workers, options.executor),
        plugin_dirs=options.plugins,
        manifest=manifest,
        start_stage=start_stage,
    )
    written, has_images = 0, options.images == "none"
    with rare_collection(), create_suite(out, manifest, overwrite=options.overwrite, inputs=inputs) as writer:
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


def _parameters(generator: SuiteGenerator, options: GenerateOptions) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "tests": list(options.tests or generator.tests()),
        "size": options.size,
        "images": options.images,
    }
    if options.plugins:
        parameters["extend"] = plugin_hashes(options.plugins)
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


_SHOWN = 8


def unknown_names_hint(names: Counter[str]) -> str:
    """Where to add names, with a line for the first of them.

    >>> unknown_names_hint(Counter(llama=2))
    "add them to a file kinds.yaml, in lines such as 'llama: {is: thing}', and give its folder with --plugin-dir"
    """
    first = min(names, key=lambda name: (-names[name], name))
    line = f"{first}: {{is: thing}}"
    return f"add them to a file kinds.yaml, in lines such as {line!r}, and give its folder with --plugin-dir"


def unknown_names_note(names: Counter[str]) -> str:
    """The names that are unknown, the most frequent first."""
    order = sorted(names, key=lambda name: (-names[name], name))
    more = f" and {len(order) - _SHOWN:,} more" if len(order) > _SHOWN else ""
    return f"the ontology lacks {', '.join(name[:40] for name in order[:_SHOWN])}{more}"


def add_words(source: Source, ontology: Ontology, folder: Path) -> dict[str, Any]:
    """Write ``FOLDER/kinds-wordnet.yaml`` with the kinds that WordNet gives, and say what was taken from where.

    The folder goes wherever words of one's own go, such as ``falter audit --plugin-dir``.
    """
    wordnet = load_wordnet()
    names = {thing.name for graph in require_scenes(source).scenes() for thing in graph.objects.values()}
    unknown = sorted(name for name in names if not ontology.knows(name))
    kinds = kinds_from_wordnet(unknown, ontology, wordnet)
    folder.mkdir()
    text = yaml.safe_dump(kinds, allow_unicode=True) if kinds else ""
    head = f"# Placed by WordNet {wordnet.version}: each below the nearest kind that the ontology has.\n"
    (folder / "kinds-wordnet.yaml").write_text(head + text, encoding="utf-8")
    return {"version": wordnet.version, "unknown": len(unknown), "kinds": len(kinds)}


def kinds_from_wordnet(names: Iterable[str], ontology: Ontology, wordnet: WordNet) -> dict[str, dict[str, Any]]:
    """Records, as in ``kinds*.yaml``, for those names that WordNet knows to be a kind of something in the ontology.

    It is put below the nearest known kind above the first sense of the word, as a role: WordNet does not say what two
    things may be at once, so nothing below the same kind is excluded. Where that kind has no ordinary singular, the new
    one is not asked about, for WordNet does not say whether it has.
    """
    kinds: dict[str, dict[str, Any]] = {}
    for name in sorted(set(names)):
        if ontology.knows(name):
            continue
        base = wordnet.base(name)
        # By first names alone: a trebuchet is an instrument, and "instrument" is another name of musical ones.
        above = None if base is None else wordnet.nearest(base, ontology.kinds.__contains__)
        if base is None or above is None or not ontology.kinds[above].parent_names:
            continue
        if base != name and ontology.knows(base):
            continue
        record = kinds.setdefault(base, {"is": above, "role": True})
        if name not in (base, pluralize(base)):
            record["plural"] = name
        if ontology.kinds[above].number != "count":
            record["askable"] = False
    return kinds
