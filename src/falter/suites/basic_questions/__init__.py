"""Basic questions: noise of known strength from a pool of questions ranked by likeness (Huang et al., 2022).

Nothing is imported here, so that the options of the suite can be read without its solver. See ``maker`` for the suite,
``rankers`` for the rankings, ``lasso`` for the solver.
"""
