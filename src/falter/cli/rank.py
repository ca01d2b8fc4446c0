"""``falter rank``: the nearest questions of a pool, for one question or for a whole data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from falter.cli.output import note, out, print_json, progress, stages
from falter.errors import UsageError

if TYPE_CHECKING:
    from falter.suites.basic_questions.dataset import Basic
    from falter.suites.basic_questions.settings import Settings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("rank")
    def rank_command(
        pool: Annotated[list[str], typer.Option("--pool", metavar="SOURCE", help="Where basic questions come from.")],
        query: Annotated[
            list[str] | None, typer.Option("--query", metavar="TEXT", help="A question to rank for; may repeat.")
        ] = None,
        source: Annotated[
            str | None, typer.Option("--from", metavar="SOURCE", help="The main questions of a data set.")
        ] = None,
        target: Annotated[
            Path | None, typer.Option("--out", help="A folder for the ranked data set, as Parquet and JSON.")
        ] = None,
        ranker: Annotated[
            list[str] | None,
            typer.Option("--ranker", metavar="NAME", help="lasso when left out; may repeat to see several."),
        ] = None,
        encoder: Annotated[str, typer.Option("--encoder", metavar="SPEC", help="For lasso and cosine.")] = "minilm",
        lam: Annotated[str, typer.Option("--lambda", metavar="X", help="The penalty of lasso.")] = "1e-6",
        signed: Annotated[bool, typer.Option("--signed", help="Let lasso have negative coefficients too.")] = False,
        pool_kind: Annotated[
            str, typer.Option("--pool-kind", metavar="general|yesno", help="All questions, or the yes/no ones.")
        ] = "general",
        keep_duplicates: Annotated[
            bool, typer.Option("--keep-duplicates", help="Leave repeated and main questions in the pool.")
        ] = False,
        vectors_cache: Annotated[
            Path | None, typer.Option("--vectors-cache", metavar="DIR", help="Keep sentence vectors here.")
        ] = None,
        ranking_cache: Annotated[
            Path | None, typer.Option("--ranking-cache", metavar="DIR", help="Keep lasso's rankings here as they come.")
        ] = None,
        solver_device: Annotated[
            str, typer.Option("--solver-device", metavar="DEVICE", help="Where lasso is solved: cpu, cuda.")
        ] = "cpu",
        top: Annotated[int, typer.Option("--top", min=1, help="How many questions to keep.")] = 21,
        size: Annotated[int | None, typer.Option("--size", min=1, help="Draw so many main questions.")] = None,
        seed: Annotated[int, typer.Option("--seed", help="Another seed, another draw.")] = 0,
        workers: Annotated[int, typer.Option("--workers", min=1, help="Processes for rankers that count words.")] = 1,
        sweep: Annotated[
            bool, typer.Option("--sweep", help="Compare lasso's top questions over penalties from 1e-6 to 1e-2.")
        ] = False,
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    ) -> None:
        """Rank a pool of questions by their likeness to main questions.

        Example: falter rank --pool vqa:data/train --query "What is the cat sitting on?" --ranker lasso --ranker cosine
        """
        from falter.suites.basic_questions.settings import Settings

        if (query is None) == (source is None):
            raise UsageError("give the questions to rank for: either --query TEXT or --from SOURCE")
        if source is not None and target is None and not sweep:
            raise UsageError("a ranked data set needs a folder: give --out DIR, or --sweep")
        if sweep and (target is not None or set(ranker or ("lasso",)) != {"lasso"}):
            raise UsageError("--sweep compares lasso with itself and writes nothing: leave out --out and other rankers")
        given: dict[str, Any] = {
            "pool": tuple(pool),
            "pool-kind": pool_kind,
            "ranker": tuple(ranker or ("lasso",)),
            "encoder": encoder,
            "lambda": lam,
            "signed": signed,
            "keep-duplicates": keep_duplicates,
            "solver-device": solver_device,
        }
        given |= {"vectors-cache": vectors_cache, "ranking-cache": ranking_cache}
        settings = Settings.read(given)
        work = _Work(settings, query, source, size, seed)
        if sweep:
            work.sweep(top, as_json)
        elif target is not None:
            work.write(target, top, workers, overwrite, as_json)
        else:
            work.show(top, as_json)


class _Work:
    """The questions and the pool of one command."""

    def __init__(
        self, settings: Settings, query: list[str] | None, source: str | None, size: int | None, seed: int
    ) -> None:
        from falter.sources import open_source, require_questions
        from falter.sources.protocol import Question
        from falter.suites.basic_questions.pool import choose_main, normal_form, read_pool

        self.settings = settings
        if source is not None:
            opened = require_questions(open_source(source))
            self.main, wordless = choose_main(opened, size, seed)
            if wordless:
                note(f"left out {wordless} x: the question has no words")
            unwanted = {normal_form(question.text) for question in opened.questions()}
        else:
            self.main = [Question(id=str(place), image_id="", text=text) for place, text in enumerate(query or ())]
            if not all(normal_form(question.text) for question in self.main):
                raise UsageError("a --query without any sign cannot be ranked for")
            unwanted = {normal_form(question.text) for question in self.main}
        self.pool = read_pool(
            [open_source(spec) for spec in settings.pool],
            kind=settings.pool_kind,
            without=unwanted,
            keep_duplicates=settings.keep_duplicates,
        )
        if not len(self.pool):
            raise UsageError("no question is left in the pool: give another --pool")

    def _ranked(self, name: str, top: int, workers: int = 1) -> tuple[dict[str, tuple[Basic, ...]], str]:
        from falter.suites.basic_questions.ranking import rank_questions

        texts = [question.text for question in self.main]
        with progress() as bar:
            rankings, signature = rank_questions(
                texts, self.pool.texts, name, self.settings, workers=workers, top=top, stage=stages(bar)
            )
        if rankings.uncertified:
            note(f"not known to be exact: {rankings.uncertified} of {len(rankings.basics)} rankings by {name}")
        return rankings.basics, signature

    def show(self, top: int, as_json: bool) -> None:
        """Print the nearest questions, ranker by ranker."""
        results = []
        for name in self.settings.rankers:
            basics, signature = self._ranked(name, top)
            results += [
                {
                    "query": question.text,
                    "ranker": signature,
                    "questions": [{"text": one.text, "score": one.score} for one in basics[question.text]],
                }
                for question in self.main
            ]
        if as_json:
            print_json(results)
            return
        for result in sorted(results, key=lambda one: [each.text for each in self.main].index(str(one["query"]))):
            out.print(f"{result['query']}  by {result['ranker']}")
            questions: Any = result["questions"]
            for place, one in enumerate(questions, start=1):
                out.print(f"{place:4}  {one['score']:9.6f}  {one['text']}")
            if not questions:
                out.print("      no question of the pool has a score")

    def write(self, target: Path, top: int, workers: int, overwrite: bool, as_json: bool) -> None:
        """Write the ranked data set of each ranker, and say what its scores are like."""
        import msgspec

        from falter.files import atomic_folder
        from falter.suites.basic_questions.dataset import RankedQuestion, dataset_name, write_dataset
        from falter.suites.basic_questions.settings import PAPER_THRESHOLDS
        from falter.suites.basic_questions.vqabq import count_appended, score_statistics

        several = len(self.settings.rankers) > 1
        told = []
        with atomic_folder(target, overwrite=overwrite) as folder:
            for name in self.settings.rankers:
                basics, signature = self._ranked(name, top, workers)
                file = dataset_name(self.settings.pool_kind, name if several else None)
                rows = (
                    RankedQuestion(
                        main=one.text, basics=basics[one.text], image=one.image_id or None, question_id=one.id
                    )
                    for one in self.main
                )
                number = write_dataset(folder, file, rows)
                scores = [[basic.score for basic in basics[one.text]] for one in self.main]
                told.append(
                    {
                        "file": file,
                        "ranker": signature,
                        "questions": number,
                        "pool": len(self.pool),
                        "removed": self.pool.removed,
                        "scores": msgspec.to_builtins(score_statistics(scores)),
                        "appended": count_appended(scores, PAPER_THRESHOLDS),
                    }
                )
        if as_json:
            print_json(told)
            return
        for one in told:
            out.print(f"{one['file']}: {one['questions']} main questions, {one['ranker']}, pool of {one['pool']}")
            spreads: Any = one["scores"]
            for name, (mean, deviation, n) in spreads.items():
                if n:
                    out.print(f"  {name.replace('_over_', '/')}: {mean:.3f} +- {deviation:.3f}")
        out.print(f"{target}")

    def sweep(self, top: int, as_json: bool) -> None:
        """Print how much the top questions have in common between penalties."""
        from falter.suites.basic_questions.lambda_sweep import sweep_lambda

        with progress() as bar:
            found = sweep_lambda(
                [one.text for one in self.main], self.pool.texts, self.settings, top=top, stage=stages(bar)
            )
        if as_json:
            print_json(found)
            return
        out.print(
            f"{found.ranker}: {found.questions} questions, pool of {found.pool}; shared among the top {found.top}"
        )
        out.print("  lambda  " + "".join(f"{lam:>9g}" for lam in found.lambdas) + "  nonzero  certified")
        for lam, row, nonzero, certified in zip(
            found.lambdas, found.shared, found.nonzero, found.certified, strict=True
        ):
            cells = "".join(f"{value:9.2f}" for value in row)
            out.print(f"{lam:>8g}  {cells}{nonzero:9.1f}{100 * certified:10.1f}%")
