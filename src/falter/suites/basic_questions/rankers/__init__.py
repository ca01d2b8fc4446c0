"""Rankers: which questions of a pool are nearest to a main question, by eight methods of the paper and two more."""

from falter.suites.basic_questions.rankers.registry import RANKERS, TOP, Ranked, Ranker, RankerSettings, make_ranker

__all__ = ["RANKERS", "TOP", "Ranked", "Ranker", "RankerSettings", "make_ranker"]
