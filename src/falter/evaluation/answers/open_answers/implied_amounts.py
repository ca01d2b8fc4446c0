"""A yes or a no that an amount or a comparison implies: ``Both``, ``Only one``, ``The dog is bigger``."""

from __future__ import annotations

import re
from fractions import Fraction

from falter.evaluation.answers.open_answers.phrases import (
    describing_families,
    is_quality,
    plain_words,
    same_kind,
    singular_forms,
)
from falter.evaluation.answers.open_answers.quantities import find_quantities, in_digits
from falter.evaluation.answers.open_answers.questions import YesNoQuestion
from falter.evaluation.answers.open_answers.word_relations import exclude, names_kind
from falter.evaluation.answers.yes_no import Polarity

_OF_THEM = (
    r"(?: of (?:them|these|those|the (?:two|\w+)))?"
    r"(?: (?:is|are|does|do|has|have|was|were|can)(?P<rest>(?: [\w'-]+){0,3}))?"
)
_THERE = r"(?:(?:it|he|she|they|there|the \w+) (?:has|have|is|are|do|shows) |there's |i (?:can )?see )?"
_NONE = re.compile(
    rf"{_THERE}(?:none|neither(?: \w+)??|nobody|no one|nothing|zero|0|nothing of the (?:sort|kind)"
    rf"|not (?:one|any|a single one|either)){_OF_THEM}"
)
_ALL = re.compile(
    rf"{_THERE}(?:they )?(?:all|both|every ?one|everybody|every (?:single )?(?:one|\w+)|each(?: one)?){_OF_THEM}"
)
_SOME = re.compile(
    r"(?:there (?:is|are) |i see )?(?P<only>only |just )?"
    r"(?P<what>one|two|three|four|five|six|[1-9]\d*|some|most|a few|many|several|plenty"
    r"|lots|half|a couple|a lot|the \w+(?: one)?(?: on the \w+)?)"
    rf"{_OF_THEM}(?P<alone> only)?"
)
_ONE_AND_OTHER = re.compile(
    r"^(?:the )?(?:one|first|left)(?: one| \w+)? (?:is|has|wears) (?P<first>[\w ]+?),?"
    r" (?:and|while|but) (?:the (?:other|second|right)(?: one)?|one|another)"
    r" (?:is|has|wears) (?P<second>[\w ]+)$"
)
_ONE_OF_ALL = re.compile(
    r"^(?:one|some|two|three|the (?:left|right|other|first|second|last)(?: one)?)(?: of (?:them|the \w+)| \w+)?"
    r" (?:is|are|has|have|does|do)(?P<not>n't)?(?P<rest>.*)$"
)
_ISNT = re.compile(r"^the (?P<who>\w+) (?:is not|isn't|are not|aren't|does not|doesn't|do not|don't)\b")
_BOTH_ARE = re.compile(r"(?:they|both)(?: of them)?(?: are)?(?: both)? (?P<value>\w+)")
_NOT_ANY = re.compile(
    r"^(?:i (?:don't|do not|can't|cannot) (?:see|find|spot)|there (?:isn't|aren't|is not|are not)"
    r"|(?:he|she|it|they) (?:doesn't|don't|does not|do not) have)(?: (?:any|either|one|it))?"
    r"(?: of (?:them|those|these))?$"
)
_EITHER_OF = re.compile(r"^(?:is|are|does|do|has|have|was|were) (?:either )?(?P<first>\w+) or (?P<second>\w+) \w+")
_NOT_ALL = re.compile(r"^not (?:all|both|every ?(?:one|body)?)\b(?! certain| sure)")
_ALL_WORDS = frozenset(("all", "both", "every", "everyone", "everybody", "each", "everything"))
_ANYBODY = frozenset(("anyone", "anybody", "someone", "somebody", "people", "person", "persons"))
_ANY_WORDS = _ANYBODY - {"people", "person", "persons"} | {"any", "anything", "either", "something", "some"}
_SOMEBODY = frozenset(
    (
        *("someone", "somebody", "man", "men", "woman", "women", "boy", "boys", "girl", "girls", "person", "people"),
        *("child", "children", "kid", "kids", "guy", "guys", "lady", "ladies", "player", "players", "baby", "couple"),
        *("family", "crowd", "driver", "rider", "waiter", "chef", "surfer", "skier", "worker", "workers"),
    )
)
_ANYTHING = frozenset(("anything", "something"))
_EMPTY = re.compile(r"(?:(?:it|the [\w ]+?)(?:'s| is)(?: completely)? )?(?:empty|deserted|vacant)")
_BE = frozenset(("is", "are", "was", "were", "does", "do", "has", "have", "there", "here", "present", "visible"))
_OPPOSITES = (
    ({"bigger", "larger", "greater"}, {"smaller", "littler"}),
    ({"taller"}, {"shorter", "smaller"}),
    ({"longer"}, {"shorter"}),
    ({"older"}, {"younger", "newer"}),
    ({"heavier"}, {"lighter"}),
    ({"higher"}, {"lower"}),
    ({"faster", "quicker"}, {"slower"}),
    ({"wider", "broader"}, {"narrower"}),
    ({"thicker", "fatter"}, {"thinner"}),
    ({"more"}, {"less", "fewer"}),
    ({"closer", "nearer"}, {"farther", "further"}),
    ({"hotter", "warmer"}, {"colder", "cooler"}),
    ({"brighter", "lighter"}, {"darker"}),
    ({"better"}, {"worse"}),
    ({"stronger"}, {"weaker"}),
    ({"cleaner"}, {"dirtier"}),
)
_COMPARED = re.compile(
    r"^(?:is|are|does|do|was|were|has|have) (?P<first>.+?) (?P<word>more|less|fewer|\w+er)(?P<noun>(?: \w+){0,3})"
    r" than (?P<second>.+)$"
)
_EQUAL = re.compile(r"\b(?:same|equal|equally|identical|alike)\b")
_THERE_ARE = re.compile(
    r"^(?:are|is) there (?P<bound>(?:more than|at least|fewer than|less than|exactly|only|just)? ?)(?P<number>\d+)"
    r" (?P<noun>[a-z]+)\b"
)


def by_amount(asked: YesNoQuestion, said: str) -> Polarity | None:
    """What none, all or some of the things that are asked about imply.

    >>> from falter.evaluation.answers.open_answers.questions import read_question
    >>> by_amount(read_question("Are both red?"), "both"), by_amount(read_question("Are both red?"), "only one")
    ('yes', 'no')
    """
    words = set(asked.words)
    of_all = bool(words & _ALL_WORDS) or (asked.joined == "no" and "and" in words)
    of_any = bool(words & _ANY_WORDS) or asked.joined == "any" or "or" in words
    negative = bool({"not", "no", "without"} & words)
    if negative:
        return None
    if "same" in words and (match := _BOTH_ARE.fullmatch(said)) and describing_families(match["value"]) & words:
        return "yes"
    if of_all and _denies_all(asked, said):
        return "no"
    if {"same", "different", "alike"} & words and (match := _ONE_AND_OTHER.match(said)):
        alike = plain_words(match["first"]) == plain_words(match["second"])
        return "yes" if alike == ("different" not in words) else "no"
    if words & (_ANYBODY | _ANYTHING) and _EMPTY.fullmatch(said):
        return "no"
    none = _NONE.fullmatch(_NOT_ANY.sub("none", said))
    if none is not None and _repeats(asked, none["rest"]):
        return "no" if of_all or of_any or asked.joined != "no" else None
    part = _ONE_OF_ALL.match(said)
    if part is not None and of_any and not of_all and not part["not"] and _repeats(asked, part["rest"]):
        return "yes"
    every = _ALL.fullmatch(said)
    if every is not None and _repeats(asked, every["rest"]):
        return "yes" if of_all or of_any else None
    some = _SOME.fullmatch(said)
    if some is not None and _repeats(asked, some["rest"]):
        only = some["only"] is not None or some["alone"] is not None or some["what"] in ("some", "most", "half", "many")
        thing = some["what"].startswith("the ")
        if of_all:
            return "no" if only else None
        if not thing and (asked.joined != "no" or of_any):
            return "yes"
    if of_all:
        return None
    anybody = words & (_ANYBODY if asked.joined != "no" else _ANYBODY & _ANY_WORDS)
    return _by_people(asked, said) if anybody else _by_naming(asked, said)


def _denies_all(asked: YesNoQuestion, said: str) -> bool:
    """Whether a text says of some that they are not so: "not all", "the left one isn't", "both are blue"."""
    if _NOT_ALL.match(said):
        return True
    part = _ONE_OF_ALL.match(said)
    if part is not None and (part["not"] or plain_words(part["rest"])[:1] in (("not",), ("no",))):
        return True
    denied = _ISNT.match(said)
    if denied is not None and denied["who"] in asked.words:
        return True
    if not asked.words or "not" in plain_words(said):
        return False
    others = [word for word in plain_words(said) if word not in asked.words]
    return any(exclude(asked.words[-1], word) for word in others)


def _by_naming(asked: YesNoQuestion, said: str) -> Polarity | None:
    """``The man``, where the question is whether the man or the woman wears something."""
    either = _EITHER_OF.match(" ".join(asked.words))
    named = re.sub(r"^(?:only |just )?(?:the |an? )?| (?:is|are|does|do|has)$", "", said)
    return "yes" if either is not None and named in (either["first"], either["second"]) else None


def _repeats(asked: YesNoQuestion, rest: str | None) -> bool:
    """Whether the words after "both are" say what the question says."""
    known = {*asked.words, "present", "there", "visible"}
    return not rest or all(
        word in known or singular_forms((word,)) & {form for own in known for form in singular_forms((own,))}
        for word in plain_words(rest)
    )


def _by_people(asked: YesNoQuestion, said: str) -> Polarity | None:
    """``The man is``, where the question is whether anyone is; ``It is empty``, where it is whether anyone is in it."""
    if re.search(r"\b(?:no|not|nobody|none|never|but|or)\b|n't\b", said):
        if re.match(r"(?:there (?:is|are) )?(?:no one|nobody)\b(?! but| except)", said):
            rest = plain_words(re.sub(r"^(?:there (?:is|are) )?(?:no one|nobody)", "", said))
            return "no" if all(word in asked.words or word in _BE for word in rest) else None
        return None
    words = plain_words(re.sub(r"^(?:there (?:is|are)|i (?:can )?see) ", "", said))
    if not set(words) & _SOMEBODY:
        return None
    known = {
        *asked.words,
        *_SOMEBODY,
        *_BE,
        "on",
        "in",
        "left",
        "right",
        "with",
        "one",
        "some",
        "several",
        "few",
        "many",
    }
    forms = {form for word in known for form in (f"{word}s", *singular_forms((word,)))} | known
    return "yes" if all(word in forms or word.isdigit() or is_quality(word) for word in words) else None


def by_count(question: str, said: str) -> Polarity | None:
    """What a number implies where the question is whether there are so many.

    >>> by_count("Is there more than one dog?", "only one"), by_count("Are there two dogs?", "there are 3 dogs")
    ('no', 'no')
    """
    asked = _THERE_ARE.match(in_digits(question.lower()))
    if asked is None:
        return None
    text = in_digits(said.strip(" ."))
    match = re.fullmatch(
        r"(?:there (?:is|are) |i (?:can )?(?:see|count) )?(?:only |just |exactly )?(?P<number>\d+)(?P<noun> [a-z]+)?",
        text,
    )
    if match is None:
        return None
    noun = (match["noun"] or "").strip()
    if noun and not (
        singular_forms((noun,)) & singular_forms((asked["noun"],)) or same_kind((noun,), (asked["noun"],))
    ):
        return None
    quantities = find_quantities(match["number"])
    number, wanted = quantities[0].value if quantities else Fraction(-1), int(asked["number"])
    bound = asked["bound"].strip()
    met = {
        "more than": number > wanted,
        "at least": number >= wanted,
        "fewer than": number < wanted,
        "less than": number < wanted,
    }.get(bound, number == wanted)
    return "yes" if met else "no"


def by_comparison(question: str, said: str) -> Polarity | None:
    """What saying which of two is more implies.

    >>> by_comparison("Is the dog bigger than the cat?", "the cat is bigger")
    'no'
    """
    asked = _COMPARED.match(question.lower().strip(" ?"))
    if asked is None or re.search(r"\b(?:not|or|and)\b|n't\b", said):
        return None
    first, second = (_core(asked[name]) for name in ("first", "second"))
    first = first or _core(asked["noun"])
    if _EQUAL.search(said):
        return "no"
    words = plain_words(re.sub(r"\s+(?:than|compared to)\b.*$", "", said))
    same: set[str] = {asked["word"]}
    opposite: set[str] = set()
    for more, less in _OPPOSITES:
        if asked["word"] in more:
            same, opposite = same | more, opposite | less
        if asked["word"] in less:
            same, opposite = same | less, opposite | more
    stated = [word for word in words if word in same | opposite]
    nouns = [word for word in words if names_kind(word) or word in (*first, *second)]
    if not nouns and words and words[0] in ("it", "he", "she", "they", "much"):
        nouns = [word for word in first if word not in second]
    named = {
        0 if noun in first else 1 if noun in second else 2 for noun in nouns if (noun in first) != (noun in second)
    }
    if len(stated) == 1:
        agrees = stated[0] in same
        if not named and len(words) <= 2:
            return "yes" if agrees else "no"
        if named in ({0}, {1}):
            return "yes" if agrees == (named == {0}) else "no"
    return None


def _core(text: str) -> tuple[str, ...]:
    return tuple(word for word in plain_words(text) if word not in ("there", "have", "has", "look", "looks"))
