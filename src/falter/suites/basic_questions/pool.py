"""The pool of basic questions: unique questions of any source, without the main ones."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from random import Random

import msgspec

from falter.errors import UsageError
from falter.sources import Source, require_questions
from falter.sources.protocol import Question
from falter.suites.basic_questions.options import PoolType

__all__ = ["QuestionPool", "choose_main", "normal_form", "read_pool"]

_NOT_WORD = re.compile(r"[\W_]+", re.UNICODE)
_YES_NO = "yes/no"


def normal_form(text: str) -> str:
    """What two questions have in common that differ in case, punctuation and spaces alone.

    >>> normal_form("What  COLOR is it ?") == normal_form("what color is it")
    True
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    # Signs alone, such as an emoji, are all there is to compare in some questions.
    return _NOT_WORD.sub(" ", folded).strip() or " ".join(folded.split())


class QuestionPool(msgspec.Struct, frozen=True, kw_only=True):
    """Candidates in the order of their sources, and what was taken out."""

    texts: tuple[str, ...]
    removed: dict[str, int] = msgspec.field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)


def read_pool(
    sources: Iterable[Source],
    *,
    kind: PoolType = "general",
    without: Collection[str] = (),
    keep_duplicates: bool = False,
) -> QuestionPool:
    """The pool of some sources.

    Of questions with one normal form the first is taken, and none whose normal form is among ``without``. A yes/no pool
    has the questions whose answers are mostly of that type. ``keep_duplicates`` leaves out both removals.
    """
    questions: list[tuple[str, str]] = []
    types: dict[str, Counter[str]] = {}
    removed: Counter[str] = Counter()
    for source in sources:
        for question in require_questions(source).questions():
            form = normal_form(question.text)
            if not form:
                removed["without words"] += 1
                continue
            questions.append((form, question.text))
            if question.answer_type is not None:
                types.setdefault(form, Counter())[question.answer_type] += 1
    if kind == "yesno" and not types:
        raise UsageError("--pool-type yesno needs answer types: give a pool with its annotations")
    unwanted = frozenset(without)
    seen: set[str] = set()
    texts: list[str] = []
    for form, text in questions:
        if kind == "yesno" and not _mostly_yes_no(types.get(form)):
            removed["not yes/no"] += 1
        elif not keep_duplicates and form in unwanted:
            removed["main questions"] += 1
        elif not keep_duplicates and form in seen:
            removed["duplicates"] += 1
        else:
            seen.add(form)
            texts.append(text)
    return QuestionPool(texts=tuple(texts), removed=dict(sorted(removed.items())))


def _mostly_yes_no(types: Counter[str] | None) -> bool:
    return types is not None and types.most_common(1)[0][0] == _YES_NO


def choose_main(source: Source, size: int | None, seed: int) -> tuple[list[Question], int]:
    """Main questions in the order of the source, all or a draw of some, and how many were left out for want of words.

    Draws of one seed are nested: the first hundred are among the first two hundred.
    """
    every = list(require_questions(source).questions())
    worded = [question for question in every if normal_form(question.text)]
    if size is None or size >= len(worded):
        return worded, len(every) - len(worded)
    order = list(range(len(worded)))
    Random(f"{seed}|main questions").shuffle(order)
    return [worded[place] for place in sorted(order[:size])], len(every) - len(worded)
