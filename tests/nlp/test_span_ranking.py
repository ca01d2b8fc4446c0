"""Words ranked for a place in a sentence: by whole sentences, by masks, and from a log of scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from falter.core.causal_lm import Continuation, load_causal_lm
from falter.core.errors import InputError, UsageError
from falter.generation.nlp.span_ranking import AskedSpans, Gap, ScoreLog, load_masked_ranker, load_span_ranker
from tests.models.lm.checkpoints import gpt2
from tests.models.tiny.words import wordpiece

GAP = Gap("There are two cats ", " a big white tree.")


class Counting:
    """A ranker that scores by length and counts how often it is asked."""

    name, fingerprint = "counting", "f"

    def __init__(self) -> None:
        self.asked = 0

    def score(self, gap: Gap, spans: Sequence[str]) -> list[float]:
        self.asked += 1
        return [-len(gap.fill(span)) / 3 for span in spans]

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        return [self.score(one.gap, one.spans) for one in asked]

    def proposes(self, gap: Gap, spans: Sequence[str]) -> list[bool]:
        return [gap.fill(span) != gap.fill("in") for span in spans]


def test_a_log_answers_what_was_asked_before(tmp_path: Path) -> None:
    first = Counting()
    found = ScoreLog(first, tmp_path).score(GAP, ["on", "under"])
    again = Counting()
    log = ScoreLog(again, tmp_path)
    assert log.score(GAP, ["on", "under"]) == found
    assert again.asked == 0
    log.score(GAP, ["under", "on"])
    assert (first.asked, again.asked) == (1, 1)
    both = log.score_many([AskedSpans(GAP, ("on", "under")), AskedSpans(GAP, ("by",))])
    assert both == [found, again.score(GAP, ["by"])]
    assert log.proposes(GAP, ["on", "in"]) == [True, False]


def test_a_line_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    ScoreLog(Counting(), tmp_path).score(GAP, ["on"])
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes() + b'{"key": "ab')
    again = Counting()
    log = ScoreLog(again, tmp_path)
    log.score(GAP, ["on"])
    log.score(GAP, ["in"])
    assert again.asked == 1
    assert len(path.read_bytes().splitlines()) == 2
    path.write_bytes(b"no json\n")
    with pytest.raises(InputError, match="not a line of a log of scores"):
        ScoreLog(again, tmp_path)


def test_whole_sentences_are_scored(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = gpt2(tmp_path / "gpt2")
    ranker = load_span_ranker(str(folder))
    texts = [Continuation(GAP.fill(span)) for span in ("on", "under", "out of")]
    expected = [one.total for one in load_causal_lm(str(folder)).score(texts)]
    assert ranker.score(GAP, ["on", "under", "out of"]) == pytest.approx(expected, abs=6e-4)
    asked = [
        AskedSpans(GAP, ("on", "under")),
        AskedSpans(Gap("A cat ", " a mat."), ("on",)),
        AskedSpans(GAP, ("out of",)),
    ]
    one, _, three = ranker.score_many(asked)
    assert [*one, *three] == pytest.approx(expected, abs=6e-4)
    assert ranker.proposes(GAP, ["on", "xx"]) == [True, True]
    assert load_span_ranker("none").score_many(asked) == [[0.0, 0.0], [0.0], [0.0]]


def test_masks_are_filled(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from transformers import BertConfig, BertForMaskedLM

    words = wordpiece()
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    BertForMaskedLM(config).save_pretrained(tmp_path)
    words.save_pretrained(tmp_path)
    ranker = load_masked_ranker(str(tmp_path))
    under, left, odd = ranker.score(GAP, ["under", "left of", "犬"])
    assert left < under < 0
    assert odd == float("-inf")
    best = ranker.top(GAP, 1, k=3)
    assert ranker.score(GAP, best[:1])[0] >= under
    assert len(ranker.top(GAP, 2, k=10)) == 10
    # What is proposed is among the ten best of as many tokens, in spans of one to three.
    three = ranker.top(GAP, 3)
    assert ranker.proposes(GAP, [*ranker.top(GAP, 1)[:2], *three, "犬 犬"]) == [*[True] * (2 + len(three)), False]
    assert ranker.score_many([AskedSpans(GAP, ("under", "left of"))]) == [[under, left]]


def test_what_is_no_masked_model(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with pytest.raises(UsageError, match="no masked language model"):
        load_span_ranker(f"mlm:{tmp_path}")
