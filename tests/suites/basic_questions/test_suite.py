"""The suite from questions to a report: what is asked, of what it is made, and what must stay the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from falter.cli.main import build_app
from falter.core.errors import InputError, UsageError
from falter.core.progress import ProgressCallback
from falter.data.items import Probe
from falter.data.sources import open_source
from falter.data.suite import Suite, open_suite
from falter.evaluation.runs import open_run
from falter.evaluation.runs.scoring import outcomes_of_run, score_run
from falter.evaluation.score_options import ScoreOptions
from falter.generation.authoring.options import build_options
from falter.lasso import LassoRanker
from falter.suites.basic_questions.options import BasicQuestionsOptions
from falter.suites.basic_questions.pool import choose_main, normal_form, read_pool
from falter.suites.basic_questions.ranking import BasicQuestion, read_dataset
from falter.suites.basic_questions.robustness import robustness_of_run
from falter.suites.basic_questions.vqabq import vqabq_of_run
from tests.cli.commands import refused
from tests.suites.made import make_suite

from .conftest import Data, write_vqa

Make = Callable[..., Suite]


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory, data: Data) -> Make:
    def made(*, source: str = data.main, tests: tuple[str, ...] = (), workers: int = 1, **settings: Any) -> Suite:
        folder = tmp_path_factory.mktemp("suite") / "made"
        options = {"pool": (data.pool,), "ranker": ("cosine",), "encoder": "hashing:64"}
        chosen = {name: value for name, value in (options | settings).items() if value is not None}
        size = chosen.pop("size", None)
        make_suite(source, folder, suite="basic-questions", tests=tests, size=size, workers=workers, own=chosen)
        return open_suite(folder)

    return made


@pytest.fixture(scope="session")
def suite(make: Make) -> Suite:
    return make(ranker=("lasso",), encoder="tfidf:96")


def probes_of(suite: Suite, test: str) -> list[Probe]:
    found = [probe for probe in suite.probes() if probe.original.test == test]
    assert found
    return found


def test_noise_is_the_main_question_and_three_of_its_ranking(suite: Suite) -> None:
    ranked = {row.question_id: row for row in read_dataset(suite.folder / "GBQD.parquet")}
    probes = probes_of(suite, "noise")
    assert len(probes) == suite.manifest.counts["tests"]["noise"]["probes"]
    for probe in probes:
        basics = ranked[probe.original.source_id].basics
        assert len(basics) <= 21
        assert probe.original.text == ranked[probe.original.source_id].main
        assert len(probe.variants) == len(basics) // 3
        for number, item in enumerate(probe.variants):
            three = [one.text for one in basics[3 * number : 3 * number + 3]]
            assert item.text == " ".join([probe.original.text, *three])
            assert item.facets["partition"] == str(number + 1)
            assert item.facets["words"] == ("more than 26" if len(item.text.split()) > 26 else "26 or fewer")
            assert (item.gold, item.answers) == (probe.original.gold, probe.original.answers)
            assert item.expects == "same"


def test_no_basic_question_is_a_main_one(suite: Suite, data: Data) -> None:
    main = {normal_form(question.text) for question in open_source(data.main).questions()}
    forms = [normal_form(one.text) for row in read_dataset(suite.folder / "GBQD.json") for one in row.basics]
    assert forms
    assert main.isdisjoint(forms)
    for row in read_dataset(suite.folder / "GBQD.json"):
        own = [normal_form(one.text) for one in row.basics]
        assert len(set(own)) == len(own)


def test_parquet_and_json_say_the_same_in_the_papers_form(suite: Suite) -> None:
    table = list(read_dataset(suite.folder / "GBQD.parquet"))
    assert table == list(read_dataset(suite.folder / "GBQD.json"))
    raw = json.loads((suite.folder / "GBQD.json").read_text())
    assert set(raw[0]) == {"image", "question_id", "MQ", "BQs", "gap", "certified"}
    assert all(row["certified"] is True and 0 <= row["gap"] < 1e-9 for row in raw)
    assert set(raw[0]["BQs"][0]) == {"BQ", "score"}
    assert suite.manifest.parameters["rankers"] == ["lasso|lambda:1e-06|nonnegative|encoder:tfidf:96"]
    assert suite.manifest.parameters["encoder_fingerprint"].startswith("tfidf:96|")
    assert suite.manifest.counts["rankings_certified"] == len({row.main for row in table})
    assert len(suite.manifest.sources) == 2


def test_controls_have_the_length_and_not_the_likeness(suite: Suite) -> None:
    noise = {probe.original.source_id: probe for probe in probes_of(suite, "noise")}
    near = 0
    for probe in probes_of(suite, "length"):
        for item in probe.variants:
            twin = noise[probe.original.source_id].variants[int(item.facets["partition"]) - 1]
            assert item.text.startswith(probe.original.text)
            near += abs(len(item.text.split()) - len(twin.text.split())) <= 1
            own, other = (_basics(one.extra) for one in (item, twin))
            assert own.isdisjoint(other)
    assert near > 0.9 * sum(len(probe.variants) for probe in noise.values())
    for probe in probes_of(suite, "random"):
        assert len(probe.variants) == 1
        assert len(_basics(probe.variants[0].extra)) == 3


def _basics(extra: str | None) -> set[str]:
    assert extra is not None
    return {one["BQ"] for one in json.loads(extra)["basic_questions"]}


def test_distractors_lie_in_their_band(make: Make) -> None:
    made = make(tests=("distractors",), similarity_band=("0.5:1", "0.1:0.3"))
    bands = {"0.5 to 1": (0.5, 1.0), "0.1 to 0.3": (0.1, 0.3)}
    seen = set()
    for probe in probes_of(made, "distractors"):
        for item in probe.variants:
            low, high = bands[item.facets["similarity"]]
            seen.add(item.facets["similarity"])
            for one in json.loads(item.extra or "")["basic_questions"]:
                assert low <= one["score"] <= high
    assert seen == set(bands)


def test_every_long_stage_tells_how_far_it_is(tmp_path: Path, data: Data) -> None:
    told: dict[str, list[int]] = {}

    def start_stage(name: str, total: int | None) -> ProgressCallback:
        counts = told.setdefault(name, [total or 0])
        return counts.append

    own = {"pool": (data.pool,), "ranker": ("lasso", "bm25"), "encoder": "hashing:64"}
    settings: dict[str, Any] = {"tests": ("distractors",), "size": 12, "own": own, "start_stage": start_stage}
    make_suite(data.main, tmp_path / "out", suite="basic-questions", **settings)
    assert list(told) == ["encoding", "ranking by lasso", "ranking by bm25", "encoding for distractors"]
    for name, (total, *counts) in told.items():
        assert sum(counts) == total, name
    assert len(told["ranking by lasso"]) > 2, "not only when all are ranked"


@pytest.mark.parametrize("place", ["before", "around", "chat"])
def test_where_the_noise_stands(make: Make, place: str) -> None:
    made = make(tests=("noise",), noise_position=place, size=5)
    for probe in probes_of(made, "noise"):
        for item in probe.variants:
            one, two, three = [each["BQ"] for each in json.loads(item.extra or "")["basic_questions"]]
            main = probe.original.text
            if place == "chat":
                assert item.text == main
                assert item.context is not None
                assert [turn.text for turn in item.context] == [one, two, three]
                assert item.item_id != probe.original.item_id
            else:
                order = [one, two, three, main] if place == "before" else [one, main, two, three]
                assert item.text == " ".join(order)
                assert item.context is None


def test_too_many_words_are_dropped_when_asked(make: Make) -> None:
    made = make(tests=("noise",), max_words="22")
    texts = [item.text for item in made.items() if item.role == "variant"]
    assert texts
    assert max(len(text.split()) for text in texts) <= 22
    assert made.manifest.counts["refused"]["noise: a variant has more than 22 words"] > 0


def test_the_same_bytes_with_any_number_of_workers(make: Make) -> None:
    one, two = (make(ranker=("bleu-2",), tests=("noise", "length"), size=20, workers=workers) for workers in (1, 2))
    assert one.fingerprint == two.fingerprint
    assert (one.folder / "GBQD.json").read_bytes() == (two.folder / "GBQD.json").read_bytes()
    other = make(ranker=("bleu-3",), tests=("noise", "length"), size=20)
    assert other.fingerprint != one.fingerprint


def test_an_interrupted_ranking_goes_on(make: Make, tmp_path: Path) -> None:
    settings = {"ranker": ("lasso",), "encoder": "hashing:64", "ranking_cache": str(tmp_path / "kept")}
    one = make(tests=("noise",), **settings)
    shards = sorted((tmp_path / "kept").glob("*.npz"))
    assert shards
    before = [shard.stat().st_mtime_ns for shard in shards]
    two = make(tests=("noise",), **settings)
    assert [shard.stat().st_mtime_ns for shard in shards] == before
    assert (
        one.fingerprint == two.fingerprint == make(tests=("noise",), **{**settings, "ranking_cache": None}).fingerprint
    )
    with pytest.raises(InputError, match="another lambda"):
        make(tests=("noise",), **{**settings, "lam": "1e-3"})


def test_several_rankers_make_a_test_each(make: Make) -> None:
    made = make(ranker=("cider", "rouge-l"), tests=("noise",), size=6)
    assert set(made.manifest.counts["tests"]) == {"noise-cider", "noise-rouge-l"}
    assert (made.folder / "GBQD-cider.parquet").is_file()


def test_a_ranked_data_set_can_be_used_again(suite: Suite, make: Make) -> None:
    again = make(pool=None, ranker=None, ranked_file=str(suite.folder / "GBQD.json"), max_words="500", tests=("noise",))
    assert again.manifest.parameters["max_words"] == 500
    texts = [probe.items for probe in probes_of(suite, "noise")]
    assert [[item.text for item in items] for items in texts] == [
        [item.text for item in probe.items] for probe in probes_of(again, "noise")
    ]


def test_yes_no_pools_and_pools_of_one_source(make: Make, data: Data) -> None:
    made = make(pool_type="yesno", tests=("noise",), size=10)
    kinds = {normal_form(one.text): one.answer_type for one in open_source(data.pool).questions()}
    rows = list(read_dataset(made.folder / "YNBQD.parquet"))
    assert {kinds[normal_form(one.text)] for row in rows for one in row.basics} == {"yes/no"}
    alone = make(source=data.pool, pool=None, tests=("noise",), size=10)
    assert len(probes_of(alone, "noise")) == 10
    with pytest.raises(UsageError, match="no question is left for the pool"):
        make(pool=None)


def test_what_happens_without_preprocessing(tmp_path: Path, make: Make) -> None:
    main = write_vqa(tmp_path / "main", [{"question": "What color is the dog?", "answer": "red", "type": "other"}])
    words = ("dog", "cat", "car", "bus", "cup", "hat", "man", "sky")
    pool = [{"question": f"What color is the {word}?", "answer": "red", "type": "other"} for word in (*words, "dog")]
    spec = write_vqa(tmp_path / "pool", pool)
    clean = make(source=main, pool=(spec,), tests=("noise",), ranker=("lasso",), encoder="hashing:128")
    (row,) = read_dataset(clean.folder / "GBQD.json")
    assert len(row.basics) >= 6
    assert normal_form(row.main) not in {normal_form(one.text) for one in row.basics}
    spoiled = make(
        source=main, pool=(spec,), tests=("vqabq",), ranker=("lasso",), encoder="hashing:128", keep_duplicates=True
    )
    (row,) = read_dataset(spoiled.folder / "GBQD.json")
    # The question itself takes all there is to take, and the ranking says nothing of the others.
    assert [one.text for one in row.basics] == ["What color is the dog?"]
    assert row.basics[0].score == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("ranker", ["lasso", "cosine", "bleu-4"])
def test_odd_questions(tmp_path: Path, make: Make, ranker: str) -> None:
    odd = ["", "  ", "?", "Dog", "😀😀", " ".join(["why"] * 500), "Is it é?", "is it É ?", "What is it?", "Is it red?"]
    records = [{"question": text, "answer": "yes", "type": "yes/no"} for text in odd]
    spec = write_vqa(tmp_path / "odd", records)
    pool = [
        {"question": text, "answer": "yes", "type": "yes/no"} for text in ("Is it blue?", "", "Dogs?", "Who is it?")
    ]
    small = write_vqa(tmp_path / "pool", [*pool, *pool])
    made = make(source=spec, pool=(small,), ranker=(ranker,), tests=("noise", "vqabq"))
    rows = list(read_dataset(made.folder / "GBQD.json"))
    assert len(rows) == 8, "questions without any word are left out"
    assert made.manifest.counts["refused"]["the question has no words"] == 2
    assert all(len(row.basics) <= 3 for row in rows)
    assert made.manifest.counts["pool"]["questions"] == 3
    for probe in made.probes():
        assert all(len(item.text) > 0 for item in probe.items)


def test_pools_and_draws(tmp_path: Path) -> None:
    records = [
        {"question": "Is it red?", "answer": "yes", "type": "yes/no"},
        {"question": "is it  RED", "answer": "yes", "type": "other"},
        {"question": "Is it red ?", "answer": "yes", "type": "yes/no"},
        {"question": "What is it?", "answer": "dog", "type": "other"},
        {"question": "Who is it?", "answer": "man", "type": "other"},
    ]
    source = open_source(write_vqa(tmp_path / "data", records))
    assert read_pool([source]).texts == ("Is it red?", "What is it?", "Who is it?")
    assert read_pool([source], kind="yesno").texts == ("Is it red?",)
    assert read_pool([source], without={normal_form("who is it")}).texts == ("Is it red?", "What is it?")
    kept = read_pool([source], without={normal_form("who is it")}, keep_duplicates=True)
    assert len(kept) == 5
    assert read_pool([source], without={normal_form("who is it")}).removed == {"duplicates": 2, "main questions": 1}
    for size in range(1, 5):
        fewer, more = ({one.id for one in choose_main(source, many, 3)[0]} for many in (size, size + 1))
        assert fewer < more


def test_a_data_set_out_of_order_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "GBQD.json"
    path.write_bytes(msgspec.json.encode([{"MQ": "a", "BQs": [BasicQuestion("b", 0.1), BasicQuestion("c", 0.2)]}]))
    with pytest.raises(InputError, match="not in the order of their scores"):
        list(read_dataset(path))
    path.write_text('[{"MQ": "a"}]')
    with pytest.raises(InputError, match="BQs"):
        list(read_dataset(path))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ranker": ("levenshtein",)}, "unknown ranker"),
        ({"pool_type": "maybe"}, "general, yesno"),
        ({"noise_position": "beside"}, "after, around, before, chat"),
        ({"lam": "0"}, "above zero"),
        ({"lam": "small"}, "--lambda 'small'"),
        ({"lam": "nan"}, "not a number"),
        ({"similarity_band": ("0.8:0.2",)}, "from lower to higher"),
        ({"similarity_band": ("0.8",)}, "LO:HI"),
        ({"thresholds": "0.5,0.5"}, "three numbers"),
        ({"max_words": "-4"}, "--max-words '-4'"),
        ({"ranked_file": "x.json", "ranker": ("lasso",)}, "leave out"),
    ],
)
def test_slips_in_the_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        build_options("basic-questions", BasicQuestionsOptions, options)


def test_a_slip_on_the_command_line_leaves_nothing_behind(data: Data, tmp_path: Path) -> None:
    line = refused(
        "generate", "basic-questions", "--from", data.main, "--out", tmp_path / "out", "--encoder", "word2vec"
    )
    assert "is left for the pool" in line or "unknown encoder" in line
    assert not (tmp_path / "out").exists()


def test_options_of_another_suite_are_refused(data: Data, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="carets has no option --pool-type"):
        make_suite(data.main, tmp_path / "out", own={"pool_type": "yesno"})


def cli(*arguments: str | Path) -> Any:
    """A command within this process: importing everything again for each would take longer than the work."""
    done = CliRunner().invoke(build_app(), [str(one) for one in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def test_options_reach_the_suite_from_the_command_line(data: Data, tmp_path: Path) -> None:
    chosen = ("--ranker", "bleu-1", "--ranker", "cosine", "--encoder", "hashing:64", "--noise-position", "before")
    sources = ("--from", data.main, "--pool", data.pool)
    cli("generate", "basic-questions", *sources, *chosen, "--size", "4", "--test", "noise", "--out", tmp_path / "made")
    made = open_suite(tmp_path / "made")
    assert made.manifest.parameters["place"] == "before"
    assert made.manifest.parameters["rankers"][1] == "cosine|encoder:hashing:64"
    assert {name: one["probes"] for name, one in made.manifest.counts["tests"].items()} == {
        "noise-bleu-1": 4,
        "noise-cosine": 4,
    }
    assert "--pool-type" in cli("generate", "basic-questions", "--help").stdout


def by_hand(suite: Suite, run: Path, thresholds: tuple[float, float, float]) -> tuple[float, float]:
    """Accuracy without basic questions and with those that Algorithm 1 appends, question by question."""
    credit: dict[str, dict[int, float]] = {}
    for row in outcomes_of_run(open_run(run), facets=[]).table_of_pairs().filter(test="vqabq").to_dicts():
        own = credit.setdefault(row["probe_id"], {0: row["original_credit"]})
        own[row["variant"]] = row["variant_credit"]
    without, with_them = [], []
    for probe in probes_of(suite, "vqabq"):
        first, second, third = json.loads(probe.original.extra or "")["scores"]
        number = 0
        if first > thresholds[0]:
            number = 1
            if second / first > thresholds[1]:
                number = 2
                if third / second > thresholds[2]:
                    number = 3
        without.append(credit[probe.probe_id][0])
        with_them.append(credit[probe.probe_id][number])
    return sum(without) / len(without), sum(with_them) / len(with_them)


def test_from_questions_to_a_report(suite: Suite, data: Data, tmp_path: Path) -> None:
    for model in ("blind", "prior"):
        cli("run", suite.folder, "--model", f"builtin:{model}", "--train", data.pool, "--out", tmp_path / model)
    found = {one.test: one for one in robustness_of_run(open_run(tmp_path / "blind"), ScoreOptions(vqa_rule="min3"))}
    assert set(found) == {"noise", "random", "length", "distractors", "vqabq"}
    noise = found["noise"]
    assert [level.name for level in noise.levels] == ["1", "2", "3", "4", "5", "6", "7"]
    assert noise.levels[0].drop["all"].value == pytest.approx(
        (noise.original["all"].value or 0) - (noise.levels[0].accuracy["all"].value or 0)
    )
    assert "rule:min3" in noise.signature
    assert "t:0.05|m:20" in noise.signature
    # A reader of words is thrown off by other questions, and more by those that have nothing to do with it.
    assert (found["random"].levels[0].drop["all"].value or 0) > 0
    # One that looks at the first words alone cannot be.
    prior = {one.test: one for one in robustness_of_run(open_run(tmp_path / "prior"))}
    assert prior["noise"].levels[0].r_score.value == 1
    # The score of the command line is the paper's: over the first partition.
    scores = score_run(open_run(tmp_path / "blind"), ScoreOptions(vqa_rule="min3", n_resamples=0))
    told = {one.group.test: one.value for one in scores if one.measure == "r_score"}
    assert told["noise"] == pytest.approx(noise.levels[0].r_score.value)
    assert "random" not in told
    # Acc_di is what R_score is of; seven partitions together would be another difference.
    differences = {one.group.test: one for one in scores if one.measure == "acc_di"}
    losses = [level.drop["all"].value or 0 for level in noise.levels]
    assert differences["noise"].value == pytest.approx(abs(losses[0]))
    assert abs(losses[0]) != pytest.approx(abs(sum(losses) / 7), abs=0.001)
    assert differences["random"].value == pytest.approx(abs(found["random"].levels[0].drop["all"].value or 0))
    (gain,) = vqabq_of_run(open_run(tmp_path / "prior"))
    assert gain.gain.value == 0
    assert sum(gain.appended.values()) == len(probes_of(suite, "vqabq"))
    thresholds = (0.3, 0.4, 0.4)
    (own,) = vqabq_of_run(open_run(tmp_path / "blind"), thresholds=thresholds)
    assert (own.without["all"].value, own.with_["all"].value) == pytest.approx(
        by_hand(suite, tmp_path / "blind", thresholds)
    )
    assert len([count for count in own.appended.values() if count]) > 2
    told = cli("basic-questions", "robustness", tmp_path / "blind", "--json", "--tune-fraction", "0.5")
    assert json.loads(told.stdout)[0]["vqabq"][0]["tuned"] is True
    printed = cli("basic-questions", "robustness", tmp_path).stdout
    assert "blind on noise" in printed and "prior on noise" in printed, "a folder of runs stands for all of them"
    assert "R_score" in printed
    assert max(map(len, printed.splitlines())) <= 80
    with pytest.raises(UsageError, match="no run has a test nose"):
        cli("basic-questions", "robustness", tmp_path / "blind", "--test", "nose")
    reported = ("report", tmp_path / "blind", tmp_path / "prior", "--out", tmp_path / "report.html")
    cli(*reported)
    page = (tmp_path / "report.html").read_text()
    assert "HieCoAtt (ResNet-200)" not in page
    reason = "are not shown: they belong to VQA accuracy by the paper&#39;s Eq. 6 (--vqa-rule min3)."
    assert page.count(f"Published figures of Tables 2 and 4 and Tables 6 and 7 {reason}") == 1
    cli(*reported, "--vqa-rule", "min3")
    page = (tmp_path / "report.html").read_text()
    assert "are not shown" not in page
    assert "rule:min3" in page and "rule:vqa-v2" not in page
    for part in ('id="panel-noise"', "R_score by limit", "HieCoAtt (ResNet-200)", "Tables 2 and 4", 'id="panel-vqabq"'):
        assert part in page


def test_ranking_from_the_command_line(data: Data, tmp_path: Path) -> None:
    asked = ("basic-questions", "rank", "--pool", data.pool, "--encoder", "hashing:64")
    (result,) = json.loads(cli(*asked, "--query", "Is there a dog?", "--ranker", "bm25", "--top", "3", "--json").stdout)
    assert len(result["questions"]) == 3
    assert "dog" in result["questions"][0]["text"]
    (told,) = json.loads(
        cli(*asked, "--from", data.main, "--size", "12", "--out", tmp_path / "ranked", "--json").stdout
    )
    assert told["questions"] == 12
    assert len(list(read_dataset(tmp_path / "ranked" / "GBQD.parquet"))) == 12
    table = json.loads(cli(*asked, "--from", data.main, "--size", "12", "--sweep", "--json").stdout)
    assert table["lambdas"] == [1e-6, 1e-5, 1e-4, 1e-3, 1e-2]
    assert all(table["shared"][place][place] <= 21 for place in range(5))
    assert min(table["certified"]) == 1
    with pytest.raises(UsageError, match="either --query TEXT or --from SOURCE"):
        cli("basic-questions", "rank", "--pool", data.pool)


def test_rank_says_first_what_it_will_do(data: Data, tmp_path: Path) -> None:
    asked = ("basic-questions", "rank", "--pool", data.pool, "--encoder", "hashing:64", "--query", "Is there a dog?")
    for_two = cli(*asked, "--query", "Is there a dog?", "--query", "Is there a cat?", "--json").stderr
    assert re.match(r"ranking a pool of ([\d,]+) for 2 different questions by lasso, encoder hashing:64; ", for_two)
    assert "vectors are not kept; --vectors-cache DIR keeps them" in for_two
    kept = cli(*asked, "--ranker", "cosine", "--vectors-cache", tmp_path / "vectors").stderr
    assert f"vectors are read from and kept in {tmp_path / 'vectors'}" in kept
    by_words = cli(*asked, "--ranker", "bm25").stderr.splitlines()[0]
    assert by_words.endswith("for 1 question by bm25")


def test_each_ranking_has_its_certificate_and_a_missing_one_its_remedy(
    data: Data, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("basic-questions", "rank", "--pool", data.pool, "--encoder", "hashing:64", "--query", "Is there a dog?")
    by_lasso, by_words = json.loads(cli(*asked, "--ranker", "lasso", "--ranker", "bm25", "--json").stdout)
    assert by_lasso["certified"] is True
    assert 0 <= by_lasso["gap"] < 1e-9
    assert (by_words["gap"], by_words["certified"]) == (None, None)
    # No solution in floating point comes as close as this.
    monkeypatch.setattr("falter.lasso.LassoRanker", partial(LassoRanker, tol=1e-300))
    done = cli(*asked, "--json")
    assert json.loads(done.stdout)[0]["certified"] is False
    assert "lasso: 1 of 1 rankings are not known to be exact: their duality gap reaches" in done.stderr
    assert "A larger --lambda" in done.stderr
    made = make(ranker=("lasso",), tests=("noise",), size=6)
    assert {row.certified for row in read_dataset(made.folder / "GBQD.parquet")} == {False}
    # What a file says of its rankings reaches the suite that is made of them.
    again = make(pool=None, ranker=None, ranked_file=str(made.folder / "GBQD.parquet"), tests=("noise",), size=6)
    for suite in (made, again):
        assert suite.manifest.counts["rankings_not_certified"] > 0
        assert any("A larger --lambda" in note for note in suite.manifest.notes)


def test_ranked_files_without_certificates_are_read(tmp_path: Path) -> None:
    (tmp_path / "GBQD.json").write_text('[{"MQ": "Is it?", "BQs": [{"BQ": "Is it so?", "score": 0.5}]}]')
    (row,) = read_dataset(tmp_path / "GBQD.json")
    assert row.certificate is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--query", " "), "without any word"),
        (("--query", "Is there a dog?", "--sweep", "--ranker", "bm25"), "omit --out and other rankers"),
        (("--query", "Is there a dog?", "--sweep", "--out", "ranked"), "omit --out and other rankers"),
        (("--query", "Is there a dog?", "--solver-device", "abacus"), "no device abacus"),
    ],
)
def test_what_cannot_be_ranked_is_refused(data: Data, options: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        cli("basic-questions", "rank", "--pool", data.pool, "--encoder", "hashing:64", *options)


def test_the_command_line_counts_probes_and_shows_earlier_turns(data: Data, tmp_path: Path) -> None:
    asked = ("--from", data.main, "--pool", data.pool, "--encoder", "hashing:64", "--images", "none", "--size", "5")
    chosen = ("--ranker", "cosine", "--noise-position", "chat", "--test", "noise", "--test", "random")
    told = cli("generate", "basic-questions", *asked, *chosen, "--out", tmp_path / "chat").stdout
    assert "noise: 5 probes" in told
    assert "random: 5 pairs" in told
    first = probes_of(open_suite(tmp_path / "chat"), "noise")[0].items[1]
    assert first.context
    assert f"user: {first.context[-1].text} / {first.text}" in cli("inspect", tmp_path / "chat", "--sample", 20).stdout


def test_a_report_tells_the_rankers_of_vqabq_apart(make: Make, data: Data, tmp_path: Path) -> None:
    several = make(ranker=("cosine", "bm25"), tests=("vqabq",), size=10)
    cli("run", several.folder, "--model", "builtin:prior", "--train", data.pool, "--out", tmp_path / "run")
    cli("report", tmp_path / "run", "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "<td>vqabq-cosine</td>" in page
    assert "<td>vqabq-bm25</td>" in page
