"""Captions and foils without the image: length, language models and grammar, their gaps, and the flag above 60 %."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from falter.api.inspecting import blind_blocks
from falter.core.causal_lm import Continuation, EncodedContinuation, Loglikelihood, TooLongError
from falter.core.errors import UsageError
from falter.core.tables import Grid
from falter.data.blind_checks import BlindCheck
from falter.generation.inspection.blind import check_pairs
from falter.generation.inspection.foil_pairs import FoilPair, changed_ngrams, differ_one_way, rank_by_length
from falter.generation.inspection.ngram_baselines import split_images
from falter.generation.inspection.text_scorers import GrammarScorer, LanguageModelScorer, load_scorer

WORDS = ("bed", "cat", "dog", "hat", "map", "pen")


def made_pairs(number: int, longer: float) -> list[FoilPair]:
    """Pairs of random words; in a share of them the caption has one word more."""
    rng = Random(4)
    found = []
    for one in range(number):
        few, many = (" ".join(rng.choice(WORDS) for _ in range(size)) for size in (4, 5))
        caption, foil = (many, few) if rng.random() < longer else (few, many)
        found.append(FoilPair(caption, foil, str(one)))
    return found


class Counted:
    """A language model to which a text is the likelier, the more often it says cat; it takes at most six words."""

    name, where, fingerprint, bos_token = "counted", "here", "1", None

    def encode(self, continuation: Continuation, *, bos: bool = True) -> EncodedContinuation:
        words = continuation.text.split()
        if len(words) > 6:
            raise TooLongError("too long")
        return EncodedContinuation(tuple(int(word == "cat") for word in words), 0)

    def score_batch(self, batch: Sequence[EncodedContinuation]) -> list[Loglikelihood]:
        return [Loglikelihood(float(sum(one.tokens)), len(one.tokens)) for one in batch]

    def score(
        self, continuations: Sequence[Continuation], *, bos: bool = True, batch_size: int = 32
    ) -> list[Loglikelihood]:
        assert not bos, "the model has no such token"
        return self.score_batch([self.encode(one) for one in continuations])


def check(pairs: list[FoilPair], **gaps: list[float]) -> BlindCheck:
    return check_pairs("mine", pairs, None, {name: np.array(gap) for name, gap in gaps.items()})


def test_length_is_learned_from_other_images_and_flagged() -> None:
    biased, even = check(made_pairs(200, 0.8)), check(made_pairs(200, 0.5))
    assert biased.scorers["length"].accuracy == pytest.approx(0.8, abs=0.06)
    assert biased.flagged
    assert even.scorers["length"].accuracy < 0.6
    shorter = [FoilPair(pair.foil, pair.caption, pair.group) for pair in made_pairs(200, 0.8)]
    assert check(shorter).scorers["length"].accuracy == biased.scorers["length"].accuracy


def test_texts_of_one_length_count_half() -> None:
    pairs = [FoilPair("a red cup", "a tan cup", str(number)) for number in range(60)]
    assert rank_by_length(pairs, split_images([pair.group for pair in pairs], 3)) == 30


def test_a_language_model_prefers_by_the_mean_of_its_tokens() -> None:
    scorer = LanguageModelScorer(Counted())
    assert scorer.name == "lm:counted"
    pairs = [
        FoilPair("cat cat", "cat dog", "1"),
        FoilPair("dog", "cat dog", "2"),
        FoilPair("cat dog", "cat dog", "3"),
        FoilPair("cat " * 7, "dog", "4"),
    ]
    assert scorer.gaps(pairs).tolist() == [0.5, -0.5, 0.0, 0.0], "what cannot be scored is no reason to prefer"


def test_grammar_is_scored_text_by_text() -> None:
    class Judge:
        name = "ends"

        def score(self, texts: Sequence[str]) -> list[float]:
            return [1.0 if text.endswith(".") else 0.25 for text in texts]

    scorer = GrammarScorer(Judge())
    assert scorer.name == "grammar:ends"
    assert scorer.gaps([FoilPair("a.", "b", "1"), FoilPair("a", "b", "2")]).tolist() == [0.75, 0.0]


def test_gaps_are_told_and_the_flag_names_what_solves_the_test() -> None:
    pairs = made_pairs(100, 0.5)
    found = check(pairs, model=[1.0] * 70 + [-1.0] * 30)
    assert (found.flagged, found.solved_by) == (True, "model")
    model = found.scorers["model"]
    assert (model.accuracy, model.mean_gap, model.gap_quartiles) == (0.7, pytest.approx(0.4), (-1.0, 1.0, 1.0))
    assert model.low < 0.7 < model.high
    blocks = list(blind_blocks([found], {}))
    printed = "\n".join(one if isinstance(one, str) else _cells(one) for one in blocks)
    assert "+0.400 (-1.000 to +1.000)" in printed
    assert "told from foils by model" in printed
    assert not check(pairs, model=[1.0] * 60 + [-1.0] * 40).flagged, "60 % itself is not above"


def _cells(grid: Grid) -> str:
    return " ".join(cell.plain for column in (*grid.keys, *grid.values) for cell in column.cells)


def test_words_in_another_order_are_not_one_way() -> None:
    swapped = [FoilPair(f"a {a} sees a {b}", f"a {b} sees a {a}", a + b) for a in WORDS for b in WORDS if a != b]
    assert changed_ngrams(swapped[0]) == (set(), set())
    assert changed_ngrams(swapped[0], 2) == ({"bed sees"}, {"cat sees"})
    assert not differ_one_way(swapped)


def test_a_spec_that_scores_nothing_is_refused() -> None:
    for spec in ("gpt2", "lm:", "grammar:"):
        with pytest.raises(UsageError, match="scores no texts"):
            load_scorer(spec)
