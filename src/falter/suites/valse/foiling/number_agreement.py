"""What else changes with the number of a noun phrase: copulas and auxiliaries, and pronouns that refer to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from falter.english.words import PLURAL_AUXILIARIES
from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.candidate import Edit
from falter.suites.valse.foiling.noun_phrases import NounPhrase, Number
from falter.suites.valse.foiling.number_sharing import sharing_problem
from falter.suites.valse.foiling.pronouns import agree_pronouns
from falter.suites.valse.foiling.word_lists import word_list

__all__ = ["AgreementProblem", "agree"]

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
