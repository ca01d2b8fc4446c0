"""The commands ``falter basic-questions rank`` and ``robustness``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from falter.cli.options import AsJson, SuiteFolder, option_rules, with_struct_options
from falter.cli.output import note, out, print_json, print_table, progress, stages
from falter.core.errors import UsageError
from falter.core.tables import format_count
from falter.evaluation.score_options import ScoreOptions
from falter.generation.authoring.options import build_options
from falter.suites.basic_questions.options import RankingOptions

if TYPE_CHECKING:
    from rich.text import Text

    from falter.evaluation.measures import Estimate
    from falter.suites.basic_questions.pool import RankedPool
    from falter.suites.basic_questions.ranking import Certificate
    from falter.suites.basic_questions.robustness import Robustness
    from falter.suites.basic_questions.vqabq import Vqabq


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
        from falter.data.sources import open_source, spec_paths
        from falter.generation.authoring.options import paths_of_options
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
        from falter.suites.basic_questions.options import PAPER_THRESHOLDS, PoolType
        from falter.suites.basic_questions.ranking import dataset_name
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


def _robustness_command(
    runs: Annotated[list[Path], typer.Argument(help="Runs on a suite of basic questions, or folders of run folders.")],
    *,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", help="R_score is 1 up to this difference, in percentage points."),
    ] = 0.05,
    max_drop: Annotated[
        float, typer.Option("--max-drop", help="R_score is 0 from this difference on, in percentage points.")
    ] = 20.0,
    test: Annotated[list[str] | None, typer.Option("--test", help="Only this test; may be repeated.")] = None,
    thresholds: Annotated[
        str | None,
        typer.Option("--thresholds", metavar="S1,S2,S3", help="For vqabq, instead of the suite's own."),
    ] = None,
    tune: Annotated[
        float | None,
        typer.Option(
            "--tune-fraction", metavar="SHARE", help="For vqabq: choose thresholds on this share of the images."
        ),
    ] = None,
    suite: SuiteFolder = None,
    json: AsJson = False,
    options: Mapping[str, Any],
) -> None:
    """Show how far accuracy falls as noise grows stronger, with R_score and 95 % intervals over images.

    Example: falter basic-questions robustness runs/prior runs/blind --vqa-rule min3
    """
    from falter.api.paths import as_runs
    from falter.evaluation.runs.score_tables import name_runs
    from falter.suites.basic_questions.robustness import robustness_of_run
    from falter.suites.basic_questions.vqabq import vqabq_of_run

    chosen = ScoreOptions(**options)
    if thresholds is not None and tune is not None:
        raise UsageError("--thresholds and --tune-fraction exclude each other")
    wanted = None if thresholds is None else _three(thresholds)
    opened = as_runs(runs, suite)
    found: list[tuple[list[Robustness], list[Vqabq]]] = []
    with progress() as bar:
        task = bar.add_task("measuring", total=len(opened))
        for run in opened:
            levels = robustness_of_run(run, chosen, t=tolerance, m=max_drop, tests=test)
            gains = vqabq_of_run(run, chosen, thresholds=wanted, tune_share=tune)
            found.append((levels, [one for one in gains if test is None or one.test in test]))
            bar.advance(task)
    names = [one.model for one in name_runs(opened)]
    if test and not any(levels for levels, _ in found):
        raise UsageError(f"no run has a test {' or '.join(test)} in which an answer must stay under noise")
    if json:
        print_json(
            [
                {"run": str(run.folder), "model": name, "robustness": levels, "vqabq": gains}
                for run, name, (levels, gains) in zip(opened, names, found, strict=True)
            ]
        )
        return
    if not any(levels for levels, _ in found):
        out.print("There is no test in which an answer must stay under noise.")
        return
    for name, (levels, gains) in zip(names, found, strict=True):
        for one in levels:
            _print_levels(name, one)
        for gain in gains:
            _print_vqabq(name, gain)
    out.print(
        f"Percent, with the 95 % interval over images (1,000 draws, seed {chosen.seed}).\n"
        "The drop is that of the same questions. --json adds the rest, with more digits."
    )


robustness_command = with_struct_options(_robustness_command, ScoreOptions, into="options", only=("vqa_rule", "seed"))


def _three(text: str) -> tuple[float, float, float]:
    from falter.suites.basic_questions.options import read_thresholds

    value = read_thresholds(text)
    if value == "auto":
        raise UsageError("--thresholds auto is for falter generate: here give three numbers, or --tune-fraction")
    return value


def _print_levels(name: str, found: Robustness) -> None:
    from rich.text import Text

    from falter.core.tables import Column, Grid

    out.print(f"{name} on {found.test}")
    rows: list[tuple[str, dict[str, Estimate], Estimate | None, Estimate | None]] = [
        ("original", found.original, None, None),
        *((one.name or "with noise", one.accuracy, one.drop["all"], one.r_score) for one in found.levels),
    ]
    values = [
        Column(kind.capitalize(), [_percent(row[1][kind]) for row in rows], right=True)
        for kind in (*found.types[1:], found.types[0])
    ]
    values.append(Column("Drop", [_cell(row[2], 100, (1, 0), " to ") for row in rows], right=True))
    values.append(Column("R_score", [_plain(row[3]) for row in rows], right=True))
    print_table([Grid([Column(found.facet or "noise", [Text(row[0]) for row in rows])], values, frozenset({1}))])
    if found.monotonicity.value is not None:
        out.print(f"Kendall's tau of the drop over levels: {_said(found.monotonicity)}")
    out.print("")


def _print_vqabq(name: str, found: Vqabq) -> None:
    out.print(f"{name} on {found.test}: basic questions appended by Algorithm 1")
    how = "tuned on other images" if found.tuned else "as given"
    out.print(f"  thresholds {', '.join(f'{one:g}' for one in found.thresholds)}, {how}")
    total = max(sum(found.appended.values()), 1)
    told = [f"{number}: {count:,} ({100 * count / total:.1f} %)" for number, count in found.appended.items()]
    out.print(f"  appended {', '.join(told)}")
    for kind in found.without:
        before, after = found.without[kind].value or 0.0, found.with_[kind].value or 0.0
        out.print(f"  {kind}: {100 * before:.2f} without, {100 * after:.2f} with")
    out.print(f"  gain {_said(found.gain, 100)} percentage points")
    out.print("")


def _said(value: Estimate, scale: float = 1) -> str:
    if value.value is None:
        return "not measured"
    told = f"{scale * value.value:.2f}"
    if value.low is None or value.high is None:
        return told
    return f"{told} ({scale * value.low:.2f} to {scale * value.high:.2f})"


def _percent(value: Estimate | None) -> Text:
    return _cell(value, 100, (1, 0))


def _plain(value: Estimate | None) -> Text:
    return _cell(value, 1, (2, 2))


def _cell(value: Estimate | None, scale: float, digits: tuple[int, int], between: str = "–") -> Text:
    """A value with its interval below; ``digits`` are those of the value, and of the ends: 80 columns hold seven."""
    from rich.text import Text

    if value is None or value.value is None:
        return Text("–", style="dim")
    text = Text(f"{scale * value.value:.{digits[0]}f}")
    if value.low is not None and value.high is not None:
        low, high = (f"{scale * end:.{digits[1]}f}" for end in (value.low, value.high))
        text.append(f"\n{low}{between}{high}", style="dim")
    return text
