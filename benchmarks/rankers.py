"""Rankers that count words against the libraries they agree with, in the same run.

    python benchmarks/rankers.py [--pool N] [--queries N] [--short]

The questions are made up from a vocabulary with the frequencies of real ones: common words are in much of the pool. A
library scores one pair at a time; it is asked for a part of the pool, and its time is scaled to the whole. Times are
processor time a main question. Scores of that part are compared on the way.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from random import Random
from time import process_time
from typing import Any

from _short_form import parse_options

from falter.generation.nlp import load_wordnet
from falter.suites.basic_questions.rankers import RankerSettings, make_ranker
from falter.suites.basic_questions.rankers.word_rankers import tokenize

PART = 400
STARTS = ("what is the", "what color is the", "is the", "how many", "is there a", "are the", "where is the", "what")


def made_up(number: int) -> list[str]:
    """Questions of four to ten words, the rare ones by Zipf's law."""
    rng = Random(0)
    vocabulary = [f"{first}{second}{third}" for first in "bcdfgl" for second in "aeiou" for third in "mnrstdkp"]
    weights = [1 / (place + 1) for place in range(len(vocabulary))]
    return [
        f"{rng.choice(STARTS)} {' '.join(rng.choices(vocabulary, weights, k=rng.randint(1, 6)))}?"
        for _ in range(number)
    ]


def libraries() -> dict[str, Callable[[str, str], float]]:
    """By ranker the library's score of a question against a main one."""
    from nltk.translate.meteor_score import single_meteor_score
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics import BLEU

    bleu = BLEU(max_ngram_order=4, effective_order=True, tokenize="none", force=True)
    rouge: Any = RougeScorer(["rougeL"])
    reader = load_wordnet()._reader

    return {
        "bleu-4": lambda main, text: bleu.sentence_score(joined(text), [joined(main)]).score / 100,
        "rouge-l": lambda main, text: float(rouge.score(main, text)["rougeL"].fmeasure),
        "meteor": lambda main, text: float(single_meteor_score(tokenize(main), tokenize(text), wordnet=reader)),
    }


def joined(text: str) -> str:
    return " ".join(tokenize(text))


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pool", type=int, default=30_000)
    parser.add_argument("--queries", type=int, default=20)
    chosen = parse_options(parser, given, pool=60, queries=2)
    questions = made_up(chosen.pool + chosen.queries)
    pool, queries = questions[chosen.queries :], questions[: chosen.queries]
    print(f"{chosen.pool:,} questions in the pool, {chosen.queries} main ones; ms of processor time a main question")
    print(f"{'ranker':10}{'here':>10}{'library':>12}{'ratio':>8}")
    scorers = libraries()
    for name in ("bleu-1", "bleu-4", "rouge-l", "cider", "meteor", "bm25"):
        ranker: Any = make_ranker(name, RankerSettings())
        ranker.fit(pool)
        begin = process_time()
        for _ in ranker.rank(queries):
            pass
        own = (process_time() - begin) / len(queries)
        if name not in scorers:
            print(f"{name:10}{1000 * own:10.2f}")
            continue
        begin = process_time()
        scored = pool[:PART]
        expected = [scorers[name](queries[0], text) for text in scored]
        theirs = (process_time() - begin) * len(pool) / len(scored)
        ours = (
            [ranker.score(tokenize(queries[0]), tokenize(text)) for text in scored]
            if name == "meteor"
            else ranker.scores(queries[0])[:PART]
        )
        assert max(abs(one - two) for one, two in zip(ours, expected, strict=True)) < 1e-9, name
        print(f"{name:10}{1000 * own:10.2f}{1000 * theirs:12.1f}{theirs / own:8.0f}")


if __name__ == "__main__":
    main()
