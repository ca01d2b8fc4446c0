"""Plurality: a noun phrase in the other number, with a quantifier on both sides.

"A small vase with flowers in it" becomes "A small vase with [some flowers] in it" against "A small vase with [exactly
one flower] in it". Copulas, auxiliaries and pronouns that refer to the phrase agree; where another verb would have to
change, there is no candidate. A caption gives one candidate, and half of the pairs are in either direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from falter.generation.nlp.parsing import ParsedText
from falter.generation.sources import HasCaptions
from falter.suites.valse.foiling.candidates import Edit, FoilCandidate, Funnel, Skipped, SourceCaption, apply_edits
from falter.suites.valse.foiling.caption_words import SLIP, WordPairs, form_problem, words_of
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil, ParsedCaption
from falter.suites.valse.foiling.noun_phrases import (
    SCENES,
    NounPhrase,
    Number,
    NumberCompany,
    NumberFrames,
    find_noun_phrases,
    frames_of,
)
from falter.suites.valse.foiling.number_agreement import AgreementProblem, agree

QUANTIFIERS: dict[Number, tuple[str, str]] = {"sg": ("exactly one", "a single"), "pl": ("some", "a number of")}
DIRECTIONS: dict[Number, str] = {"sg": "sg2pl", "pl": "pl2sg"}
_OTHER: dict[Number, Number] = {"sg": "pl", "pl": "sg"}
_ENDS = frozenset({".", "!", "?"})
_FEWEST = 2
"""Images that must have a noun in a form, or in a frame, before a foil has it so."""
UNUSUAL = "two words next to each other that few captions have"


class Doubtful(NamedTuple):
    """A candidate that is taken only where there are too few others, and why."""

    candidate: FoilCandidate
    reason: str


class PluralityKnowledge(NamedTuple):
    """What the captions of a source say of one and of several."""

    frames: NumberFrames
    company: NumberCompany
    pairs: WordPairs

    @classmethod
    def of(cls, captions: Sequence[tuple[str, ParsedText]]) -> PluralityKnowledge:
        """What captions, each with its image, say."""
        texts = ((image_id, parsed.text) for image_id, parsed in captions)
        return cls(NumberFrames(captions), NumberCompany(captions), WordPairs(texts))


def foil_plurality(
    parsed: ParsedText, known: PluralityKnowledge, image_id: str, rng: Random
) -> Iterator[FoilCandidate | Doubtful | Skipped]:
    """A candidate for every noun phrase that can change its number, or why it cannot."""
    if problem := form_problem(parsed):
        yield Skipped(problem, parsed.text)
        return
    is_slip = known.pairs.find_grammar_slip(words_of(parsed.text)) is not None
    for phrase in find_noun_phrases(parsed):
        if isinstance(phrase, Skipped):
            yield phrase
            continue
        # Drawn whether it is used or not, so that no rule shifts the numbers of the next phrase.
        quantifiers = {number: rng.choice(pair) for number, pair in QUANTIFIERS.items()}
        problem = _problem(parsed, phrase, known, image_id)
        if problem:
            yield Skipped(problem, parsed.span_text(phrase.chunk.start, phrase.chunk.end))
            continue
        try:
            agreement = agree(parsed, phrase, _OTHER[phrase.number])
        except AgreementProblem as error:
            yield Skipped(str(error), parsed.text)
            continue
        found = _write(parsed, phrase, known.frames, quantifiers, agreement)
        unusual = _unusual(found, known.pairs)
        if is_slip:
            yield Doubtful(found, SLIP)
        elif unusual is not None:
            yield Doubtful(found, UNUSUAL)
        elif known.company.find_odd(parsed, phrase, _OTHER[phrase.number]):
            yield Doubtful(found, "few captions say so of the other number")
        else:
            yield found


def _unusual(found: FoilCandidate, pairs: WordPairs) -> str | None:
    """Two words of the foil next to each other that few images have; what the quantifier stands next to is left out."""
    start, end = found.foil_spans[0]
    phrase = found.foil[start:end]
    quantifier = next(one for two in QUANTIFIERS.values() for one in two if phrase.lower().startswith(one))
    before, after = words_of(found.foil[:start])[:-1], words_of(found.foil[start + len(quantifier) :])
    return pairs.find_unusual(before) or pairs.find_unusual(after)


def _problem(parsed: ParsedText, phrase: NounPhrase, known: PluralityKnowledge, image_id: str) -> str:
    noun, target, frames = phrase.singular, _OTHER[phrase.number], known.frames
    nouns = [one.lower for one in parsed.tokens if one.tag in ("NN", "NNS")]
    if nouns.count(noun) + sum(nouns.count(plural) for plural in frames.plurals.get(noun, ())) > 1:
        return "a noun that the caption has twice"
    if frames.plural(noun, _FEWEST) is None or frames.with_article[noun] < _FEWEST:
        return "a noun that captions use in one number only"
    if frames.is_in_image(image_id, noun, target):
        return "another caption of the image has the noun in the other number"
    if target == "pl" and noun in SCENES:
        return "a place, an event or a role, of which an image shows one"
    head = phrase.head
    if not frames.are_usual(
        frames_of(parsed, head, target, noun), frames_of(parsed, head, phrase.number, noun), _FEWEST
    ):
        return "few captions have the noun in the other number in such a place"
    return ""


def _begins_sentence(parsed: ParsedText, phrase: NounPhrase) -> bool:
    """Whether a phrase has its capital from its place; a name in the middle of a sentence has it anyway."""
    first = phrase.chunk.start
    if not parsed.tokens[first].text[0].isupper():
        return False
    return first == 0 or phrase.rest > first or parsed.tokens[first - 1].text in _ENDS


def _write(
    parsed: ParsedText, phrase: NounPhrase, frames: NumberFrames, quantifiers: dict[Number, str], agreement: list[Edit]
) -> FoilCandidate:
    start, end = parsed.tokens[phrase.chunk.start].start, parsed.tokens[phrase.head].end
    words = parsed.tokens[phrase.head].text
    modifiers = parsed.text[parsed.tokens[phrase.rest].start : parsed.tokens[phrase.head].start]
    target = _OTHER[phrase.number]
    other = phrase.singular if target == "sg" else frames.plural(phrase.singular) or ""
    begins = _begins_sentence(parsed, phrase)
    modifiers = modifiers if not begins or phrase.rest > phrase.chunk.start else modifiers[:1].lower() + modifiers[1:]

    def render(quantifier: str, noun: str) -> Edit:
        said = f"{quantifier} {modifiers}{noun}"
        return Edit(start, end, said[0].upper() + said[1:] if begins else said)

    shown = words.lower() if begins else words
    caption, caption_spans = apply_edits(parsed.text, [render(quantifiers[phrase.number], shown)])
    foil, foil_spans = apply_edits(parsed.text, [render(quantifiers[target], other), *agreement])
    return FoilCandidate(
        caption=caption,
        foil=foil,
        caption_spans=caption_spans,
        foil_spans=foil_spans,
        word=words.lower(),
        foil_word=other,
        facets={"direction": DIRECTIONS[phrase.number]},
    )


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
