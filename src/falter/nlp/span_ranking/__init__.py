"""Words for a place in a sentence, ranked by a language model in context."""

from falter.nlp.span_ranking.protocol import AskedSpans, Gap, SpanRanker, load_span_ranker
from falter.nlp.span_ranking.score_log import ScoreLog

__all__ = [
    "AskedSpans",
    "CausalSpanRanker",
    "Gap",
    "MaskedSpanRanker",
    "ScoreLog",
    "SpanRanker",
    "load_masked_ranker",
    "load_span_ranker",
]
