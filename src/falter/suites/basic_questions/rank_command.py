"""``falter basic-questions rank``: the nearest questions of a pool, for one question or for a whole data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from falter.cli.options import option_rules, with_struct_options
from falter.cli.output import note, out, print_json, progress, stages
from falter.core.errors import UsageError
from falter.core.tables import format_count
from falter.generation.authoring.options import build_options
from falter.suites.basic_questions.options import RankingOptions

if TYPE_CHECKING:
    from falter.suites.basic_questions.dataset import Certificate
    from falter.suites.basic_questions.pool import RankedPool

__all__ = ["rank_command"]


@option_rules(
    needs={
        "--size": "--from",
        "--seed": "--size",
        **dict.fromkeys(("--workers", "--overwrite"), "--out"),
    },
    idle_with={"--lambda": "--sweep"},
)
def _rank_command(
    given: dict[str, Any],
    query: Annotated[
        list[str] | None, typer.Option("--query", metavar="TEXT", help="Question to rank for; may be repeated.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--from", metavar="SOURCE", help="Source of the main questions.")
    ] = None,
    target: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for the ranked data set, as Parquet and JSON.")
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Number of questions to keep.")] = 21,
    size: Annotated[
        int | None, typer.Option("--size", min=1, help="Number of main questions to draw. Default: all.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 0,
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="Number of worker processes; does not change the output.")
    ] = 1,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="Compare lasso's top questions over penalties from 1e-6 to 1e-2.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    options = build_options("rank", RankingOptions, given)
    assert options is not None
    if (query is None) == (source is None):
        raise UsageError("give the questions to rank for: either --query TEXT or --from SOURCE")
    if source is not None and target is None and not sweep:
        raise UsageError("a ranked data set needs a folder; pass --out DIR, or --sweep")
    if sweep and (target is not None or set(options.rankers) != {"lasso"}):
        raise UsageError("--sweep compares lasso with itself and writes nothing; omit --out and other rankers")
    if not options.pool:
        raise UsageError("there is no pool to rank; pass --pool SOURCE")
    work = _Work(options, query, source, size, seed)
    if sweep:
        work.sweep(top, as_json)
    elif target is not None:
        work.write(target, top, workers, overwrite, as_json)
    else:
        work.show(top, as_json)


rank_command = with_struct_options(_rank_command, RankingOptions)


def _certificate(found: Certificate | None) -> dict[str, object]:
    return {"gap": None, "certified": None} if found is None else found._asdict()


class _Work:
    """The questions and the pool of one command."""

    def __init__(
        self, options: RankingOptions, query: list[str] | None, source: str | None, size: int | None, seed: int
    ) -> None:
        from falter.generation.authoring.options import paths_of_options
        from falter.generation.sources import open_source, spec_paths
        from falter.suites.basic_questions.pool import choose_main, gather_pool, questions_from_texts

        self.options = options
        self.inputs = [*paths_of_options(options), *([] if source is None else spec_paths(source))]
        opened = None if source is None else open_source(source)
        if opened is None:
            self.main = questions_from_texts(query or ())
        else:
            self.main, wordless = choose_main(opened, size, seed)
            if wordless:
                note(f"rejected {wordless} x: the question has no words")
        self.pool, _ = gather_pool(self.main, options, opened)
        note(self._plan())

    def _plan(self) -> str:
        """What will be done, in one line: told before an encoder is loaded, which alone may take seconds."""
        from falter.suites.basic_questions.ranking import WITH_VECTORS

        queries = len({one.text for one in self.main})
        asked = "1 question" if queries == 1 else f"{queries:,} different questions"
        plan = f"ranking a pool of {len(self.pool):,} for {asked} by {', '.join(self.options.rankers)}"
        if not set(self.options.rankers) & set(WITH_VECTORS):
            return plan
        cache = self.options.vectors_cache
        kept = "not kept; --vectors-cache DIR keeps them" if cache is None else f"read from and kept in {cache}"
        return f"{plan}, encoder {self.options.encoder}; vectors are {kept}"

    def _ranked(self, top: int, workers: int = 1) -> RankedPool:
        from falter.core.executors import executor_for
        from falter.suites.basic_questions.pool import RankedPool

        with progress() as bar:
            ranked = RankedPool.rank(
                self.main, self.pool, self.options, executor=executor_for(workers), top=top, start_stage=stages(bar)
            )
        for name, rankings in ranked.rankings.items():
            if rankings.uncertified:
                note(f"{name}: {rankings.explain_uncertified()}")
        return ranked

    def show(self, top: int, as_json: bool) -> None:
        """Print the nearest questions, ranker by ranker."""
        results = []
        ranked = self._ranked(top)
        for rankings, signature in zip(ranked.rankings.values(), ranked.signatures, strict=True):
            basics = rankings.basics
            results += [
                {
                    "query": question.text,
                    "ranker": signature,
                    "questions": [{"text": one.text, "score": one.score} for one in basics[question.text]],
                    **_certificate(rankings.certificates.get(question.text)),
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

        from falter.core.files import atomic_folder, kind_of_names, refuse_full_folder
        from falter.suites.basic_questions.dataset import dataset_name
        from falter.suites.basic_questions.options import PAPER_THRESHOLDS, PoolType
        from falter.suites.basic_questions.vqabq import count_appended, score_statistics

        told = []
        names = [dataset_name(pool_type) for pool_type in get_args(PoolType)]
        kind = kind_of_names("a ranked data set", (), rf"({'|'.join(names)})(-[\w.-]+)?\.(json|parquet)")
        refuse_full_folder(target, overwrite=overwrite, kind=kind, inputs=self.inputs)
        ranked = self._ranked(top, workers)
        with atomic_folder(target, overwrite=overwrite, kind=kind, inputs=self.inputs) as folder:
            ranked.write(folder, self.options.pool_type)
        for (name, rankings), signature in zip(ranked.rankings.items(), ranked.signatures, strict=True):
            scores = [[basic.score for basic in rankings.basics[one.text]] for one in self.main]
            told.append(
                {
                    "file": ranked.file_name(self.options.pool_type, name),
                    "ranker": signature,
                    "questions": len(self.main),
                    "pool": len(self.pool),
                    "removed": self.pool.removed,
                    "scores": msgspec.to_builtins(score_statistics(scores)),
                    "appended": count_appended(scores, PAPER_THRESHOLDS),
                    "certified": len(rankings.certificates) - rankings.uncertified,
                    "not_certified": rankings.uncertified,
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
        from falter.suites.basic_questions.ranking import sweep_lambda

        with progress() as bar:
            found = sweep_lambda(
                [one.text for one in self.main], self.pool.texts, self.options, top=top, start_stage=stages(bar)
            )
        if as_json:
            print_json(found)
            return
        out.print(
            f"{found.ranker}: {format_count(found.questions, 'questions')}, pool of {found.pool}; shared among "
            f"the top {found.top}"
        )
        out.print("  lambda  " + "".join(f"{lam:>9g}" for lam in found.lambdas) + "  nonzero  certified")
        for lam, row, nonzero, certified in zip(
            found.lambdas, found.shared, found.nonzero, found.certified, strict=True
        ):
            cells = "".join(f"{value:9.2f}" for value in row)
            out.print(f"{lam:>8g}  {cells}{nonzero:9.1f}{100 * certified:10.1f}%")
