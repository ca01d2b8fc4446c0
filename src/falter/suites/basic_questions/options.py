"""The options of this suite on the command line."""

from __future__ import annotations

from falter.authoring.options import SuiteOption

__all__ = ["OPTIONS"]

OPTIONS = (
    SuiteOption(
        name="pool",
        metavar="SOURCE",
        repeated=True,
        help="Where basic questions come from; may repeat. When left out, questions of --from that are not drawn.",
    ),
    SuiteOption(name="pool-kind", metavar="general|yesno", help="All questions of the pool, or its yes/no questions."),
    SuiteOption(
        name="ranker",
        metavar="NAME",
        repeated=True,
        help="lasso (default), bleu-1 to bleu-4, rouge-l, cider, meteor, cosine, bm25; may repeat.",
    ),
    SuiteOption(
        name="encoder",
        metavar="SPEC",
        help="minilm (default), tfidf, hashing, st:ID_OR_FOLDER, or vectors:FILE: for lasso, cosine and distractors.",
    ),
    SuiteOption(name="lambda", metavar="X", help="The penalty of lasso; 1e-6 when left out."),
    SuiteOption(name="signed", flag=True, help="Let lasso have negative coefficients too."),
    SuiteOption(
        name="solver-device",
        metavar="DEVICE",
        help="Where lasso is solved: cpu (default), cuda; the ranking is the same.",
    ),
    SuiteOption(name="vectors-cache", metavar="DIR", help="Keep sentence vectors here, and take those already there."),
    SuiteOption(
        name="ranking-cache", metavar="DIR", help="Keep lasso's rankings here as they come, and go on from those there."
    ),
    SuiteOption(
        name="keep-duplicates", flag=True, help="Leave repeated and main questions in the pool, to see what that does."
    ),
    SuiteOption(name="ranking", metavar="FILE", help="Take basic questions from a ranked data set instead of a pool."),
    SuiteOption(
        name="place", metavar="after|before|around|chat", help="Where the basic questions stand; after when left out."
    ),
    SuiteOption(name="max-words", metavar="N", help="Leave out variants of more words; the paper means 26."),
    SuiteOption(
        name="similarity",
        metavar="LO:HI",
        repeated=True,
        help="A band of cosines for the test distractors; may repeat. Four bands from 0.2 to 1 when left out.",
    ),
    SuiteOption(
        name="thresholds",
        metavar="S1,S2,S3|auto",
        help="For vqabq: 0.60,0.58,0.41 as in the paper when left out; auto takes them from these rankings.",
    ),
)
