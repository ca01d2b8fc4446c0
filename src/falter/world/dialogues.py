"""Dialogues about scenes, in the manner of VisDial: a caption, and ten questions by somebody who sees it alone.

Somebody who does not see the image asks about what was mentioned before: in the caption, or by an answer. A pronoun
stands for what the question before was about, or for the one thing whose existence was just affirmed. Every answer is
the scene's answer to a query. A draft has no options yet, but says what its answers mean.
"""

from __future__ import annotations

import random
from typing import Literal, NamedTuple

import msgspec

from falter.data.items import YES_NO
from falter.generation.askable import rules
from falter.generation.scene import Count, Exists, HasAttribute, Related
from falter.world.compose import WorldScene
from falter.world.questions import DescribedObject, QuestionSampler, copula, has_answer
from falter.world.world_data import load_world_data

_DOING = rules.words("doing-relations", "without clothes")
_DOING_OR_WEARING = rules.words("doing-relations", "with clothes")


class AnswerMeaning(msgspec.Struct, frozen=True, array_like=True):
    """What an answer says, whatever its wording: yes, no, a word, a number, or a kind of thing."""

    sort: Literal["yes", "no", "word", "count", "kind"]
    value: str = ""


class RoundDraft(msgspec.Struct, frozen=True, array_like=True):
    """A question with its answer; other answers that name one of the words or kinds may be right as well."""

    question: str
    answer: str
    meaning: AnswerMeaning
    words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


class DialogueDraft(msgspec.Struct, frozen=True, array_like=True):
    """A dialogue without options."""

    image_id: int
    caption: str
    rounds: tuple[RoundDraft, ...]


ROUNDS = 10
_TRIES = 400
_ASK_ABOUT_FIRST = 0.9
_BEGIN_WITH_FIRST = 0.9
_MOST_FOLLOW_UPS = 3
_PRONOUNS = {"man": "he", "boy": "he", "woman": "she", "girl": "she"}
_OPEN_FAMILIES = {
    "color": "what color {is} {s}",
    "material": "what {is} {s} made of",
    "pattern": "what pattern {does} {s} have",
    "shape": "what shape {is} {s}",
    "mood": "how {does} {s} look",
    "pose": "what {is} {s} doing",
    "action": "what {is} {s} doing",
}
_ASKED_AS = {"lying": "lying down"}
"""Words that are asked for in other words: who is lying may be telling lies."""
_PLAIN_ANSWER = 0.75
_ABOUT_IMAGE = 0.5
_PLACES = {True: ("outside", "outdoors"), False: ("inside", "indoors")}
_TAKEN_FOR_GRANTED = ("place", "clothing")


class _Subject(NamedTuple):
    """How the thing that is asked about is named in a question, and the pronoun for it."""

    words: str
    pronoun: str
    verb: str

    @property
    def not_verb(self) -> str:
        return "aren't" if self.verb == "are" else "isn't"


def draft_dialogue(scene: WorldScene, seed: int) -> DialogueDraft:
    """The dialogue about a scene."""
    about_image = _ask_about_image(scene, random.Random(f"visdial image {seed} {scene.index}"))
    return _Dialogue(scene, random.Random(f"visdial {seed} {scene.index}")).draft(about_image)


def _ask_about_image(scene: WorldScene, rng: random.Random) -> RoundDraft | None:
    """Is this outside? Half of the dialogues begin so."""
    if rng.random() >= _ABOUT_IMAGE:
        return None
    outdoors = load_world_data().environments[scene.environment].outdoors
    wanted = rng.choice(YES_NO)
    asked = rng.choice(_PLACES[outdoors == (wanted == "yes")])
    verb = "is" if wanted == "yes" else "isn't"
    answer = wanted if rng.random() < _PLAIN_ANSWER else f"{wanted}, it {verb}"
    return RoundDraft(f"is this {asked}", answer, AnswerMeaning("yes" if wanted == "yes" else "no"))


class _Dialogue:
    """Samples one dialogue, and keeps what was said."""

    def __init__(self, scene: WorldScene, rng: random.Random) -> None:
        self._sampler = QuestionSampler(scene, rng)
        self._rng = rng
        self._image_id = int(scene.image_id)
        self._rounds: list[RoundDraft] = []
        self._introduced: list[DescribedObject] = []
        self._kinds: set[str] = set()
        self._told: set[tuple[str, str]] = set()
        self._asked: set[str] = set()
        self._focus: DescribedObject | None = None
        self._follow_ups = 0
        self._counted: str | None = None
        self._says = {"yes": 0, "no": 0}

    def draft(self, first: RoundDraft | None = None) -> DialogueDraft:
        caption = self._caption()
        self._focus = self._first_focus()
        if first is not None:
            self._rounds.append(first)
        for _ in range(_TRIES):
            if len(self._rounds) == ROUNDS:
                break
            self._ask()
        return DialogueDraft(self._image_id, caption, tuple(self._rounds))

    def _caption(self) -> str:
        """Who does what, where somebody does something; else two things that are there."""
        sampler = self._sampler
        doing: list[tuple[DescribedObject, str, DescribedObject]] = []
        by_id = {one.thing.id: one for one in sampler.described if not one.description.attributes}
        for one in by_id.values():
            for relation in one.thing.relations:
                target = by_id.get(relation.target)
                about = sampler.ontology.relations[relation.name].relation_class
                if target is not None and about in ("action", "holding", "wearing"):
                    doing.append((one, relation.name, target))
        chosen = sampler.pick(doing)
        if chosen is not None:
            one, name, target = chosen
            description = sampler.select(one.thing.name, relation=Related(name, sampler.select(target.thing.name)))
            if has_answer(sampler, Exists(description), "yes"):
                self._introduce(one, target)
                self._tell(one, name)
                return sampler.write(description, "a")
        plain = [one for one in by_id.values() if has_answer(sampler, Exists(one.description), "yes")]
        first = sampler.notable_one(plain)
        if first is None:
            kinds = [
                kind
                for kind in sorted(sampler.counts)
                if not any(sampler.ontology.is_a(kind, top) for top in _TAKEN_FOR_GRANTED)
            ]
            kind = sampler.pick(kinds) or sampler.present_kind()
            self._kinds.add(kind)
            return sampler.write(sampler.select(kind, plural=sampler.counts[kind] > 1), "a")
        second = sampler.notable_one([one for one in plain if one is not first])
        named = [first] if second is None else [first, second]
        self._introduce(*named)
        return " and ".join(sampler.write(one.description, "a") for one in named)

    def _first_focus(self) -> DescribedObject | None:
        """What the first questions are about, as a rule what the caption begins with, where its pronoun is clear."""
        pronouns = [self._subject(one).pronoun for one in self._introduced]
        if not pronouns or pronouns.count(pronouns[0]) > 1:
            return None
        return self._introduced[0] if self._rng.random() < _BEGIN_WITH_FIRST else None

    def _introduce(self, *things: DescribedObject) -> None:
        for one in things:
            if one not in self._introduced:
                self._introduced.append(one)
            self._kinds.add(one.thing.name)

    def _tell(self, one: DescribedObject, relation: str) -> None:
        """Keep that it was said what somebody does to something: nobody asks for it again."""
        self._told.add((one.thing.id, relation))
        if self._sampler.ontology.relations[relation].relation_class == "action":
            self._told |= {(one.thing.id, "pose"), (one.thing.id, "action")}

    def _ask(self) -> None:
        """Ask one more question, if the kind of question that is drawn can be asked."""
        rng = self._rng
        if self._counted is not None:
            self._how_many(self._counted, follows=True)
            self._counted = None
        elif self._focus is not None and self._follow_ups < _MOST_FOLLOW_UPS and rng.random() < 0.8:
            self._about(self._focus)
        elif self._introduced and rng.random() < 0.45:
            self._about(rng.choice(self._introduced))
        elif rng.random() < 0.8:
            self._exists()
        else:
            self._how_many(self._sampler.present_kind() if rng.random() < 0.8 else self._sampler.absent_kind())

    def _about(self, one: DescribedObject) -> None:
        rng = self._rng
        chance = rng.random()
        ask = self._open_attribute if chance < 0.5 else self._attribute if chance < 0.8 else self._relation
        if not ask(one):
            # It may be that there is nothing more to ask about it.
            self._follow_ups += 1

    def _subject(self, one: DescribedObject) -> _Subject:
        verb = copula(one.description)
        kind = one.description.kind
        is_person = self._sampler.ontology.is_a(kind, "person")
        pronoun = "they" if verb == "are" else _PRONOUNS.get(kind, "" if is_person else "it")
        name = self._sampler.the(one)
        words = pronoun if pronoun and one is self._focus else name
        return _Subject(words, pronoun or name, verb)

    def _add(self, one: DescribedObject | None, draft: RoundDraft) -> bool:
        """Add a question that was not asked before of the same thing; ``one`` is what it was about."""
        key = f"{draft.question}|{'' if one is None else one.thing.id}"
        if key in self._asked:
            return False
        self._asked.add(key)
        self._rounds.append(draft)
        if draft.meaning.sort in self._says:
            self._says[draft.meaning.sort] += 1
        self._follow_ups = self._follow_ups + 1 if one is not None and one is self._focus else 0
        self._focus = one
        return True

    def _wanted(self) -> str:
        if self._says["yes"] == self._says["no"]:
            return self._rng.choice(YES_NO)
        return min(self._says, key=lambda word: self._says[word])

    def _right(self, one: DescribedObject) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words and kinds that other right answers about a thing may hold."""
        objects = self._sampler.world.graph.objects
        kinds = {one.thing.name, *(objects[each.target].name for each in one.thing.relations)}
        return tuple(sorted(one.thing.attributes)), tuple(sorted(kinds))

    def _open_attribute(self, one: DescribedObject) -> bool:
        """What color is it?"""
        sampler = self._sampler
        named = {load_world_data().find_family(word) for word in one.description.attributes}
        families = [
            family
            for family in _OPEN_FAMILIES
            if family not in named
            and (one.thing.id, family) not in self._told
            and sampler.family_word(one.thing, family) not in (None, "plain")
        ]
        family = sampler.pick(families)
        word = None if family is None else sampler.family_word(one.thing, family)
        if family is None or word is None or not has_answer(sampler, HasAttribute(one.definite(), word), "yes"):
            return False
        if family == "pose" and (sampler.family_word(one.thing, "action") or self._does_something(one)):
            return False
        subject = self._subject(one)
        does = "do" if subject.verb == "are" else "does"
        question = _OPEN_FAMILIES[family].format(s=subject.words, does=does, **{"is": subject.verb})
        link = {"material": "made of ", "pattern": ""}.get(family, "")
        long = f"{subject.pronoun} {subject.verb} {link}{word}"
        answer = word if self._rng.random() < _PLAIN_ANSWER else long
        self._told.add((one.thing.id, family))
        if family in ("pose", "action"):
            self._told |= {(one.thing.id, "pose"), (one.thing.id, "action")}
        return self._add(one, RoundDraft(question, answer, AnswerMeaning("word", word), *self._right(one)))

    def _does_something(self, one: DescribedObject) -> bool:
        relations = self._sampler.ontology.relations
        return any(relations[each.name].relation_class in _DOING for each in one.thing.relations)

    def _attribute(self, one: DescribedObject) -> bool:
        """Is it brown?"""
        sampler = self._sampler
        named = {load_world_data().find_family(word) for word in one.description.attributes}
        families = [
            family
            for family in sampler.word_families(one.thing)
            if family not in named and (one.thing.id, family) not in self._told
        ]
        family = sampler.pick(families)
        right = None if family is None else sampler.family_word(one.thing, family)
        if family is None or right is None:
            return False
        wanted = self._wanted()
        word = right if wanted == "yes" else sampler.other_word(family, right)
        if not has_answer(sampler, HasAttribute(one.definite(), word), wanted):
            return False
        if wanted == "yes" or len(load_world_data().families[family].values) == 2:
            self._told.add((one.thing.id, family))
        subject = self._subject(one)
        question = f"{subject.verb} {subject.words} {_ASKED_AS.get(word, word)}"
        if family == "material":
            question = f"{subject.verb} {subject.words} made of {word}"
        return self._add(one, self._polar(question, wanted, subject.pronoun, subject, one))

    def _relation(self, one: DescribedObject) -> bool:
        """What is he holding? Is he holding a cup?"""
        sampler, rng = self._sampler, self._rng
        relations = sampler.ontology.relations
        verbs = [
            verb
            for verb in sorted({each.name for each in one.thing.relations})
            if relations[verb].relation_class in _DOING_OR_WEARING
            and verb in sampler.world.graph.complete
            and (one.thing.id, verb) not in self._told
            and len(sampler.patients.get((one.thing.id, verb), [])) == 1
        ]
        verb = sampler.pick(verbs)
        if verb is None:
            return False
        target = sampler.world.graph.objects[sampler.patients[one.thing.id, verb][0]]
        subject = self._subject(one)
        description = sampler.select(target.name)
        doing = sampler.select(one.description.kind, *one.description.attributes, relation=Related(verb, description))
        if not has_answer(sampler, Exists(doing), "yes"):
            return False
        self._tell(one, verb)
        what = sampler.write(description, "a")
        who = "who" if sampler.ontology.is_a(target.name, "person") else "what"
        question = f"{who} {subject.verb} {subject.words} {verb}"
        long = f"{subject.pronoun} {subject.verb} {verb} {what}"
        answer = what if rng.random() < _PLAIN_ANSWER else long
        words, kinds = self._right(one)
        draft = RoundDraft(question, answer, AnswerMeaning("kind", target.name), words, kinds)
        if not self._add(one, draft):
            return False
        self._kinds.add(target.name)
        found = next((each for each in sampler.described if each.thing is target), None)
        if found is not None and not found.description.attributes:
            self._introduce(found)
        # "it" could be what was asked about or what was answered.
        if subject.pronoun in ("it", "they"):
            self._focus = None
        return True

    def _exists(self) -> None:
        """Is there a dog? Are there any dogs?"""
        sampler, rng = self._sampler, self._rng
        wanted = self._wanted()
        if wanted == "yes" and all(self._is_known(kind) for kind in sampler.counts):
            # Before there is one more no, what was mentioned is asked about.
            if self._introduced and rng.random() < _ASK_ABOUT_FIRST:
                self._attribute(rng.choice(self._introduced))
                return
            wanted = "no"
        kind = sampler.present_kind() if wanted == "yes" else sampler.absent_kind()
        if self._is_known(kind):
            return
        several = sampler.counts[kind] > 1
        description = sampler.select(kind, plural=several or (wanted == "no" and rng.random() < 0.5))
        if not has_answer(sampler, Exists(description), wanted):
            return
        some = "a" if description.number == "singular" else "any"
        verb = copula(description)
        words = sampler.write(description, some)
        question = rng.choice((f"{verb} there {words}", f"do you see {words}", f"can you see {words}"))
        self._kinds.add(kind)
        there = _Subject("there", "there", verb)
        short = question.startswith(verb)
        draft = self._polar(question, wanted, "there" if short else "", there, None, kind)
        if not self._add(None, draft) or wanted == "no":
            return
        found = [one for one in sampler.described if one.thing.name == kind]
        if several:
            self._counted = kind
        elif len(found) == 1 and not found[0].description.attributes and verb == "is":
            self._introduce(found[0])
            self._focus, self._follow_ups = found[0], 0

    def _is_known(self, kind: str, besides: str = "") -> bool:
        """Whether nobody would ask if there is such a thing: it was talked about, or goes without saying."""
        ontology = self._sampler.ontology
        if ontology.is_unique(kind) or any(ontology.is_a(kind, top) for top in _TAKEN_FOR_GRANTED):
            return True
        return any(ontology.is_a(one, kind) or ontology.is_a(kind, one) for one in self._kinds - {besides})

    def _how_many(self, kind: str, *, follows: bool = False) -> None:
        """How many dogs are there? After it was affirmed that there are any, the noun may be missing."""
        sampler = self._sampler
        description = sampler.select(kind, plural=True)
        if sampler.number(kind) != "singular" or self._is_known(kind, besides=kind if follows else ""):
            return
        number = sampler.answer(Count(description))
        if number is None or (number == "0" and self._rng.random() < 0.6):
            return
        elliptic = follows and self._rng.random() < 0.5
        question = "how many are there" if elliptic else f"how many {sampler.write(description)} are there"
        long = f"there {'is' if number == '1' else 'are'} {number}"
        answer = number if number == "0" or self._rng.random() < _PLAIN_ANSWER else long
        self._kinds.add(kind)
        self._add(None, RoundDraft(question, answer, AnswerMeaning("count", number)))

    def _polar(
        self, question: str, wanted: str, long: str, subject: _Subject, one: DescribedObject | None, kind: str = ""
    ) -> RoundDraft:
        """A yes/no question; ``long`` is what an answer in words begins with, where there is one."""
        words, kinds = ((), (kind,)) if one is None else self._right(one)
        verb = subject.verb if wanted == "yes" else subject.not_verb
        answer = f"{wanted}, {long} {verb}" if long and self._rng.random() >= _PLAIN_ANSWER else wanted
        meaning = AnswerMeaning("yes" if wanted == "yes" else "no")
        return RoundDraft(question, answer, meaning, words, kinds)
