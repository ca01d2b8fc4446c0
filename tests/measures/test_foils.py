"""Captions against foils: every measure against a count by hand, another library, or what must hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sklearn.metrics import roc_auc_score

from falter.core.errors import UsageError
from falter.data.items import Probe
from falter.data.suite import open_suite
from falter.evaluation.measures import Score, Summary, all_summaries
from falter.evaluation.measures.comparisons import compare_tables
from falter.evaluation.measures.outcomes.reading import choose_subset, filter_subset
from falter.evaluation.measures.requirements import check_requirement, parse_requirement
from falter.evaluation.measures.scoring import ScoringSettings, score_tables
from falter.evaluation.measures.statistics import Sample
from falter.evaluation.measures.statistics.bootstrap import RocArea, auroc
from falter.evaluation.score_options import ScoreOptions
from falter.generation.inspection.blind import blind_check
from tests.measures.tables import items_of, probe, replies_of, write

ITEM_SCHEMA = pa.schema(
    [
        ("item_id", pa.string()),
        ("status", pa.string()),
        ("answer", pa.string()),
        ("score", pa.float64()),
        ("score_kind", pa.string()),
        ("choice_scores", pa.list_(pa.struct([("choice", pa.string()), ("score", pa.float64())]))),
    ]
)


def foil(name: str, *, test: str = "t", facets: Mapping[str, str] | None = None, image: str | None = None) -> Probe:
    return probe(
        name,
        "prefer",
        ["yes", "no"],
        task="match",
        choices=None,
        test=test,
        image_id=image,
        facets=None if facets is None else [facets, facets],
    )


def told(scores: Mapping[str, Any], kind: str | None = "probability") -> pa.Table:
    """Replies by item: a score, a yes or no, a status behind a ``!``, or the scores of A and B."""
    rows = []
    for item_id, said in scores.items():
        row: dict[str, Any] = {"item_id": item_id, "status": "ok"}
        if isinstance(said, tuple):
            row |= {"score": sum(said) / 2, "score_kind": "probability"}
            row["choice_scores"] = [{"choice": c, "score": s} for c, s in zip("AB", said, strict=True)]
        elif isinstance(said, str) and said.startswith("!"):
            row["status"] = said[1:]
        elif isinstance(said, str):
            row["answer"] = said
        else:
            row |= {"score": said, "score_kind": kind}
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=ITEM_SCHEMA)


def scored(pairs: Sequence[tuple[Any, Any]], kind: str | None = "probability", **options: Any) -> dict[str, Score]:
    probes = [foil(f"p{number}", image=f"i{number}") for number in range(len(pairs))]
    replies = {f"p{number}.{side}": pair[side] for number, pair in enumerate(pairs) for side in (0, 1)}
    found = score_tables(items_of(*probes), told(replies, kind), ScoreOptions(**options))
    return {score.measure: score for score in found if score.group.test == "t"}


FIVE = [(0.9, 0.1), (0.6, 0.7), (0.8, 0.6), (0.4, 0.4), (0.5, 0.2)]


def test_by_hand() -> None:
    found = scored(FIVE)
    values = {name: score.value for name, score in found.items()}
    # Won: the first, third and fifth; the fourth is a tie. Above one half: .9 .6 .8 of captions, .7 .6 of foils.
    assert values["acc_r"] == pytest.approx(3 / 5)
    assert values["ties"] == 1
    assert values["p_c"] == pytest.approx(3 / 5)
    assert values["p_f"] == pytest.approx(3 / 5)
    assert values["acc"] == pytest.approx(6 / 10)
    # Of the five captions (.9 .6 .8 .4 .5) so many are above the foils .1 .7 .6 .4 .2, an equal one counting half.
    assert values["auroc"] == pytest.approx((5 + 2 + 2.5 + 4.5 + 5) / 25)
    assert (found["acc_r"].n, found["acc"].n, found["auroc"].n) == (5, 10, 10)
    # Five images are too few for what is no share.
    assert (found["auroc"].low, found["auroc"].high, found["auroc"].interval) == (None, None, "none")


def test_the_minimum_is_of_the_two_recalls() -> None:
    found = scored([(0.9, 0.8), (0.9, 0.2), (0.7, 0.9)])
    assert found["p_c"].value == 1
    assert found["p_f"].value == pytest.approx(1 / 3)
    assert found["min_pc_pf"].value == pytest.approx(1 / 3)
    always = scored([(1.0, 1.0), (0.99, 0.6)])
    assert (always["p_c"].value, always["p_f"].value, always["min_pc_pf"].value) == (1, 0, 0)


@pytest.mark.parametrize("kind", ["similarity", "logprob", None])
def test_without_a_probability_nothing_is_thresholded(kind: str | None) -> None:
    found = scored(FIVE, kind)
    assert found["acc_r"].value == pytest.approx(3 / 5)
    for name in ("acc", "p_c", "p_f", "min_pc_pf"):
        assert found[name].value is None
        assert found[name].n == 0
        assert "no probabilities" in (found[name].reason or "")
    verdict = check_requirement(parse_requirement("s.t.p_c>=0.5"), list(found.values()))
    assert not verdict.passed
    assert "no probabilities" in verdict.reason


def test_yes_and_no_rank_as_one_and_nought() -> None:
    found = scored([("yes", "no"), ("yes", "yes"), ("no", "no"), ("no", "yes")])
    assert found["acc_r"].value == pytest.approx(1 / 4)
    assert found["ties"].value == 2
    assert found["acc"].value == pytest.approx(1 / 2)
    assert found["auroc"].value == pytest.approx(1 / 2)


def test_unparsed_is_wrong_and_failed_is_left_out() -> None:
    found = scored([(0.9, 0.1), ("!unparsed", 0.1), (0.9, "!unparsed"), ("!failed", 0.4), (0.9, 0.2)])
    assert found["acc_r"].value == pytest.approx(2 / 4)
    assert found["unparsed"].value == 2
    assert found["failed"].value == 1
    assert found["ties"].value == 0
    assert found["p_c"].value == pytest.approx(3 / 4)
    # A caption that was not read is below every foil, a foil that was not read above every caption.
    assert found["auroc"].value == pytest.approx(9 / 16)


def test_nothing_answered_is_nothing_measured() -> None:
    found = scored([("!failed", 0.1), (0.3, "!unsupported")])
    for name in ("acc_r", "acc", "p_c", "p_f", "min_pc_pf", "auroc"):
        assert found[name].value is None, name
        assert found[name].low is None
        assert found[name].reason == "no pair was answered"
    assert auroc(np.zeros(0), np.ones(3)) is None
    assert score_tables(items_of(), told({})) == []


def test_runs_without_scores_can_be_read() -> None:
    items = items_of(foil("p0"), foil("p1"))
    replies = replies_of({"p0.0": "yes", "p0.1": "no", "p1.0": "yes", "p1.1": "yes"})
    found = {score.measure: score.value for score in score_tables(items, replies, ScoreOptions(n_resamples=0))}
    assert (found["acc_r"], found["acc"]) == (0.5, 0.75)


def test_position_bias_is_how_much_likelier_a_match_is_as_a() -> None:
    found = scored([((0.8, 0.6), (0.5, 0.1)), ((0.9, 0.9), (0.2, 0.0))])
    assert found["position_bias"].value == pytest.approx((0.2 + 0.4 + 0.0 + 0.2) / 4)
    assert found["position_bias"].n == 4
    assert found["acc_r"].value == 1
    assert "position_bias" not in scored(FIVE)


class TestTogether:
    """Several tests at once: over pairs, over tests, by piece."""

    PAIRS: ClassVar[dict[str, list[tuple[float, float]]]] = {
        "a": [(0.9, 0.1), (0.8, 0.2), (0.7, 0.3), (0.4, 0.3)],
        "b": [(0.6, 0.9)],
        "c": [(0.9, 0.8), (0.1, 0.3)],
    }
    PIECES: ClassVar[dict[str, str]] = {"a": "x", "b": "y", "c": "y"}

    def tables(self) -> tuple[pa.Table, dict[str, float]]:
        probes, replies = [], {}
        for test, pairs in self.PAIRS.items():
            for number, pair in enumerate(pairs):
                name = f"{test}{number}"
                probes.append(foil(name, test=test, facets={"piece": self.PIECES[test]}, image=f"i{number}"))
                replies |= {f"{name}.0": pair[0], f"{name}.1": pair[1]}
        return items_of(*probes), replies

    def scores(self, **options: Any) -> dict[tuple[str, str | None, str], Score]:
        items, replies = self.tables()
        by_piece = all_summaries([Summary(name="all", how="pooled", facets=("piece",))])
        found = score_tables(items, told(replies), ScoreOptions(**options), summaries=by_piece)
        return {(one.group.test, one.group.value, one.measure): one for one in found}

    def test_all_counts_pairs_and_mean_counts_tests(self) -> None:
        found = self.scores()
        assert found["all", None, "acc_r"].value == pytest.approx(5 / 7)
        assert found["all", None, "pairs"].value == 7
        assert found["mean", None, "acc_r"].value == pytest.approx((1 + 0 + 0.5) / 3)
        assert found["all", "x", "acc_r"].value == 1
        assert found["all", "y", "acc_r"].value == pytest.approx(1 / 3)
        areas = [found[test, None, "auroc"].value for test in "abc"]
        assert found["mean", None, "auroc"].value == pytest.approx(
            np.mean([area for area in areas if area is not None])
        )
        assert "mean-of:3" in found["mean", None, "acc_r"].signature

    def test_the_mean_of_minima_is_no_minimum_of_means(self) -> None:
        found = self.scores()
        minima = [min(found[t, None, "p_c"].value or 0, found[t, None, "p_f"].value or 0) for t in "abc"]
        assert found["mean", None, "min_pc_pf"].value == pytest.approx(np.mean(minima))
        means = [found["mean", None, name].value or 0 for name in ("p_c", "p_f")]
        assert (found["mean", None, "min_pc_pf"].value or 0) < min(means)

    def test_means_are_compared_test_by_test(self) -> None:
        items, replies = self.tables()
        turned = {name: replies[f"{name[:-1]}{1 - int(name[-1])}"] for name in replies}
        found = compare_tables(
            items, told(turned), told(replies), settings=ScoringSettings(ScoreOptions(n_resamples=100))
        ).comparisons
        means = {one.measure: one for one in found if one.group.test == "mean"}
        assert set(means) == {"acc_r", "acc", "min_pc_pf", "auroc"}
        for name, comparison in means.items():
            assert comparison.second == pytest.approx(self.scores()["mean", None, name].value), name
            assert comparison.difference == pytest.approx((comparison.second or 0) - (comparison.first or 0))
            if name in ("acc_r", "acc"):
                assert comparison.low is not None
                assert comparison.low <= (comparison.difference or 0) <= (comparison.high or 0)
            else:
                assert (comparison.low, comparison.interval) == (None, "none")
            assert comparison.p is None
        assert means["acc_r"].first == pytest.approx(1 - (means["acc_r"].second or 0))
        assert means["auroc"].first == pytest.approx(1 - (means["auroc"].second or 0))

    def test_one_test_alone_is_not_put_together(self) -> None:
        assert not {"all", "mean"} & {one.group.test for one in scored(FIVE).values()}
        items = items_of(foil("p0", test="all"), foil("p1", test="b"))
        found = score_tables(items, told({}), ScoreOptions(n_resamples=0))
        assert {one.group.test for one in found} == {"all", "b"}

    def test_without_draws_values_are_the_same(self) -> None:
        with_draws, without = self.scores(n_resamples=200), self.scores(n_resamples=0)
        assert {key: one.value for key, one in with_draws.items()} == {key: one.value for key, one in without.items()}
        assert all(one.low is None for one in without.values())


class TestSubsets:
    """Pairs that annotators confirmed."""

    PROBES = (
        foil("p0", facets={"valid": "yes", "unanimous": "yes"}),
        foil("p1", facets={"valid": "yes", "unanimous": "no"}),
        foil("p2", facets={"valid": "no", "unanimous": "no"}),
        foil("p3"),
    )

    @pytest.mark.parametrize(("subset", "left"), [(None, 4), ("all", 4), ("valid", 3), ("unanimous", 2)])
    def test_what_is_marked_otherwise_falls_out(self, subset: Any, left: int) -> None:
        assert filter_subset(items_of(*self.PROBES), subset).num_rows == 2 * left

    def test_the_valid_ones_by_default_where_there_is_a_mark(self, tmp_path: Any) -> None:
        write(tmp_path / "marked", *self.PROBES)
        write(tmp_path / "plain", foil("p"), probe("q", "same", ["yes", "yes"], facets=[{"vague": "yes"}, {}]))
        marked, plain = tmp_path / "marked" / "items.parquet", tmp_path / "plain" / "items.parquet"
        assert [choose_subset(marked, wanted) for wanted in (None, "all", "unanimous")] == ["valid", "all", "unanimous"]
        assert [choose_subset(plain, wanted) for wanted in (None, "all")] == [None, None]
        with pytest.raises(UsageError, match="marked as valid"):
            choose_subset(plain, "valid")
        with pytest.raises(UsageError, match="unknown subset"):
            choose_subset(marked, "best")

    def test_the_signature_says_which(self) -> None:
        found = score_tables(items_of(*self.PROBES), told({}), ScoreOptions(subset="valid"))
        assert all("|subset:valid|" in one.signature for one in found)


def test_compared_runs_win_pairs_of_their_own() -> None:
    probes = [foil(f"p{number}", image=f"i{number}") for number in range(12)]
    low = told({f"p{number}.{side}": 0.5 + 0.01 * side for number in range(12) for side in (0, 1)}, "similarity")
    high = told({f"p{number}.{side}": 0.9 - 0.4 * side for number in range(12) for side in (0, 1)})
    found = {one.measure: one for one in compare_tables(items_of(*probes), low, high).comparisons}
    # The first run gives no probabilities, so what needs a threshold is not compared.
    assert set(found) == {"acc_r", "auroc"}
    assert (found["acc_r"].only_first, found["acc_r"].only_second, found["acc_r"].better) == (0, 12, "second")
    assert (found["auroc"].first, found["auroc"].second, found["auroc"].difference) == (0, 1, 1)
    same = {one.measure: one for one in compare_tables(items_of(*probes), high, high).comparisons}
    assert {one.difference for one in same.values()} == {0}
    assert {one.better for one in same.values()} == {None}


@pytest.mark.parametrize(("foils", "low", "high"), [("zebra", 0.99, 1.0), ("sound", 0.2, 0.8), ("unconfirmed", 0, 0)])
def test_a_blind_reader_finds_what_gives_foils_away(tmp_path: Path, foils: str, low: float, high: float) -> None:
    nouns = ["cat", "dog", "cow", "fox", "hen"]
    probes = []
    for number in range(120):
        texts = f"a {nouns[number % 5]}", f"a {nouns[(number // 5 + number + 1) % 5]}"
        if foils == "zebra":
            texts = texts[0], f"{texts[1]} and a zebra"
        facets = {"valid": "no" if foils == "unconfirmed" else "yes"}
        made = foil(f"p{number}", facets=facets, image=f"i{number}")
        probes.append(Probe(tuple(replace(item, text=text) for item, text in zip(made.items, texts, strict=True))))
    write(tmp_path / "suite", *probes)
    checks = blind_check(open_suite(tmp_path / "suite"))
    if foils == "unconfirmed":
        assert checks == []
        return
    (check,) = checks
    assert low <= check.accuracy <= high
    assert (check.items, check.majority, check.over_pairs) == (120, 0.5, True)


FEW = st.integers(min_value=-3, max_value=3).map(float)


@settings(deadline=None)
@given(st.lists(st.tuples(FEW, FEW), min_size=1, max_size=40))
def test_auroc_is_that_of_scikit_learn(pairs: list[tuple[float, float]]) -> None:
    captions, foils = (np.array(side) for side in zip(*pairs, strict=True))
    truth = [1] * len(captions) + [0] * len(foils)
    assert auroc(captions, foils) == pytest.approx(roc_auc_score(truth, np.concatenate([captions, foils])))


@given(
    st.lists(st.tuples(FEW, FEW, st.integers(0, 5)), min_size=1, max_size=30),
    st.lists(st.integers(0, 3), min_size=6, max_size=6),
)
def test_a_draw_weighs_pairs_as_repeating_them_would(pairs: list[tuple[float, float, int]], drawn: list[int]) -> None:
    captions, foils, cluster = (np.array(side) for side in zip(*pairs, strict=True))
    sample = Sample(np.stack([captions, foils], axis=1), cluster)
    (found,) = RocArea().resample([sample], [np.array([drawn], dtype=float)])
    times = np.array(drawn)[cluster]
    expected = auroc(np.repeat(captions, times), np.repeat(foils, times))
    assert np.isnan(found[0]) if expected is None else found[0] == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(FEW, FEW), min_size=1, max_size=15), st.randoms(use_true_random=False))
def test_ranking_keeps_to_order_alone(pairs: list[tuple[float, float]], random: Any) -> None:
    found = scored(pairs, "similarity", n_resamples=0)
    wins, ties = sum(one > two for one, two in pairs), sum(one == two for one, two in pairs)
    assert found["acc_r"].value == pytest.approx(wins / len(pairs))
    assert found["ties"].value == ties
    shuffled = random.sample(pairs, len(pairs))
    stretched = scored([(one**3 + 7, two**3 + 7) for one, two in shuffled], "similarity", n_resamples=0)
    for name in ("acc_r", "auroc", "ties"):
        assert stretched[name].value == pytest.approx(found[name].value)
    turned = scored([(two, one) for one, two in pairs], "similarity", n_resamples=0)
    assert (turned["acc_r"].value or 0) + (found["acc_r"].value or 0) == pytest.approx(1 - ties / len(pairs))
    assert (turned["auroc"].value or 0) + (found["auroc"].value or 0) == pytest.approx(1)
