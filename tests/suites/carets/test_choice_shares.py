"""No choice is correct much more often than guessing would make it."""

from __future__ import annotations

import pytest

from falter.suites.carets.quotas import ChoiceShares


@pytest.mark.parametrize(("choices", "most"), [(("walking", "riding"), 5), (("walking", "riding", "running"), 3)])
def test_an_answer_waits_until_it_has_been_offered_often_enough(choices: tuple[str, ...], most: int) -> None:
    shares = ChoiceShares()
    asked = 0
    while shares.admits("walking", choices) and asked < 20:
        shares.add("walking", choices)
        asked += 1
    assert asked == most
    assert shares.admits("riding", choices)
    for _ in range(2):
        shares.add("riding", choices)
    assert shares.admits("walking", choices)
