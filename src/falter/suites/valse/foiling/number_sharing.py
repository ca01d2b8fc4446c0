"""What several have one of each, and what one has alone: why a noun phrase keeps its number."""

from __future__ import annotations

from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.noun_phrases import NounPhrase, Number
from falter.suites.valse.foiling.word_lists import word_list

__all__ = ["sharing_problem"]

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
