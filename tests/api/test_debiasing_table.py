"""What ``falter debias`` prints of tests that it leaves as they are."""

from __future__ import annotations

from falter.api.debiasing import Debiasing
from falter.generation.inspection.debias import DebiasedTest


def test_tests_that_stay_for_one_reason_share_a_line_that_fits() -> None:
    few = [DebiasedTest(test=f"test-{number}", pairs=9, kept=9, exempt="fewer than 50 pairs") for number in range(12)]
    other = DebiasedTest(test="other", pairs=90, kept=90, exempt="nothing can be balanced", not_taken=1)
    told = [one for one in Debiasing([*few, other]).blocks() if isinstance(one, str)]
    assert sum("fewer than 50 pairs" in one for one in told) == 1
    assert "left as it is: other (nothing can be balanced)" in told
    assert told[-1] == "1 further pair is not of the subset and is not in the new suite"
    assert all(len(line) <= 80 for one in told for line in one.splitlines())
