"""A small suite from scenes, for tests of the trunk that need some suite and none in particular.

The same question with a negation and in other words: ``falter generate tiny --plugin-dir tests/tiny_suite``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from falter.core.bundle import SuiteBundle
from falter.data.items import ImageRef, Item, Probe
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions
from falter.generation.english import Grammar
from falter.generation.scene import Scene, query_to_json
from falter.generation.sources import HasScenes

KINDS = ("dog", "person", "car", "tree", "table", "cup")
VARIANTS = {"negation": "Is there no {}?", "rephrase": "Do you see a {}?"}


class Tiny:
    """Whether a kind of object is there, asked in two ways."""

    requires = (HasScenes,)

    def tests(self) -> Sequence[str]:
        return tuple(VARIANTS)

    def probes(self, source: HasScenes, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        grammar = context.grammar()
        found: dict[str, list[Probe]] = {test: [] for test in options.tests or self.tests()}
        for graph in source.scenes():
            none = options.images == "none"
            image = ImageRef(graph.image_id) if none else context.image(graph.image_id)
            if image is not None:
                scene = Scene(graph, grammar.ontology)
                for test, probes in found.items():
                    made = (pose(kind, test, image, scene, grammar) for kind in KINDS)
                    probes.extend(probe for probe in made if probe is not None)
        for probes in found.values():
            yield from context.draw(probes)


def pose(kind: str, test: str, image: ImageRef, scene: Scene, grammar: Grammar) -> Probe | None:
    """A pair of questions, or None where the scene does not settle the answer."""
    items = []
    for variant, text in enumerate((f"Is there a {kind}?", VARIANTS[test].format(kind))):
        (meaning,) = grammar.parse(text)
        answer = meaning.answer(scene)
        if answer is None:
            return None
        items.append(
            Item.make(
                suite="tiny",
                test=test,
                probe_id=f"{test}-{image.image_id}-{kind}",
                variant=variant,
                expects="different" if test == "negation" else "same",
                text=text,
                gold=answer,
                choices=("yes", "no"),
                image=image,
                meaning=query_to_json(meaning),
                facets={"type": kind},
            )
        )
    return Probe.of(*items)


BUNDLE = SuiteBundle(name="tiny", title="Tiny: is it there?", generator=Tiny())
