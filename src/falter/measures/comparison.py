"""What comes of comparing two runs."""

from __future__ import annotations

from typing import Literal

import msgspec

from falter.measures.score import Group

__all__ = ["Comparison"]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of two runs over the pairs that both have kept.

    ``difference`` is the second less the first, ``low`` and ``high`` its 95 % interval (paired bootstrap over images).
    ``only_first`` and ``only_second`` count the cases that one run alone got right: pairs (ACC: questions, each once;
    set measures: probes); ``p`` is McNemar's exact p-value from them, None where the measure is no share of cases, and
    ``p_holm`` is corrected over the whole table. ``better`` names a run only if the interval excludes 0 and
    ``p_holm``, where there is one, is below 0.05.
    """

    measure: str
    group: Group
    first: float | None
    second: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    only_first: int | None = None
    only_second: int | None = None
    p: float | None = None
    p_holm: float | None = None
    better: Literal["first", "second"] | None = None
    signature: str = ""
