"""The contrast sets that one image offers: its questions, read and checked, and what each can be changed to.

Also what a reader without the image sees of a question, over which variants are balanced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice, pairwise
from math import log2
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from falter.core.plugins import load_plugins
from falter.generation.askable.doings import related_kinds
from falter.generation.askable.placement import SIDES
from falter.generation.askable.scene_things import SceneThings
from falter.generation.askable.source_habits import SourcePrior
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.perturbing import Atom, QuestionRewriter
from falter.generation.authoring.question_builder import SCALE, features_of
from falter.generation.english import Grammar, Parse, default_grammar
from falter.generation.english.query_agreement import QueryAgreement
from falter.generation.english.question_reader import plain_question, reader_over
from falter.generation.english.sentence_editing import SentenceEditor
from falter.generation.scene import ObjectDescription, Query, Scene, SceneGraph, query_to_json
from falter.generation.scene.programs import ProgramError, query_from_program
from falter.generation.scene.query import descriptions_of
from falter.generation.sources.protocol import Question, text_problem
from falter.suites.contrast_sets.changes import ProgramChange, polarity_changes, program_changes, turning_changes
from falter.suites.contrast_sets.originals import OriginalWriter
from falter.suites.contrast_sets.question_tests import tests_for, tests_for_query

_RAREST_STEPS, _FIT_STEPS = 2, 12
"""Steps for a doubling of images, and for a factor of e in plausibility: finer steps weigh more."""
_FLATTERED = 0.12
"""By how much the counts by which an absent kind is chosen say that it fits better than other counts do.

That is the difference between the halves of the table over the absent kinds of a world; of present kinds it is 0.
"""
_LEAST_FIT = -3 * _FIT_STEPS


def blind_features(query: Query, things: SceneThings) -> tuple[str, ...]:
    """The words of a question, alone and together, and how usual what they say is in such an image."""
    found: list[str] = []
    described = [one for one in dict.fromkeys(descriptions_of(query)) if one.kind in things.ontology.kinds]
    for one in described:
        found += _words(one)
        found.append(f"{SCALE}common:{round(log2(1 + things.plausibility.frequency(one.kind)))}")
        found.append(f"{SCALE}plausible:{round(2 * things.plausible(one.kind))}")
    found += _levels([one.kind for one in described if not one.definite], things)
    for one, other in pairwise(described):
        found.append(f"{one.kind} .. {other.kind}")
        found.append(f"{SCALE}together:{round(2 * things.together(one.kind, other.kind))}")
    for related in related_kinds(query):
        if related.relation in SIDES:
            # Common sense guesses what is there: what is not may not tell of the answer where it need not.
            found.append(f"there:{related.target in things.kinds}")
        found += (related.relation, f"{related.subject} {related.relation}", f"{related.relation} {related.target}")
    return tuple(found)


def _levels(kinds: Sequence[str], things: SceneThings) -> Iterator[str]:
    """How usual several things are that are looked for: every step of a scale that is reached, so that halves even out.

    Absent things are chosen among usual ones, present ones need not be usual. Steps by themselves hold a few questions
    each, over which that does not even out.
    """
    if len(kinds) < 2:
        return
    common = [log2(1 + things.plausibility.frequency(kind)) for kind in kinds]
    fit = [things.plausible(kind) - (0.0 if kind in things.kinds else _FLATTERED) for kind in kinds]
    yield from (f"{SCALE}rarest:{step}" for step in range(round(_RAREST_STEPS * min(common)) + 1))
    yield from (f"{SCALE}usual:{step}" for step in range(round(sum(common) / len(kinds)) + 1))
    yield from (f"{SCALE}fit:{step}" for step in range(_LEAST_FIT, round(_FIT_STEPS * sum(fit) / len(kinds)) + 1))


@lru_cache(maxsize=16384)
def _words(one: ObjectDescription) -> tuple[str, ...]:
    article = "the" if one.definite else "a"
    return (*features_of(replace(one, relation=None)), article, f"{article} {one.kind}")


OTHER = "other"
"""The test of questions that belong to none, where they are kept."""

_LOOKED_FOR = 24
"""How many changes of an atom that turn the answer are looked for, beside two for each variant."""
_SPARE = 10
"""How many more variants are written than one question may take, so that some of them can be passed over."""


class SearchSettings(NamedTuple):
    """What is looked for: the tests, the atoms of each, and how many variants of a question."""

    atoms: Mapping[str, tuple[Atom, ...]]
    per_question: int
    seed: int
    from_scenes: bool
    """Whether originals are written from scenes."""
    keep_all: bool = False
    """Whether questions of no test are kept, as single ones."""


class ImageRequest(NamedTuple):
    """A graph with the questions that were asked about its image."""

    graph: SceneGraph
    questions: tuple[Question, ...]


class Offer(NamedTuple):
    """A variant that a question may have."""

    text: str
    gold: str
    meaning: str
    atom: str
    before: str
    after: str
    features: tuple[str, ...]
    """What a reader without the image sees of it."""


class OfferedSet(NamedTuple):
    """A question with the variants that it may have, the first ones first; none where it has none."""

    test: str
    question: Question
    text: str
    gold: str
    meaning: str
    offers: tuple[Offer, ...]
    features: tuple[str, ...]
    read_from: str = "text"
    """What told its meaning: the text, or the program where no template reads the text."""


class ImageSets(NamedTuple):
    """What an image offers, and why questions gave nothing."""

    image_id: str
    sets: list[OfferedSet]
    rejected: Counter[str]


def find_sets(
    requests: Iterator[ImageRequest], settings: SearchSettings, prior: SourcePrior, context: GenerateContext
) -> Iterator[ImageSets]:
    """What each image offers, in order; the same with any executor."""
    state = partial(_load_finder, context.plugin_dirs, settings, prior)
    yield from context.executor.map(_find, requests, state=state)


def _load_finder(plugin_dirs: tuple[Path, ...], settings: SearchSettings, prior: SourcePrior) -> SetFinder:
    load_plugins(plugin_dirs)
    return SetFinder(default_grammar(*plugin_dirs), settings, prior)


def _find(finder: SetFinder, request: ImageRequest) -> ImageSets:
    return finder.find(request)


class SetFinder:
    """Finds the contrast sets of one image after another."""

    def __init__(self, grammar: Grammar, settings: SearchSettings, prior: SourcePrior) -> None:
        self._grammar = grammar
        self._reader = reader_over(grammar)
        self._rewriter = QuestionRewriter(self._reader)
        self._editor = SentenceEditor(grammar.ontology)
        self._agreement = QueryAgreement(grammar.ontology)
        self._settings = settings
        self._prior = prior
        self._writer = OriginalWriter(self._reader, settings.seed) if settings.from_scenes else None

    def find(self, request: ImageRequest) -> ImageSets:
        """The sets that the questions of an image offer."""
        things = SceneThings(Scene(request.graph, self._grammar.ontology), self._grammar.ontology, self._prior)
        found = ImageSets(request.graph.image_id, [], Counter())
        questions = (
            request.questions if self._writer is None else self._writer.write(things, list(self._settings.atoms))
        )
        problems = [text_problem(question.text) for question in questions]
        found.rejected.update(problem for problem in problems if problem is not None)
        usable = [question for question, problem in zip(questions, problems, strict=True) if problem is None]
        read = [(question, self._reader.read(question.text), self._computed(question)) for question in usable]
        asked = {parse.meaning for _, parse, _ in read if parse is not None}
        for question, parse, computed in read:
            if parse is None:
                self._find_through_program(question, computed, things, asked, found)
                continue
            wanted = [test for test in tests_for(parse, self._grammar.ontology) if test in self._settings.atoms]
            if self._settings.keep_all and not wanted:
                wanted = [OTHER]
            if wanted and not self._agree(parse, computed):
                found.rejected["the program of the question asks something else than its text"] += 1
                continue
            for test in wanted:
                atoms = self._settings.atoms.get(test, ())
                offered = self._offered(test, atoms, question, parse, things, asked, found.rejected)
                if offered is not None:
                    found.sets.append(offered)
        return found

    def _offered(
        self,
        test: str,
        atoms: Sequence[Atom],
        question: Question,
        parse: Parse,
        things: SceneThings,
        asked: set[Query],
        rejected: Counter[str],
    ) -> OfferedSet | None:
        gold = things.answer(parse.meaning)
        if gold is None:
            rejected[f"{test}: the annotation cannot settle the answer"] += 1
            return None
        if question.answer is None or gold != question.answer.lower():
            rejected[f"{test}: the published answer is not the annotation's"] += 1
            return None
        if not self._has_one_answer(question.text, gold, things):
            rejected[f"{test}: the text has a second meaning with another answer"] += 1
            return None
        changes = turning_changes(parse, gold, test, atoms, things, _LOOKED_FOR + 2 * self._settings.per_question)
        changes += polarity_changes(question.text, parse, gold, atoms, things, self._reader)
        fresh = [one for one in changes if one.change.parse.meaning not in asked]
        if self._writer is not None:
            # What was asked is our own choice here.
            fresh += [one for one in changes if one.change.parse.meaning in asked]
        offers: dict[str, Offer] = {}
        for one in fresh:
            if len(offers) == _SPARE + 2 * self._settings.per_question:
                break
            text = self._rewriter.write(question.text, parse, one.change)
            if text is None:
                rejected[f"{test}: a change cannot be written, or not read back"] += 1
            elif self._has_one_answer(text, one.answer, things):
                before, after = one.change.names
                meaning = query_to_json(one.change.parse.meaning)
                offers.setdefault(
                    text,
                    Offer(
                        text,
                        one.answer,
                        meaning,
                        one.change.atom,
                        before,
                        after,
                        blind_features(one.change.parse.meaning, things),
                    ),
                )
            else:
                rejected[f"{test}: the text has a second meaning with another answer"] += 1
        if not offers and atoms:
            why = "no change turns the answer" if not changes else "all that turn the answer are asked already"
            if len(fresh) == 0:
                rejected[f"{test}: {why}"] += 1
        meaning = query_to_json(parse.meaning)
        return OfferedSet(
            test, question, question.text, gold, meaning, tuple(offers.values()), blind_features(parse.meaning, things)
        )

    def _find_through_program(
        self, question: Question, query: Query | None, things: SceneThings, asked: set[Query], found: ImageSets
    ) -> None:
        """The sets of a question that no template reads, where its program tells what it asks."""
        tests = () if query is None else tests_for_query(query, self._grammar.ontology)
        wanted = [test for test in tests if test in self._settings.atoms]
        if query is None or not wanted:
            found.rejected["no template reads the question"] += 1
            return
        gold, text = things.answer(query), plain_question(question.text)
        if gold is None:
            found.rejected[f"{wanted[0]}: the annotation cannot settle the answer"] += 1
            return
        if question.answer is None or gold != question.answer.lower():
            found.rejected[f"{wanted[0]}: the published answer is not the annotation's"] += 1
            return
        most = _SPARE + 2 * self._settings.per_question
        for test in wanted:
            changes = program_changes(text, query, gold, self._settings.atoms[test], things, self._editor)
            fresh = (one for one in changes if one.query not in asked and self._is_safe(one))
            offers = tuple(
                Offer(*one[:1], one.answer, query_to_json(one.query), one.atom, one.before, one.after,
                      blind_features(one.query, things))
                for one in islice(fresh, most)
            )  # fmt: skip
            if not offers:
                found.rejected[f"{test}: the text cannot be rewritten safely"] += 1
            features = blind_features(query, things)
            found.sets.append(
                OfferedSet(test, question, question.text, gold, query_to_json(query), offers, features, "program")
            )

    def _is_safe(self, change: ProgramChange) -> bool:
        """Whether a changed text is not read as asking something else."""
        read = self._reader.read(change.text)
        return read is None or self._agreement.agree(read.meaning, change.query)

    def _computed(self, question: Question) -> Query | None:
        """What the program of a question computes, where a query can say that."""
        if question.program is None:
            return None
        try:
            return query_from_program(question.program, self._grammar.ontology.lexeme)
        except ProgramError:
            return None

    def _agree(self, parse: Parse, computed: Query | None) -> bool:
        """Whether the text means what the program of the question computes."""
        return computed is None or self._agreement.agree(parse.meaning, computed)

    def _has_one_answer(self, text: str, gold: str, things: SceneThings) -> bool:
        """Whether the text has this answer in whichever way it is read, also by the templates of other suites."""
        others = (things.answer(one.meaning) for one in self._reader.other_readings(text))
        return all(answer in (gold, None) for answer in others) and all(
            things.answer(query) == gold for query in self._grammar.parse(plain_question(text))
        )
