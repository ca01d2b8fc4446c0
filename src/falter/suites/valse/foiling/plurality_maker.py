"""The pairs of plurality: one candidate a caption, half of them in either direction."""

from __future__ import annotations

from collections.abc import Iterator

from falter.sources import HasCaptions
from falter.suites.valse.foiling.candidate import FoilCandidate, Skipped
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil, ParsedCaption
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.foiling.number_frames import NumberFrames
from falter.suites.valse.foiling.plurality import DIRECTIONS, foil_plurality

__all__ = ["PLURALITY", "PluralityMaker"]

NOT_DRAWN = "another phrase of the caption was drawn"
ENOUGH = "enough pairs in this direction"


class PluralityMaker:
    """Goes through the captions in random order until either direction has half of the pairs."""

    test = "plurality"
    piece = "plurality"
    paper_size = 1000
    requires: tuple[type, ...] = (HasCaptions,)

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        context.count_captions(funnel)
        frames = NumberFrames((one.caption.image_id, one.parsed) for one in context.parsed_captions)
        wanted = _halves(context.size)
        made: dict[str, list[MadeFoil]] = {direction: [] for direction in DIRECTIONS.values()}
        progress = context.start_stage("captions foiled", len(context.parsed_captions))
        for caption, parsed in context.in_random_order(self.test):
            progress(1)
            if all(_is_enough(found, wanted[direction]) for direction, found in made.items()):
                break
            if not list(context.well_written(funnel, [ParsedCaption(caption, parsed)])):
                continue
            rng = context.rng(self.test, caption.id)
            candidates: list[FoilCandidate] = []
            for one in foil_plurality(parsed, frames, caption.image_id, rng):
                if isinstance(one, Skipped):
                    funnel.skip(one)
                else:
                    candidates.append(one)
            funnel.propose(len(candidates))
            rng.shuffle(candidates)
            kept = False
            for candidate, problem in zip(candidates, context.filters.problems(candidates), strict=True):
                direction = candidate.facets["direction"]
                if problem:
                    funnel.reject(problem, candidate)
                elif kept:
                    funnel.reject(NOT_DRAWN, candidate)
                elif _is_enough(made[direction], wanted[direction]):
                    funnel.reject(ENOUGH, candidate)
                else:
                    made[direction].append(MadeFoil(caption, candidate))
                    kept = True
        yield from self._balance(made, funnel)

    def _balance(self, made: dict[str, list[MadeFoil]], funnel: Funnel) -> Iterator[MadeFoil]:
        fewest = min(len(found) for found in made.values())
        for found in made.values():
            for one in found[fewest:]:
                funnel.reject(ENOUGH, one.candidate)
            for one in found[:fewest]:
                funnel.keep(one.candidate)
                yield one


def _halves(size: int | None) -> dict[str, int | None]:
    """By direction the pairs that are wanted; an odd one falls to none."""
    return {direction: None if size is None else max(1, size // 2) for direction in DIRECTIONS.values()}


def _is_enough(found: list[MadeFoil], wanted: int | None) -> bool:
    return wanted is not None and len(found) >= wanted


PLURALITY = PluralityMaker()
