"""Whether a reply names the gold answer: by the same phrase, or within a sentence.

Two phrases are the same by their letters, as plural and singular, or as synonyms. In a sentence it matters what may
stand before and after a name without making it another answer."""

from __future__ import annotations

import re
from functools import lru_cache

from falter.evaluation.answers.open_answers.phrases import (
    DETERMINERS,
    are_listed_synonyms,
    describing_families,
    in_one,
    is_quality,
    plain_words,
    same_kind,
    same_where_asked,
    singular_forms,
    tokens,
)
from falter.evaluation.answers.open_answers.questions import (
    ADVERBS,
    AMOUNTS,
    AUXILIARIES,
    COLOR_QUALITIES,
    DEPICTIONS,
    FUNCTION_WORDS,
    NEGATIONS,
    PLACE_WORDS,
    PORTIONS,
    POSES,
    POSITIONS,
    POSTURES,
    RELATIONS,
    WRITTEN,
    OpenQuestion,
    is_ordered,
    read_open_question,
    stem,
)
from falter.evaluation.answers.open_answers.word_relations import (
    exclude,
    families_by_word,
    is_a,
    is_imitation,
    kinds_named,
    names_kind,
)

_ASKS_OF_MATTER = re.compile(r"\bmade (?:out )?of\b|\bmaterial\b|\bmakes? up\b")
_ASKS_OF_WEAR = re.compile(r"\b(?:wear|wears|wearing|worn|has on|glasses|eyes?|face)\b")
_FULL = {f"{form}'s": f"{form}is" for form in ("he", "she", "it", "that", "there", "this")}
_FULL |= {"they're": "theyare", "we're": "weare", "i'm": "iam", "you're": "youare"}


@lru_cache(maxsize=1 << 15)
def same_phrase(asked: str, gold: tuple[str, ...], reply: tuple[str, ...]) -> bool:
    if gold == reply or in_one(gold) == in_one(reply):
        return bool(gold)
    if not gold or not reply:
        return False
    if read_open_question(asked).color:
        # The color orange is no oranges.
        return are_listed_synonyms(" ".join(gold), " ".join(reply))
    if {gold[-1], reply[-1]} == {"glass", "glasses"}:
        drinking = gold[-1] == "glass" and not _ASKS_OF_MATTER.search(asked) and not _ASKS_OF_WEAR.search(asked)
        return drinking and gold[:-1] == reply[:-1]
    singular, other = singular_forms(gold), singular_forms(reply)
    if singular & other or {in_one((form,)) for form in singular} & {in_one((form,)) for form in other}:
        return True
    if _letters(gold) == _letters(reply):
        return True
    if same_where_asked(read_open_question(asked).words, gold, reply):
        return True
    # Where the question names both words, it means two things by them.
    if _is_offered(asked, other):
        return False
    return same_kind(gold, reply)


def _letters(words: tuple[str, ...]) -> str:
    """Words without what is left to taste: "don't" is "do not", and "Joe's" may be "Joes"."""
    full = (_FULL.get(form) or (f"{form[:-3]}not" if form.endswith("n't") else form.replace("'", "")) for form in words)
    return in_one(tuple(full))


def _is_offered(asked: str, forms: frozenset[str]) -> bool:
    """Whether a question that offers alternatives offers one of these."""
    if not re.search(r"\bor\b", asked):
        return False
    words = f" {' '.join(plain_words(asked))} "
    return any(f" {form} " in words for form in forms)


_PREPOSITIONS = (
    ("on top of", "on"), ("atop", "on"), ("upon", "on"), ("onto", "on"), ("on", "on"), ("inside of", "in"),
    ("inside", "in"), ("within", "in"), ("into", "in"), ("in front of", "front"), ("in the front of", "front"),
    ("in back of", "behind"), ("behind", "behind"), ("in", "in"), ("at", "at"), ("underneath", "under"),
    ("beneath", "under"), ("below", "under"), ("under", "under"), ("next to", "next"), ("beside", "next"),
    ("by", "next"), ("alongside", "next"), ("adjacent to", "next"), ("near", "near"), ("close to", "near"),
    ("above", "above"), ("over", "above"), ("between", "between"), ("among", "between"), ("against", "against"),
    ("outside of", "outside"), ("outside", "outside"), ("across from", "across"), ("around", "around"),
)  # fmt: skip
_HOLDING = frozenset(("on", "in", "at"))
_PLACE_WORDS = frozenset(word for phrase, _ in _PREPOSITIONS for word in phrase.split())
_NOT_MADE = ("animal", "person", "food", "vehicle", "plant")
_LONGEST_NAME = 2
"""So many words may follow the name of a brand. Chosen by hand, not measured."""
_JOINS = frozenset(("and", ",", "/", "&", ";", "+", ":"))


def split_preposition(text: str) -> tuple[str | None, str]:
    """A place as how something lies to a thing, and the thing."""
    for words, relation in _PREPOSITIONS:
        if text.startswith(f"{words} "):
            return relation, text[len(words) + 1 :]
    return None, text


def names_answer(asked: OpenQuestion, gold: tuple[str, ...], text: str, *, place: str | None = None) -> bool:
    """Whether a text names the gold answer, in a sentence of the question's words or with words that describe it.

    ``place`` is the relation to the thing that gold names, where the question asks for a place.
    """
    words = tokens(text)
    start, described = 0, False
    while start < len(words):
        # One article may stand within, which gold has lost: "riding a horse".
        for length in (len(gold), len(gold) + 1, len(gold) - 1, 1, len(gold) + 2):
            span = words[start : start + length]
            named = (*span[:1], *(word for word in span[1:-1] if word not in DETERMINERS), *span[1:][-1:])
            if (
                span
                and span[0] not in DETERMINERS
                and same_phrase(asked.text, gold, named)
                and _is_framed(asked, gold, words[:start], named, words[start + length :], place)
            ):
                return True
        if _names_within(asked, gold, words, start, place):
            return True
        word = words[start]
        if _is_passable(asked, word, place):
            portioned = word == "of" and start > 0 and words[start - 1] in PORTIONS
            if described and not portioned and word not in DETERMINERS and not is_quality(word):
                return False
        elif (
            is_quality(word)
            or (asked.color and word in COLOR_QUALITIES)
            or word in AMOUNTS
            or word in PORTIONS
            or word in gold[:-1]
        ):
            described = True
        elif not (
            # "Sitting and reading" is reading.
            word == "and"
            and start > 0
            and words[start - 1] in POSTURES
            and gold[0].endswith("ing")
            and not asked.alternatives
        ):
            return False
        start += 1
    return False


def _names_within(
    asked: OpenQuestion, gold: tuple[str, ...], words: tuple[str, ...], start: int, place: str | None
) -> bool:
    """Whether the answer begins here, with words that describe its thing within it: "riding a brown horse"."""
    end = start + 1
    if len(gold) != 2 or not gold[0].endswith("ing") or words[start] != gold[0]:
        return False
    while end < len(words) and (words[end] in DETERMINERS or is_quality(words[end])) and words[end] != gold[1]:
        end += 1
    describing = tuple(word for word in words[start + 1 : end] if word not in DETERMINERS)
    named, thing = words[end : end + 1], gold[1:]
    return (
        bool(describing and named and names_kind(thing[0]))
        and same_phrase(asked.text, thing, named)
        and _may_describe(asked, thing, describing, named)
        and _is_framed(asked, gold, words[:start], gold, words[end + 1 :], place)
    )


def _is_passable(asked: OpenQuestion, word: str, place: str | None) -> bool:
    """Whether a word before the answer says nothing that the question does not say."""
    if place is not None and word in _PLACE_WORDS:
        return True
    if word in POSITIONS and word not in asked.words:
        return False
    if place is not None and word.endswith(("ing", "ed")) and not names_kind(word):
        return True
    return word in asked.known or word.endswith("'s") or word == ":"


def _is_framed(
    asked: OpenQuestion,
    gold: tuple[str, ...],
    before: tuple[str, ...],
    span: tuple[str, ...],
    after: tuple[str, ...],
    place: str | None,
) -> bool:
    """Whether what stands around the answer says of it what the question asks, or describes it."""
    if NEGATIONS & set(before) - set(asked.words) or {"or", "nor", "either"} & {*before, *after}:
        return False
    kept = DETERMINERS | AMOUNTS | COLOR_QUALITIES | set(gold[:-1])
    frame = len(before)
    while frame and (is_quality(before[frame - 1]) or before[frame - 1] in kept):
        frame -= 1
    describing = tuple(word for word in before[frame:] if word not in DETERMINERS)
    if frame >= 2 and before[frame - 1] == "of" and before[frame - 2] in PORTIONS:
        # "A glass of wine" is wine; what stands before it is looked at again.
        return _is_framed(asked, gold, before[: frame - 2], span, after, place)
    lead, following = before[:frame], _after(asked, gold, after)
    if following is None or (describing and not _may_describe(asked, gold, describing, span)):
        return False
    if (frame == len(before) and _is_compound(asked, lead)) or _is_another_kind(gold, lead, span) or _is_depicted(lead):
        return False
    placed = _is_related(asked, lead, after) if place is None else _is_placed(place, lead)
    return placed and _is_said_so(asked, lead, following, place)


def _is_compound(asked: OpenQuestion, lead: tuple[str, ...]) -> bool:
    """Whether the word before the answer makes another thing of it: "dog house", asked what is behind the dog."""
    last = lead[-1] if lead else ""
    passed = last in FUNCTION_WORDS or last in WRITTEN or stem(last) in asked.category
    return bool(last) and not passed and names_kind(last)


def _is_depicted(lead: tuple[str, ...]) -> bool:
    """Whether the answer is only in a picture: "a picture of a dog"."""
    return any(word == "of" and lead[at - 1] in DEPICTIONS for at, word in enumerate(lead) if at)


def _is_said_so(asked: OpenQuestion, lead: tuple[str, ...], following: tuple[str, ...], place: str | None) -> bool:
    """Whether a sentence says of the answer what is asked, not of something else, and nothing else of it."""
    if asked.doing and "and" not in lead and (POSES & {*lead, *following}) - set(asked.words):
        # "The cow is standing on grass", where the question is what it eats.
        return False
    said = [stem(word) for word in (*lead, *following)]
    if place is not None and set(said[len(lead) :]) & set(asked.order):
        # "The box is in the ball", where the question is where the ball is.
        return False
    passive = [word for word in said if word not in DETERMINERS][-2:]
    if passive in [[*asked.order[:1], agent] for agent in ("by", "with")]:
        # "The book was written by ..." turns the order of "Who wrote the book?" round.
        return bool(AUXILIARIES & set(lead))
    verb = next((at for at, word in enumerate(said) if word in asked.verbs), -1)
    if verb >= len(lead) and not set(said[:verb]) & set(asked.order):
        # "The bag is carrying her", where the question is what she carries.
        return False
    return is_ordered(asked.order, said)


def _is_related(asked: OpenQuestion, lead: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """Whether a sentence has the relation of the question, and to the same thing: not "the box is on the table"."""
    if not asked.anchored:
        return True
    before = lead[:-1] if lead and lead[-1] in DETERMINERS else lead
    if before and before[-1] in asked.anchored and before[-1] != "of":
        # "Under the box", where the question is what is under the table.
        return False
    stated = lead + after if after and after[0] in AUXILIARIES else lead
    return all(word in asked.words for word in stated if word in PLACE_WORDS)


def _is_placed(place: str, lead: tuple[str, ...]) -> bool:
    """Whether the preposition before the answer is that of gold; "on", "in" and "at" may be left out or stand in."""
    text = f" {' '.join(lead[:-1] if lead and lead[-1] in DETERMINERS else lead)}"
    relation = next((name for words, name in _PREPOSITIONS if text.endswith(f" {words}")), None)
    if place == "any":
        return relation is None or relation in _HOLDING
    if relation is None:
        return place in _HOLDING
    return relation == place or ({relation, place} <= _HOLDING and "at" in (relation, place))


def _may_describe(
    asked: OpenQuestion, gold: tuple[str, ...], describing: tuple[str, ...], span: tuple[str, ...]
) -> bool:
    """Whether words before the answer leave it the same thing: "a black umbrella", but no hot dog and no light blue."""
    families = families_by_word()
    if asked.color:
        return all(word in COLOR_QUALITIES for word in describing)
    if len(gold) == 1 and gold[0] in families and not names_kind(gold[0]) and "material" not in families[gold[0]]:
        return False
    own = kinds_named(" ".join(gold))
    if _is_another_kind(gold, describing, span):
        return False
    if any(word in asked.alternatives for word in describing) or not all(_suits(word, own) for word in describing):
        return False
    if any(_contrary(word, other) for word in describing for other in gold[:-1]):
        return False
    return not any(is_imitation(kind, describing) for kind in own) and not {"half"} & set(describing)


def _is_another_kind(gold: tuple[str, ...], before: tuple[str, ...], span: tuple[str, ...]) -> bool:
    """Whether the answer with words before it is the name of another thing: "hot dog"."""
    own = kinds_named(" ".join(gold))
    for start in range(max(0, len(before) - 2), len(before)):
        named = kinds_named(" ".join((*before[start:], *span)))
        if named and not any(is_a(kind, other) for kind in named for other in own):
            return True
    return False


def _suits(word: str, kinds: frozenset[str]) -> bool:
    """Whether things of some kinds can be so: a wooden horse is no horse."""
    values = {word, "wood" if word == "wooden" else "metal" if word == "metallic" else word}
    materials = [value for value in values if "material" in describing_families(value)]
    living = [kind for kind in kinds if any(is_a(kind, root) for root in _NOT_MADE)]
    return not materials or not living


def _contrary(first: str, second: str) -> bool:
    return exclude(first, second)


def _after(asked: OpenQuestion, gold: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, ...] | None:
    """The words after the answer that say again what the question says; None where they make it another answer."""
    if not after:
        return ()
    first = after[0]
    if NEGATIONS & set(after) and (first in AUXILIARIES or first in asked.known):
        return None
    joined = next((at for at, word in enumerate(after) if word in _JOINS), None)
    if joined is not None:
        following = after[joined + 1 : joined + 2]
        verbal = bool(following) and (
            following[0].endswith("ing") or following[0] in AUXILIARIES or following[0] == "wears"
        )
        if (
            after[joined] != "and"
            or not verbal
            or gold[-1].endswith("ing")
            or names_kind(following[0])
            or stem(following[0]) in asked.order
        ):
            return None
        after = after[:joined]
        if not after:
            return ()
    if "brand" in asked.category and len(after) <= _LONGEST_NAME and not FUNCTION_WORDS & set(after):
        # "An Apple MacBook", but no brand of which this is only half the name.
        brands = families_by_word()
        others = [word for word in after if names_kind(word) or word.endswith("'s") or "brand" in brands.get(word, ())]
        return () if set(others) <= asked.known else None
    if all(word in asked.known or word in ADVERBS for word in after):
        if first not in FUNCTION_WORDS and names_kind(first) and not _takes_noun(asked, gold, first):
            return None
        return after
    if asked.color or set(gold) & POSITIONS or gold[-1][0].isdigit() or (DEPICTIONS & set(after) - set(asked.words)):
        return None
    if first in RELATIONS or (
        first.endswith("ing") and not names_kind(first) and after[1:2] and after[1] in FUNCTION_WORDS | RELATIONS
    ):
        return ()
    if is_quality(first) and after[1:2] and after[1] in RELATIONS:
        # "A box full of books"
        return ()
    if len(gold) == 1 and gold[0].endswith("ing") and first in DETERMINERS:
        # "Reading a book" is reading, "reading glasses" are not.
        return ()
    return None


def _takes_noun(asked: OpenQuestion, gold: tuple[str, ...], noun: str) -> bool:
    """Whether gold is a property of the noun that the question asks about: "a red car", "cloudy weather"."""
    if gold[-1][0].isdigit() and gold[-1][-1].isalpha():
        return True
    if not kinds_named(" ".join(gold)) and gold[-1] not in families_by_word():
        # A name or a brand with what it is a name of.
        return not any(is_quality(word) for word in gold)
    if len(gold) != 1 or gold[0] not in families_by_word():
        return False
    before, offers, after = (plain_words(part) for part in asked.text.partition(" or "))
    if offers:
        return noun not in (before[-1:] + after[:1])
    # "The red bus" does not answer what color the car next to the red bus has.
    return asked.text.startswith("how ") or gold[0] not in asked.words
