"""Probabilities of words from the tokens that a server lists."""

from __future__ import annotations

from math import exp, isclose, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.data.items import YES_NO
from falter.evaluation.models.openai.calls import probability_of_first, told_apart_by_first_token, word_scores
from falter.evaluation.models.openai.completion import Position


def place(**tokens: float) -> Position:
    return Position(next(iter(tokens)), tuple((token, log(p)) for token, p in tokens.items()))


def test_case_and_spaces_are_one_word() -> None:
    position = Position("Yes", ((("Yes"), log(0.5)), (" yes", log(0.2)), ("No", log(0.1)), ("▁NO", log(0.1))))
    scores = word_scores([position], YES_NO)
    assert scores is not None
    assert isclose(exp(scores["yes"]), 0.7)
    assert isclose(exp(scores["no"]), 0.2)
    assert isclose(probability_of_first(scores, "yes", "no"), 0.7 / 0.9)


@given(st.floats(0.001, 0.6), st.floats(0.001, 0.39))
def test_the_likelier_word_scores_higher_whichever_comes_first(yes: float, no: float) -> None:
    forwards = word_scores([place(Yes=yes, No=no)], YES_NO)
    backwards = word_scores([place(No=no, Yes=yes)], YES_NO[::-1])
    assert forwards is not None
    assert forwards == backwards
    assert isclose(yes, no) or (forwards["yes"] > forwards["no"]) == (yes > no)
    p = probability_of_first(forwards, "yes", "no")
    assert isclose(p, yes / (yes + no))
    assert isclose(p + probability_of_first(forwards, "no", "yes"), 1.0)


@pytest.mark.parametrize(
    ("listed", "most"),
    [
        ({"Yes": 0.9}, 0.1),
        ({"Yes": 0.9, "Maybe": 0.09, "Yep": 0.001}, 0.001),
        ({"Yes": 0.999999}, 0.000001),
    ],
)
def test_a_word_that_is_not_listed_gets_no_more_than_it_can_have(listed: dict[str, float], most: float) -> None:
    scores = word_scores([place(**listed)], YES_NO)
    assert scores is not None
    assert exp(scores["no"]) <= most * 1.001
    assert scores["no"] > -30


def test_first_pieces_of_words_count_if_they_are_of_one_word_only() -> None:
    scores = word_scores([place(gir=0.6, el=0.3)], ("giraffe", "elephant"))
    assert scores is not None
    assert isclose(exp(scores["giraffe"]), 0.6)
    assert word_scores([place(gr=0.9)], ("gray", "green")) is None


def test_the_place_where_the_model_decides() -> None:
    answer_is = [place(The=0.97, Yes=0.01), place(answer=1.0), place(is_=1.0), place(no=0.8, yes=0.2)]
    scores = word_scores(answer_is, YES_NO)
    assert scores is not None
    assert isclose(probability_of_first(scores, "yes", "no"), 0.2)
    marked = [Position("**", (("**", log(0.99)),)), place(yes=0.7, no=0.3)]
    scores = word_scores(marked, YES_NO)
    assert scores is not None
    assert isclose(probability_of_first(scores, "yes", "no"), 0.7)


def test_what_is_thought_is_not_said() -> None:
    thought = [place(**{"<think>": 1.0}), place(yes=0.9, no=0.1)]
    assert word_scores(thought, YES_NO) is None
    for end in (["</think>"], ["</", "think", ">"]):
        closed = [*thought, *(place(**{token: 1.0}) for token in end), place(no=0.75, yes=0.25)]
        scores = word_scores(closed, YES_NO)
        assert scores is not None
        assert isclose(probability_of_first(scores, "yes", "no"), 0.25)


def test_nothing_said_is_no_score() -> None:
    assert word_scores([place(Perhaps=0.9)], YES_NO) is None
    assert word_scores([], YES_NO) is None


@pytest.mark.parametrize(
    ("choices", "apart"),
    [
        (("yes", "no"), True),
        (("left", "right"), True),
        (("red", "Red"), False),
        (("black", "blue"), False),
        (("red bus", "blue bus"), False),
        (("1", "10"), False),
        (("", "x"), False),
    ],
)
def test_when_first_tokens_tell_choices_apart(choices: tuple[str, ...], apart: bool) -> None:
    assert told_apart_by_first_token(choices) is apart
