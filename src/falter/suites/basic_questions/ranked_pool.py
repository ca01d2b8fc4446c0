"""The pool of an order, and the rankings of its main questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from falter.authoring.generator import Order
from falter.errors import UsageError
from falter.files import sha256_of_file
from falter.sources import Source, open_source, require_questions
from falter.sources.protocol import Question
from falter.suites.basic_questions.dataset import Basic, RankedQuestion, dataset_name, read_dataset, write_dataset
from falter.suites.basic_questions.pool import Pool, normal_form, read_pool
from falter.suites.basic_questions.ranking import Rankings, rank_questions
from falter.suites.basic_questions.settings import Settings

__all__ = ["Prepared"]


class Prepared:
    """The pool and the rankings of one order."""

    def __init__(self, source: Source, main: Sequence[Question], settings: Settings, order: Order) -> None:
        self.rankings: dict[str, Rankings] = {}
        self.pool = Pool(texts=())
        self._order = order
        if settings.ranking is not None:
            self._read(settings, main)
            return
        given = [open_source(spec) for spec in settings.pool]
        # A pool of its own is the same whatever is drawn; within one source what is not drawn is the pool.
        every = require_questions(source).questions() if given else iter(main)
        self.pool = read_pool(
            given or [source],
            kind=settings.pool_kind,
            without=frozenset(normal_form(question.text) for question in every),
            keep_duplicates=settings.keep_duplicates,
        )
        if not len(self.pool):
            raise UsageError(
                "no question is left for the pool once the main ones are out: give --pool, or a smaller --size"
            )
        signatures = []
        for name in settings.rankers:
            texts = (question.text for question in main)
            self.rankings[name], signature = rank_questions(
                texts, self.pool.texts, name, settings, workers=order.workers, stage=order.stage
            )
            signatures.append(signature)
        self._record(settings, given, signatures)
        self._write(settings, main)

    def _read(self, settings: Settings, main: Sequence[Question]) -> None:
        assert settings.ranking is not None
        wanted = {normal_form(question.text) for question in main}
        by_form: dict[str, tuple[Basic, ...]] = {}
        texts: dict[str, None] = {}
        for row in read_dataset(settings.ranking):
            texts |= dict.fromkeys(one.text for one in row.basics)
            form = normal_form(row.main)
            if form in wanted:
                by_form[form] = row.basics
        self.pool = Pool(texts=tuple(texts))
        found = {question.text: by_form.get(normal_form(question.text), ()) for question in main}
        self.rankings[settings.ranking.stem] = Rankings(found, 0)
        if self._order.manifest is not None:
            self._order.manifest.parameters |= {
                "ranking": settings.ranking.name,
                "place": settings.place,
                **_longest(settings),
            }
            file = {"name": settings.ranking.name, "sha256": sha256_of_file(settings.ranking)}
            self._order.manifest.sources.append({"name": "ranked questions", "files": [file]})

    def _record(self, settings: Settings, given: Sequence[Source], signatures: Sequence[str]) -> None:
        manifest = self._order.manifest
        if manifest is None:
            return
        manifest.sources += [source.describe() for source in given]
        uncertified = sum(one.uncertified for one in self.rankings.values())
        manifest.parameters |= {
            "pool_kind": settings.pool_kind,
            "keep_duplicates": settings.keep_duplicates,
            "rankers": list(signatures),
            **_encoder(self.rankings.values()),
            "place": settings.place,
            **_longest(settings),
        }
        manifest.counts["pool"] = {"questions": len(self.pool), "removed": self.pool.removed}
        if "lasso" in self.rankings:
            ranked = self.rankings["lasso"]
            manifest.counts["rankings_certified"] = len(ranked.basics) - ranked.uncertified
        if uncertified:
            manifest.counts["rankings_not_certified"] = uncertified
            manifest.notes.append(f"{uncertified} rankings are not known to be exact: their gap is above tolerance.")

    def _write(self, settings: Settings, main: Sequence[Question]) -> None:
        if self._order.folder is None:
            return
        several = len(self.rankings) > 1
        for ranker, rankings in self.rankings.items():
            rows = (
                RankedQuestion(
                    main=question.text,
                    basics=rankings.basics[question.text],
                    image=question.image_id,
                    question_id=question.id,
                )
                for question in main
            )
            write_dataset(self._order.folder, dataset_name(settings.pool_kind, ranker if several else None), rows)


def _encoder(rankings: Iterable[Rankings]) -> dict[str, str]:
    """What the vectors were made by, to the last weight: a name alone may stand for two files."""
    found = [one.encoder for one in rankings if one.encoder is not None]
    return {"encoder_fingerprint": found[0]} if found else {}


def _longest(settings: Settings) -> dict[str, int]:
    return {} if settings.max_words is None else {"max_words": settings.max_words}
