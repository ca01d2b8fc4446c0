"""FOIL it!: captions against the foils that come with them, in which one noun is replaced.

"A [dog] on a sofa" against "A [cat] on a sofa".
"""

from __future__ import annotations

from collections.abc import Iterator

from falter.generation.sources import FoiledCaption, HasFoils, require
from falter.suites.valse.foiling.candidates import FoilCandidate, Funnel, Skipped, SourceCaption
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil

ENOUGH = "more foils than pairs are wanted"
SAME_IMAGE = "another foil of the caption was drawn"


def pair_foil(foiled: FoiledCaption) -> FoilCandidate | str:
    """The pair, or why there is none; changed words lie between what both texts begin and end with."""
    caption, foil = (" ".join(text.split()) for text in (foiled.caption, foiled.foil))
    words, foil_words = caption.split(" "), foil.split(" ")
    if [word.lower() for word in words] == [word.lower() for word in foil_words]:
        return "the foil is the same as its caption"
    if not all(any(letter.isalpha() for letter in text) for text in (caption, foil)):
        return "the caption has no word"
    before = next((at for at, (one, other) in enumerate(zip(words, foil_words, strict=False)) if one != other), None)
    before = min(len(words), len(foil_words)) if before is None else before
    after = 0
    while after < min(len(words), len(foil_words)) - before and words[-1 - after] == foil_words[-1 - after]:
        after += 1
    return FoilCandidate(
        caption=caption,
        foil=foil,
        caption_spans=(_span(words, before, after),),
        foil_spans=(_span(foil_words, before, after),),
        word=foiled.word,
        foil_word=foiled.foil_word,
    )


def _span(words: list[str], before: int, after: int) -> tuple[int, int]:
    start = len(" ".join(words[:before])) + bool(before)
    changed = " ".join(words[before : len(words) - after]).rstrip(".,")
    return min(start, len(" ".join(words))), start + len(changed)


class FoilItMaker:
    """One foil a caption, drawn by the seed."""

    test = "foil-it"
    piece = "foil-it"
    paper_size = 1000
    requires: tuple[type, ...] = (HasFoils,)

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        source = require(context.source, HasFoils, self.test)  # type: ignore[type-abstract]
        foils = list(source.foils())
        context.rng(self.test, "order").shuffle(foils)
        made: set[tuple[str, str]] = set()
        for one in foils:
            funnel.captions += 1
            candidate = pair_foil(one)
            if isinstance(candidate, str):
                funnel.skip(Skipped(candidate, one.caption[:200]))
                continue
            if context.token_counter.count(candidate.caption) > context.max_tokens:
                funnel.skip(Skipped("the caption has too many tokens", one.caption[:200]))
                continue
            funnel.propose()
            if (one.image_id, candidate.caption) in made:
                funnel.reject(SAME_IMAGE, candidate)
            elif context.size is not None and len(made) >= context.size:
                funnel.reject(ENOUGH, candidate)
            else:
                made.add((one.image_id, candidate.caption))
                funnel.keep(candidate)
                yield MadeFoil(SourceCaption(one.id, one.image_id, candidate.caption), candidate)


FOIL_IT = FoilItMaker()
