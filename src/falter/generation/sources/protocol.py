"""What a source has: protocols of scenes, questions, captions and dialogues, and checks of what it holds."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import msgspec

from falter.core.errors import UsageError
from falter.data.images import Source
from falter.data.items import Turn
from falter.generation.scene import SceneGraph

P = TypeVar("P")
F = TypeVar("F", bound=Callable[..., Any])


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A published question with its answer; ``answers`` holds the ten human ones where a data set has them.

    ``context`` are the caption and the earlier turns of a dialogue, ``choices`` the answers that are offered,
    ``program`` is GQA's functional program of the question.
    """

    id: str
    image_id: str
    text: str
    answer: str | None = None
    answers: tuple[str, ...] | None = None
    answer_type: str | None = None
    question_type: str | None = None
    context: tuple[Turn, ...] | None = None
    choices: tuple[str, ...] | None = None
    program: tuple[dict[str, Any], ...] | None = None


class DialogueRound(msgspec.Struct, frozen=True, kw_only=True):
    """A question of a dialogue, with its answer and the options that are ranked, where they are given."""

    question: str
    answer: str | None = None
    options: tuple[str, ...] | None = None


class Dialogue(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue about one image, which begins with a caption."""

    image_id: str
    caption: str
    rounds: tuple[DialogueRound, ...]


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What happens in an image: a verb, and by annotator the noun synset of every role, empty where there is none."""

    image_id: str
    verb: str
    frames: tuple[dict[str, str], ...]


class FoiledCaption(msgspec.Struct, frozen=True, kw_only=True):
    """A caption with a published foil, and the words in which they differ."""

    id: str
    image_id: str
    caption: str
    foil: str
    word: str
    foil_word: str


@runtime_checkable
class HasScenes(Source, Protocol):
    """A source with scene graphs."""

    def scene(self, image_id: str) -> SceneGraph | None:
        """The scene graph of one image, or None where it has none."""
        ...

    def scenes(self) -> Iterator[SceneGraph]:
        """All scene graphs, one in memory at a time."""
        ...


@runtime_checkable
class HasCategories(HasScenes, Protocol):
    """A source whose annotators looked for a fixed list of kinds: whatever else an image has, they did not say."""

    categories: frozenset[str]
    """The names of the kinds that were looked for."""


@runtime_checkable
class HasQuestions(Source, Protocol):
    """A source with questions."""

    def questions(self) -> Iterator[Question]:
        """All questions, one in memory at a time."""
        ...


@runtime_checkable
class FindsQuestions(HasQuestions, Protocol):
    """A source with questions that gives each by its id, so that nobody has to keep them all."""

    def question(self, question_id: str) -> Question | None:
        """One question; None where there is none of this id that can be read."""
        ...


@runtime_checkable
class HasCaptions(Source, Protocol):
    """A source with captions."""

    def captions(self, image_id: str) -> Sequence[str]:
        """What people wrote about an image; none where nobody did."""
        ...


@runtime_checkable
class HasDialogues(Source, Protocol):
    """A source with dialogues."""

    def dialogues(self) -> Iterator[Dialogue]:
        """All dialogues, one in memory at a time."""
        ...


@runtime_checkable
class HasSituations(Source, Protocol):
    """A source with situations."""

    def situations(self) -> Iterator[Situation]:
        """All situations, one in memory at a time."""
        ...

    def abstract(self, verb: str) -> str | None:
        """The sentence of a verb with its roles in capitals: "the AGENT drinks a LIQUID from a CONTAINER"."""
        ...

    def noun(self, synset: str) -> str | None:
        """The noun for a synset, or None where the source does not tell."""
        ...


@runtime_checkable
class HasFoils(Source, Protocol):
    """A source with captions that have foils already."""

    def foils(self) -> Iterator[FoiledCaption]:
        """All foils with their captions."""
        ...


@runtime_checkable
class HasProblems(Protocol):
    """A source that counts what it skipped, by reason."""

    problems: Counter[str]


CAPABILITIES: dict[type, tuple[str, str]] = {
    HasScenes: ("scene graphs", "gqa:FOLDER"),
    HasQuestions: ("questions", "vqa:FOLDER"),
    HasCaptions: ("captions", "coco:captions=FILE"),
    HasDialogues: ("dialogues", "visdial:FOLDER"),
    HasSituations: ("situations", "swig:FOLDER"),
    HasFoils: ("foils", "foil-it:FOLDER"),
}
"""By protocol what a source has, in words, and an example of one that has it."""


def require(source: Source, capability: type[P], needed_by: str = "") -> P:
    """The source itself, where it has something; otherwise a :class:`UsageError` that names it and what it lacks."""
    if not isinstance(source, capability):
        lacks, example = CAPABILITIES.get(capability, (capability.__name__.removeprefix("Has").lower(), ""))
        needs = f", which {needed_by} needs" if needed_by else ""
        hint = f"; use one that has, e.g. {example}" if example else ""
        raise UsageError(f"the source {source.name} has no {lacks}{needs}{hint}")
    return source


def require_scenes(source: Source) -> HasScenes:
    """The source itself, where it has scene graphs; a :class:`UsageError` otherwise."""
    return require(source, HasScenes)  # type: ignore[type-abstract]


def require_questions(source: Source) -> HasQuestions:
    """The source itself, where it has questions; a :class:`UsageError` otherwise."""
    return require(source, HasQuestions)  # type: ignore[type-abstract]


def provides(*capabilities: type) -> Callable[[F], F]:
    """Declare on an opener what its sources may have; the files that are given decide which of it they do."""

    def declare(opener: F) -> F:
        opener.provides = capabilities  # type: ignore[attr-defined]
        return opener

    return declare


def capability_names(source_or_opener: object) -> tuple[str, ...]:
    """In words what a source has, or what the sources of an opener may have."""
    declared = getattr(source_or_opener, "provides", None)
    return tuple(
        name
        for protocol, (name, _) in CAPABILITIES.items()
        if (protocol in declared if declared is not None else isinstance(source_or_opener, protocol))
    )


LONGEST_QUESTION = 1000
"""Characters; the longest question of VQA v2 has about 100."""
_LAST_LATIN = "\u024f"


def text_problem(text: str) -> str | None:
    """Why a text is no question that can be asked, or None.

    >>> text_problem("What color is the dog?"), text_problem(" ?")
    (None, 'the question has no words')
    """
    if len(text) > LONGEST_QUESTION:
        return f"the question is longer than {LONGEST_QUESTION} characters"
    if not text.isprintable() and any(unicodedata.category(one) == "Cc" and not one.isspace() for one in text):
        return "the question has control characters"
    if text.isascii():
        return None if any(map(str.isalpha, text)) else "the question has no words"
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return "the question has no words"
    latin = sum(letter <= _LAST_LATIN for letter in letters)
    return "the question is not written in Latin letters" if latin * 2 < len(letters) else None


_FEWEST_VOTES = 3
_NOTHING = ("no ", "none", "not ", "there is no", "there are no")
"""How answers begin that say that there is no such thing."""
_LEAD = 2
"""Votes that an answer must have more than any other that excludes it: what people cannot agree on is not asked."""


def says_nothing(answer: str) -> bool:
    """Whether an answer in lower case says that there is no such thing."""
    return answer.startswith(_NOTHING)


def votes_problem(
    answer: str,
    answers: Sequence[str],
    excludes: Callable[[str], bool],
    differs: Callable[[str], bool] | None = None,
) -> str | None:
    """Why an answer is not trusted, or None; ``excludes`` says of another, in lower case, that it cannot be right too.

    Where ``differs`` says which others mean something else, fewer people must have given these than the answer.

    >>> votes_problem("2", ["2"] * 6 + ["3"] * 4, lambda other: other == "3")
    >>> votes_problem("2", ["2"] * 5 + ["3"] * 4, lambda other: other == "3")
    'another answer has almost as many votes'
    >>> votes_problem("8", ["8"] * 4 + ["10", "10", "7", "7", "9", "11"], lambda other: True, lambda other: True)
    'as many people or more gave other answers'
    """
    given = Counter(other.lower() for other in answers)
    votes = given[answer.lower()]
    if votes < min(_FEWEST_VOTES, len(answers)):
        return f"the answer has fewer than {_FEWEST_VOTES} votes"
    others = {other: count for other, count in given.items() if other != answer.lower()}
    if any(count > votes - _LEAD and excludes(other) for other, count in others.items()):
        return "another answer has almost as many votes"
    if differs is not None and sum(count for other, count in others.items() if differs(other)) >= votes:
        return "as many people or more gave other answers"
    return None
