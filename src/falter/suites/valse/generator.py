"""Makes the captions and foils of VALSE's instruments from a source, as probes like those of the released pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from falter.core.errors import UsageError
from falter.data.images import Source
from falter.data.items import ImageRef, Item, Probe
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions
from falter.generation.sources import require
from falter.suites.valse.foiling import (
    FOIL_MAKERS,
    FoilCandidate,
    FoilingContext,
    FoilMaker,
    Funnel,
    SourceCaption,
    find_maker,
)
from falter.suites.valse.options import ValseGenerateOptions


def make_pair(
    test: str, piece: str, caption: SourceCaption, candidate: FoilCandidate, image: ImageRef, dataset: str
) -> Probe:
    """The pair; changed spans, and the caption as the source has it, are in ``extra``."""
    extra = {
        "caption_id": caption.id,
        "original_caption": caption.text,
        "classes": candidate.word,
        "classes_foil": candidate.foil_word,
        "caption_spans": candidate.caption_spans,
        "foil_spans": candidate.foil_spans,
    }
    shared: dict[str, Any] = {
        "suite": "valse",
        "test": test,
        "probe_id": f"{test}-{caption.id}",
        "expects": "prefer",
        "task": "match",
        "image": image,
        "facets": {"instrument": test, "piece": piece, "dataset": dataset, **candidate.facets},
        "extra": msgspec.json.encode(extra).decode(),
    }
    return Probe(
        (
            Item.make(**shared, variant=0, text=candidate.caption, gold="yes", meaning=candidate.caption_meaning),
            Item.make(**shared, variant=1, text=candidate.foil, gold="no", meaning=candidate.foil_meaning),
        )
    )


class Valse:
    """Pairs of a caption and a foil for the instruments that are named."""

    requires: tuple[type, ...] = ()

    def tests(self) -> Sequence[str]:
        return tuple(FOIL_MAKERS)

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        given = options.suite_options
        own = given if isinstance(given, ValseGenerateOptions) else ValseGenerateOptions()
        makers = self._makers(source, options, own)
        tests = [maker.test for maker in makers]
        funnels: dict[str, Any] = {}
        if context.manifest is not None:
            context.manifest.parameters |= {"tests": tests, **own.to_parameters()}
            context.manifest.counts["funnel"] = funnels
        shared = self._foiling_context(source, options, own, context)
        for maker in makers:
            funnel = Funnel(maker.test, options.seed)
            shared.size = maker.paper_size if options.size == "paper" else options.size
            yield from self._pairs(maker, shared, funnel, context)
            funnels[maker.test] = funnel.to_dict()
            for reason, count in (funnel.skipped + funnel.rejected).items():
                context.rejected[f"{maker.test}: {reason}"] += count

    def _pairs(
        self, maker: FoilMaker, shared: FoilingContext, funnel: Funnel, context: GenerateContext
    ) -> Iterator[Probe]:
        for made in maker.make(shared, funnel):
            image = context.image(made.caption.image_id)
            if image is not None:
                yield make_pair(maker.test, maker.piece, made.caption, made.candidate, image, shared.source.name)

    def _makers(self, source: Source, options: GenerateOptions, own: ValseGenerateOptions) -> list[FoilMaker]:
        """Those that are named; where none is, all that the source has something for."""
        if options.tests and own.instrument:
            raise UsageError("--instrument is another name of --test here: give one of them")
        named = options.tests or own.instrument
        makers = [find_maker(test) for test in named or self.tests()]
        fitting = [maker for maker in makers if all(isinstance(source, one) for one in maker.requires)]
        for maker in makers if named or not fitting else ():
            for capability in maker.requires:
                require(source, capability, maker.test)
        return makers if named else fitting

    def _foiling_context(
        self, source: Source, options: GenerateOptions, own: ValseGenerateOptions, context: GenerateContext
    ) -> FoilingContext:
        def note(name: str, value: str) -> None:
            if context.manifest is not None:
                context.manifest.parameters[name] = value

        return FoilingContext(
            source=source,
            seed=options.seed,
            max_tokens=own.max_tokens,
            tokenizer=own.tokenizer,
            parser_name=own.parser,
            grammaticality=own.grammaticality,
            min_grammaticality=own.min_grammaticality,
            entailment=own.entailment,
            language_model=own.language_model,
            score_cache=own.score_cache,
            executor=context.executor,
            start_stage=context.start_stage,
            note=note,
        )


VALSE = Valse()
