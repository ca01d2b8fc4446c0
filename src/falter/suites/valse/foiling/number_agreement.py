"""What else changes with the number of a noun phrase: copulas and auxiliaries, and pronouns that refer to it.

Pronouns are found by number and gender: where two phrases fit, none is changed. What several have one of each, and what
one has alone, are reasons why a noun phrase keeps its number."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from falter.generation.english.words import PLURAL_AUXILIARIES
from falter.generation.nlp.parsing import ParsedText
from falter.suites.valse.foiling.candidates import Edit
from falter.suites.valse.foiling.caption_words import FEMALE, MALE, is_person, word_list
from falter.suites.valse.foiling.noun_phrases import NounPhrase, Number, noun_number

_HE, _SHE, _IT = ("he", "him", "his", "himself"), ("she", "her", "her", "herself"), ("it", "it", "its", "itself")
_THEY = ("they", "them", "their", "themselves")
_SINGULAR = {*_HE, *_SHE, *_IT}
_OWNED_IN_SINGULAR = ("NN", "NNP")


def agree_pronouns(
    parsed: ParsedText, phrase: NounPhrase, target: Number, problem: type[Exception]
) -> Iterator[tuple[Edit, int | None]]:
    """The edits of pronouns that refer to a phrase, each with the verb that it is the subject of."""
    for index, token in enumerate(parsed.tokens):
        if token.tag not in ("PRP", "PRP$") or not _fits(token.lower, parsed, phrase.head):
            continue
        others = (one.head for one in parsed.chunks if one.head not in (phrase.head, index))
        if index < phrase.head or any(other < index and _fits(token.lower, parsed, other) for other in others):
            raise problem("a pronoun that may refer to it, or to something else")
        if token.tag == "PRP$" and (parsed.tokens[token.head].tag in _OWNED_IN_SINGULAR) == (target == "pl"):
            raise problem("what it has would change in number as well")
        new = _pronoun(phrase, target)[_case(parsed, index)]
        is_subject = token.dep in ("nsubj", "nsubjpass")
        text = new.capitalize() if token.text[0].isupper() else new
        yield Edit(token.start, token.end, text), token.head if is_subject else None


def _pronoun(phrase: NounPhrase, target: Number) -> tuple[str, str, str, str]:
    if target == "pl":
        return _THEY
    if phrase.singular in MALE:
        return _HE
    if phrase.singular in FEMALE:
        return _SHE
    return _THEY if is_person(phrase.singular) else _IT


def _case(parsed: ParsedText, index: int) -> int:
    token = parsed.tokens[index]
    if token.lower.endswith(("self", "selves")):
        return 3
    if token.tag == "PRP$":
        return 2
    return 0 if token.dep in ("nsubj", "nsubjpass") else 1


def _fits(pronoun: str, parsed: ParsedText, head: int) -> bool:
    """Whether a pronoun may refer to a noun."""
    read = noun_number(parsed, head)
    if read is None:
        return pronoun in _SINGULAR and parsed.tokens[head].tag in ("NNP", "NN")
    number, noun = read
    if pronoun in _THEY:
        return number == "pl" or is_person(noun)
    if number == "pl" or pronoun not in _SINGULAR:
        return False
    if pronoun in _HE:
        return (is_person(noun) and noun not in FEMALE) or noun in ("dog", "cat", "bear")
    if pronoun in _SHE:
        return (is_person(noun) and noun not in MALE) or noun in ("dog", "cat", "bear")
    return not is_person(noun) or noun in ("baby", "child")


_OF_ITS_OWN = "each of several would have a thing of its own, or one would have several"


def sharing_problem(parsed: ParsedText, phrase: NounPhrase, target: Number) -> str:
    """Why the phrase in the other number would have what only one has, or what several share; else an empty text."""
    if _is_aim(parsed, phrase):
        return "a noun in what somebody is to do"
    if target == "sg":
        shared = _is_done_by_several(parsed, phrase) or _each_has_one(parsed, phrase)
        return "several would share what each has" if shared else ""
    around = (*parsed.tokens[: phrase.chunk.start], *parsed.tokens[phrase.head + 1 :])
    if any(one.lower in word_list("lonely") for one in around):
        return "a word that needs one"
    if phrase.singular in word_list("on_a_track") and any(one.lower == "track" for one in around):
        return _OF_ITS_OWN
    counted = parsed.tokens[phrase.head].dep == "pobj" and any(one.tag == "CD" for one in around)
    alone = _does_to_one(parsed, phrase) or _is_on_one(parsed, phrase) or _is_where_one_is(parsed, phrase)
    return _OF_ITS_OWN if counted or alone else ""


def _does_to_one(parsed: ParsedText, phrase: NounPhrase) -> bool:
    """Whether what one does with one thing at a time is said of the phrase, or done to it by one."""
    one_at_a_time = word_list("one_at_a_time")
    token = parsed.tokens[phrase.head]
    if token.dep == "dobj" and parsed.tokens[token.head].lemma in one_at_a_time - {"fly"}:
        return True
    return any(
        parsed.tokens[verb].lemma in one_at_a_time
        and parsed.tokens[verb].pos == "VERB"
        and (_has_one_object(parsed, verb) or _is_done_by_one(parsed, verb))
        for verb in range(phrase.head + 1, len(parsed))
    )


def _is_done_by_one(parsed: ParsedText, verb: int) -> bool:
    """Whether a verb in the passive is done by one: "is being held by a woman"."""
    return any(
        parsed.tokens[one].tag == "NN"
        for agent in parsed.children(verb, "agent")
        for one in parsed.children(agent, "pobj")
    )


def _is_where_one_is(parsed: ParsedText, phrase: NounPhrase) -> bool:
    """Whether one is in what the phrase names, and wears it or has no room in several: "the man in a helmet"."""
    token = parsed.tokens[phrase.head]
    over = parsed.tokens[token.head]
    if token.dep != "pobj" or over.lower not in ("in", "inside", "on") or phrase.singular not in word_list("for_one"):
        return False
    return parsed.tokens[over.head].tag == "NN"


def _is_on_one(parsed: ParsedText, phrase: NounPhrase) -> bool:
    """Whether the clause of a subject says a thing that one has or is on at a time: "sitting on a surfboard"."""
    for_one = word_list("for_one")
    for index in range(phrase.head + 1, len(parsed)):
        token = parsed.tokens[index]
        if token.lower in ("hand", "hands") or (
            token.lower == "bat" and parsed.tokens[index - 1].lower in ("to", "at")
        ):
            return True
        if token.tag == "NN" and token.lemma in for_one and token.dep not in ("compound", "nsubj", "conj"):
            return any(
                parsed.tokens[one].lower in ("a", "an", "the", "his", "her")
                for one in parsed.children(index, "det", "poss")
            )
    return False


def _each_has_one(parsed: ParsedText, phrase: NounPhrase) -> bool:
    """Whether several have what each has one of: "women on cellphones"."""
    for_one = word_list("for_one") | word_list("one_each")
    return any(one.tag == "NNS" and one.lemma in for_one for one in parsed.tokens[phrase.head + 1 :])


def _is_done_by_several(parsed: ParsedText, phrase: NounPhrase) -> bool:
    """Whether several do something to the phrase that each does to one thing: people riding motorcycles."""
    token = parsed.tokens[phrase.head]
    for_one = word_list("for_one")
    if token.dep not in ("dobj", "pobj") or (phrase.singular not in for_one and token.dep == "pobj"):
        return False
    before = parsed.tokens[: phrase.chunk.start]
    return any(one.tag == "NNS" or one.lower in {"people", "and"} for one in before)


def _is_aim(parsed: ParsedText, phrase: NounPhrase) -> bool:
    """Whether the phrase belongs to an infinitive: "to help some people know"."""
    over = parsed.tokens[phrase.head].head
    return any(parsed.tokens[one].lower == "to" for one in parsed.children(over, "aux")) or any(
        parsed.tokens[one].lower == "to" for one in parsed.children(parsed.tokens[over].head, "aux")
    )


def _has_one_object(parsed: ParsedText, verb: int) -> bool:
    return any(parsed.tokens[one].tag == "NN" for one in parsed.children(verb, "dobj"))


_PLURALS = {**PLURAL_AUXILIARIES, "isn't": "aren't", "'s": ""}
_SINGULARS = {plural: singular for singular, plural in _PLURALS.items() if plural}
_SUBJECTS = ("nsubj", "nsubjpass")
_COLLECTIVE = word_list("collective")
_AROUND_VERBS = frozenset({"sit", "stand", "gather", "seat", "place", "arrange", "set", "be", "huddle", "kneel"})
_TEAM_GAMES = word_list("team_games")


class AgreementProblem(Exception):
    """The number cannot be changed, for more than copulas, auxiliaries and pronouns would have to change with it."""


def agree(parsed: ParsedText, phrase: NounPhrase, target: Number) -> list[Edit]:
    """The edits outside of the phrase that its new number asks for; an :class:`AgreementProblem` where they are more.

    "A cat is on its back" becomes "Some cats are ...", and then "their back" is not what people say: it is refused.
    """
    head = phrase.head
    if parsed.children(head, "appos", "conj", "cc") or parsed.tokens[head].dep in ("conj", "appos"):
        raise AgreementProblem("a noun in a coordination")
    if any(_is_loose(parsed, index) for index in range(len(parsed))):
        raise AgreementProblem("a verb whose subject is not clear")
    around = (*parsed.tokens[: phrase.chunk.start], *parsed.tokens[head + 1 :])
    if any(one.lower == "each" or (target == "sg" and one.lower in _COLLECTIVE) for one in around):
        raise AgreementProblem("a word that needs several")
    # Nobody plays a game of Frisbee alone.
    if target == "sg" and any(_is_team_game(one.lower, two.lower) for one, two in pairwise(around)):
        raise AgreementProblem("a word that needs several")
    if problem := sharing_problem(parsed, phrase, target):
        raise AgreementProblem(problem)
    if target == "sg" and any(_does_two_things(parsed, verb) for verb in _verbs_of(parsed, phrase)):
        raise AgreementProblem("several do several things")
    if target == "sg" and any(_is_around(parsed, verb) for verb in _verbs_of(parsed, phrase)):
        raise AgreementProblem("a word that needs several")
    edits: list[Edit] = []
    for verb in _verbs_of(parsed, phrase):
        edits += _agree_verb(parsed, verb, target)
    for edit, verb_after in agree_pronouns(parsed, phrase, target, AgreementProblem):
        edits.append(edit)
        if verb_after is not None:
            edits += _agree_verb(parsed, verb_after, target)
    return edits


def _is_team_game(word: str, after: str) -> bool:
    """Whether two words name a game of several: "of Frisbee", "Frisbee game"."""
    return (word == "of" and after in _TEAM_GAMES) or (word in _TEAM_GAMES and after in ("game", "match"))


def _is_around(parsed: ParsedText, verb: int) -> bool:
    """Whether a verb says that things are all around another: one chair does not sit around a table."""
    around = any(parsed.tokens[one].lower == "around" for one in parsed.children(verb, "prep"))
    return around and parsed.tokens[verb].lemma in _AROUND_VERBS


def _does_two_things(parsed: ParsedText, verb: int) -> bool:
    """Whether verbs are joined: some people walk and others ride."""
    return any(parsed.tokens[one].pos == "VERB" for one in parsed.children(verb, "conj"))


def _verbs_of(parsed: ParsedText, phrase: NounPhrase) -> Iterator[int]:
    """The verbs whose subject a noun is: its clause, those joined to it, and its relative clauses."""
    head = phrase.head
    token = parsed.tokens[head]
    over = token.head
    if token.dep in _SUBJECTS:
        if parsed.children(over, "attr") and not parsed.children(over, "expl"):
            raise AgreementProblem("a noun that is said to be another")
        yield from _with_joined(parsed, over)
    elif token.dep == "attr":
        if not parsed.children(over, "expl"):
            raise AgreementProblem("a noun that is said to be another")
        if phrase.chunk.start != over + 1:
            raise AgreementProblem("a verb whose subject is not clear")
        yield over
    for clause in parsed.children(head, "relcl", "acl"):
        subjects = [parsed.tokens[one].lower for one in parsed.children(clause, *_SUBJECTS)]
        if all(one in ("who", "that", "which") for one in subjects):
            # "Items that were gifts": one item was not gifts.
            if parsed.children(clause, "attr") and not parsed.children(clause, "expl"):
                raise AgreementProblem("a noun that is said to be another")
            yield from _with_joined(parsed, clause)


def _with_joined(parsed: ParsedText, verb: int) -> Iterator[int]:
    """A verb and those joined to it that share its subject."""
    yield verb
    for other in parsed.children(verb, "conj"):
        if not parsed.children(other, *_SUBJECTS):
            yield from _with_joined(parsed, other)


def _agree_verb(parsed: ParsedText, verb: int, target: Number) -> list[Edit]:
    """The edit of a verb's finite form; none where it has no number."""
    forms = _PLURALS if target == "pl" else _SINGULARS
    auxiliaries = parsed.children(verb, "aux", "auxpass")
    for index in (*auxiliaries, verb):
        token = parsed.tokens[index]
        if token.tag in ("VBZ", "VBP") or (token.tag == "VBD" and token.lower in ("was", "were")):
            is_auxiliary = index in auxiliaries or token.lower in ("is", "are", "was", "were")
            new = forms.get(token.lower)
            if not is_auxiliary or not new:
                raise AgreementProblem("a verb that is neither copula nor auxiliary would change")
            return [Edit(token.start, token.end, new.capitalize() if token.text[0].isupper() else new)]
        if index in auxiliaries and token.tag in ("MD", "VBD"):
            return []
    return []


def _is_loose(parsed: ParsedText, index: int) -> bool:
    """Whether a verb has neither a subject nor an auxiliary, as where the parser took a noun for a verb."""
    token = parsed.tokens[index]
    if token.tag == "VB":
        return not parsed.children(index, "aux") and token.dep not in ("xcomp", "ccomp")
    if token.tag not in ("VBZ", "VBP"):
        return False
    verb = token.head if token.dep in ("aux", "auxpass") else index
    while not parsed.children(verb, *_SUBJECTS, "expl", "csubj"):
        if parsed.tokens[verb].dep != "conj" or parsed.tokens[verb].head == verb:
            return True
        verb = parsed.tokens[verb].head
    return False
