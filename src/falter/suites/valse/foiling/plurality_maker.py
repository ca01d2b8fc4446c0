"""The pairs of plurality: one candidate a caption, half of them in either direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from falter.sources import HasCaptions
from falter.suites.valse.foiling.candidate import FoilCandidate, Skipped, SourceCaption
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil, ParsedCaption
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.foiling.plurality import DIRECTIONS, Doubtful, PluralityKnowledge, foil_plurality
from falter.suites.valse.foiling.word_pairs import SLIP

__all__ = ["PLURALITY", "Drawn", "PluralityMaker"]

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
        known = PluralityKnowledge.of([(one.caption.image_id, one.parsed) for one in context.parsed_captions])
        drawn = Drawn(funnel, None if context.size is None else max(1, context.size // 2))
        progress = context.start_stage("captions foiled", len(context.parsed_captions))
        for caption, parsed in context.in_random_order(self.test):
            progress(1)
            if drawn.is_all():
                break
            if not list(context.well_written(funnel, [ParsedCaption(caption, parsed)])):
                continue
            rng = context.rng(self.test, caption.id)
            found = _sort_out(foil_plurality(parsed, known, caption.image_id, rng), funnel)
            funnel.propose(len(found))
            rng.shuffle(found)
            drawn.sort(found)
            problems = context.filters.problems([one.candidate for one in found])
            drawn.draw(caption, list(zip(found, problems, strict=True)))
        yield from drawn.balanced()


def _sort_out(found: Iterable[FoilCandidate | Doubtful | Skipped], funnel: Funnel) -> list[Doubtful]:
    """Candidates, each with what makes it doubtful; the phrases without one are counted."""
    candidates = []
    for one in found:
        if isinstance(one, Skipped):
            funnel.skip(one)
        else:
            candidates.append(one if isinstance(one, Doubtful) else Doubtful(one, ""))
    return candidates


class Drawn:
    """The pairs of either direction, and the doubtful ones that are taken where a direction lacks pairs."""

    def __init__(self, funnel: Funnel, wanted: int | None) -> None:
        self._funnel, self._wanted = funnel, wanted
        self._made: dict[str, list[MadeFoil]] = {direction: [] for direction in DIRECTIONS.values()}
        self._spare: dict[str, list[tuple[MadeFoil, str]]] = {direction: [] for direction in DIRECTIONS.values()}

    def is_all(self) -> bool:
        """Whether either direction has the pairs that are wanted, without doubtful ones."""
        return all(map(self._is_enough, self._made))

    def sort(self, found: list[Doubtful]) -> None:
        """Put the candidates of a caption in the order in which they are wanted.

        Doubtful ones come last; of a phrase of either number comes first the one whose direction lacks pairs.
        """
        found.sort(key=lambda one: (bool(one.reason), len(self._made[one.candidate.facets["direction"]])))

    def draw(self, caption: SourceCaption, found: Iterable[tuple[Doubtful, str]]) -> None:
        """Take the first candidate of a caption that passed the filters and whose direction lacks pairs."""
        taken = False
        for (candidate, doubt), problem in found:
            direction = candidate.facets["direction"]
            if problem:
                self._funnel.reject(problem, candidate)
            elif taken:
                self._funnel.reject(NOT_DRAWN, candidate)
            elif self._is_enough(direction):
                self._funnel.reject(ENOUGH, candidate)
            elif doubt:
                self._spare[direction].append((MadeFoil(caption, candidate), doubt))
            else:
                taken = True
                self._made[direction].append(MadeFoil(caption, candidate))

    def balanced(self) -> Iterator[MadeFoil]:
        """As many pairs of either direction, doubtful ones last, and one a caption."""
        used: set[str] = set()
        # The direction with the fewest has the choice among captions with a doubtful pair of either.
        for direction in sorted(self._spare, key=lambda one: len(self._made[one]) + len(self._spare[one])):
            for pair, doubt in sorted(self._spare[direction], key=lambda one: one[1] == SLIP):
                if self._is_enough(direction):
                    self._funnel.reject(doubt, pair.candidate)
                elif pair.caption.id in used:
                    self._funnel.reject(NOT_DRAWN, pair.candidate)
                else:
                    used.add(pair.caption.id)
                    self._made[direction].append(pair)
        fewest = min(map(len, self._made.values()))
        for made in self._made.values():
            for pair in made[fewest:]:
                self._funnel.reject(ENOUGH, pair.candidate)
            for pair in made[:fewest]:
                self._funnel.keep(pair.candidate)
                yield pair

    def _is_enough(self, direction: str) -> bool:
        return self._wanted is not None and len(self._made[direction]) >= self._wanted


PLURALITY = PluralityMaker()
