"""The pool of basic questions: unique questions of any source, without the main ones, and its rankings for these.

The suite, the command ``rank`` and ``falter.rank`` all work with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from falter.core.errors import UsageError
from falter.core.executors import Executor, executor_for
from falter.core.files import sha256_of_file
from falter.core.progress import StageCallback, no_stages
from falter.data.images import Source
from falter.data.sources import open_source
from falter.data.suite import SuiteManifest
from falter.generation.authoring.options import build_options
from falter.generation.sources import require_questions
from falter.generation.sources.protocol import Question
from falter.suites.basic_questions.options import (
    PAPER_THRESHOLDS,
    BasicQuestionsOptions,
    PoolType,
    RankingOptions,
    read_thresholds,
)
from falter.suites.basic_questions.rankers import TOP
from falter.suites.basic_questions.ranking import (
    INLINE,
    Certificate,
    RankedQuestion,
    Rankings,
    dataset_name,
    rank_questions,
    read_dataset,
    write_dataset,
)

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


def gather_pool(
    main: Sequence[Question], options: RankingOptions, source: Source | None
) -> tuple[QuestionPool, list[Source]]:
    """The pool that the options name, else the questions of the source, without main ones; and the sources named.

    A pool of its own is the same whatever is drawn; within one source what is not drawn is the pool.
    """
    given = [open_source(spec) for spec in options.pool]
    if not given and source is None:
        raise UsageError("there is no pool to rank; pass --pool SOURCE")
    every = require_questions(source).questions() if given and source is not None else iter(main)
    pool = read_pool(
        given or ([] if source is None else [source]),
        kind=options.pool_type,
        without=frozenset(normal_form(question.text) for question in every),
        keep_duplicates=options.keep_duplicates,
    )
    if not len(pool):
        raise UsageError(
            "no question is left for the pool once the main ones are out: give another --pool, or a smaller --size"
        )
    return pool, given


class RankedPool:
    """The pool and, by ranker, the rankings of the main questions."""

    def __init__(
        self,
        main: Sequence[Question],
        pool: QuestionPool,
        rankings: dict[str, Rankings],
        signatures: Sequence[str] = (),
        sources: Sequence[Source] = (),
    ) -> None:
        self.main = main
        self.pool = pool
        self.rankings = rankings
        self.signatures = signatures
        self.sources = sources

    @classmethod
    def rank(
        cls,
        main: Sequence[Question],
        pool: QuestionPool,
        options: RankingOptions,
        *,
        sources: Sequence[Source] = (),
        executor: Executor = INLINE,
        top: int = TOP,
        start_stage: StageCallback = no_stages,
    ) -> RankedPool:
        """Rank the pool for every main question by each ranker of the options."""
        rankings: dict[str, Rankings] = {}
        signatures = []
        for name in options.rankers:
            texts = (question.text for question in main)
            rankings[name], signature = rank_questions(
                texts, pool.texts, name, options, executor=executor, top=top, start_stage=start_stage
            )
            signatures.append(signature)
        return cls(main, pool, rankings, signatures, sources)

    @classmethod
    def from_file(cls, main: Sequence[Question], path: Path) -> RankedPool:
        """The rankings of a ranked data set; all its basic questions are the pool."""
        wanted = {normal_form(question.text) for question in main}
        by_form: dict[str, RankedQuestion] = {}
        texts: dict[str, None] = {}
        for row in read_dataset(path):
            texts |= dict.fromkeys(one.text for one in row.basics)
            form = normal_form(row.main)
            if form in wanted:
                by_form[form] = row
        found = {question.text: by_form.get(normal_form(question.text)) for question in main}
        rankings = Rankings(
            {text: () if row is None else row.basics for text, row in found.items()},
            {text: row.certificate for text, row in found.items() if row is not None and row.certificate is not None},
        )
        return cls(main, QuestionPool(texts=tuple(texts)), {path.stem: rankings})

    @property
    def uncertified(self) -> int:
        """How many rankings are not known to be exact."""
        return sum(one.uncertified for one in self.rankings.values())

    def file_name(self, pool_type: PoolType, ranker: str) -> str:
        """The name of the data set of one ranker; it names the ranker where there are several."""
        return dataset_name(pool_type, ranker if len(self.rankings) > 1 else None)

    def write(self, folder: Path, pool_type: PoolType) -> None:
        """Write the ranked data set of each ranker."""
        for ranker, rankings in self.rankings.items():
            rows = (
                RankedQuestion(
                    main=question.text,
                    basics=rankings.basics[question.text],
                    image=question.image_id or None,
                    question_id=question.id,
                    **_certificate_fields(rankings.certificates.get(question.text)),
                )
                for question in self.main
            )
            write_dataset(folder, self.file_name(pool_type, ranker), rows)

    def record(self, options: BasicQuestionsOptions, manifest: SuiteManifest) -> None:
        """Write down in a suite's manifest what the rankings were made from, and how."""
        if options.ranked_file is not None:
            manifest.parameters |= {
                "ranking": options.ranked_file.name,
                "place": options.noise_position,
                **_longest(options),
                **_thresholds(options),
            }
            file = {"name": options.ranked_file.name, "sha256": sha256_of_file(options.ranked_file)}
            manifest.sources.append({"name": "ranked questions", "files": [file]})
            self._note_uncertified(manifest)
            return
        manifest.sources += [source.describe() for source in self.sources]
        manifest.parameters |= {
            "pool_kind": options.pool_type,
            "keep_duplicates": options.keep_duplicates,
            "rankers": list(self.signatures),
            **_encoder(self.rankings.values()),
            "place": options.noise_position,
            **_longest(options),
            **_thresholds(options),
        }
        manifest.counts["pool"] = {"questions": len(self.pool), "removed": self.pool.removed}
        if "lasso" in self.rankings:
            ranked = self.rankings["lasso"]
            manifest.counts["rankings_certified"] = len(ranked.basics) - ranked.uncertified
        self._note_uncertified(manifest)

    def _note_uncertified(self, manifest: SuiteManifest) -> None:
        if self.uncertified:
            manifest.counts["rankings_not_certified"] = self.uncertified
            manifest.notes += [f"{one.explain_uncertified()}." for one in self.rankings.values() if one.uncertified]


def _certificate_fields(certificate: Certificate | None) -> dict[str, Any]:
    return {} if certificate is None else certificate._asdict()


def _encoder(rankings: Iterable[Rankings]) -> dict[str, str]:
    """What the vectors were made by, to the last weight: a name alone may stand for two files."""
    found = [one.encoder for one in rankings if one.encoder is not None]
    return {"encoder_fingerprint": found[0]} if found else {}


def _thresholds(options: BasicQuestionsOptions) -> dict[str, Any]:
    """Thresholds of Algorithm 1 other than the paper's."""
    return {} if read_thresholds(options.thresholds) == PAPER_THRESHOLDS else {"thresholds": options.thresholds}


def _longest(options: BasicQuestionsOptions) -> dict[str, int]:
    return {} if options.max_words is None else {"max_words": options.max_words}


def questions_from_texts(texts: Sequence[str]) -> list[Question]:
    """Main questions from texts alone; one without any word is a UsageError."""
    if not all(normal_form(text) for text in texts):
        raise UsageError("a question without any word cannot be ranked for")
    return [Question(id=str(index), image_id="", text=text) for index, text in enumerate(texts)]


def rank(
    queries: Sequence[str] | str,
    pool: Sequence[str] | str | Source,
    *,
    ranker: str = "lasso",
    top: int = 21,
    workers: int = 1,
    **options: Any,
) -> Rankings:
    """Rank a pool of questions by their similarity to each query.

    ``pool`` is a source, its spec (``"vqa:data/train"``), or the questions themselves. Further options are those of
    ``falter basic-questions rank``, such as ``encoder``.

    >>> found = rank("Is the dog red?", ["Is the cat red?", "How many trees?"], ranker="bleu-1")
    >>> [question.text for question in found.basics["Is the dog red?"]]
    ['Is the cat red?']
    """
    chosen = build_options("rank", RankingOptions, {"ranker": (ranker,), **options})
    assert chosen is not None
    main = questions_from_texts([queries] if isinstance(queries, str) else list(queries))
    if isinstance(pool, Sequence) and not isinstance(pool, str):
        questions = QuestionPool(texts=tuple(pool))
    else:
        source = open_source(pool) if isinstance(pool, str) else pool
        without = frozenset(normal_form(question.text) for question in main)
        questions = read_pool([source], kind=chosen.pool_type, without=without, keep_duplicates=chosen.keep_duplicates)
    if not len(questions):
        raise UsageError("no question is left in the pool; give another one")
    ranked = RankedPool.rank(main, questions, chosen, executor=executor_for(workers), top=top)
    return ranked.rankings[ranker]
