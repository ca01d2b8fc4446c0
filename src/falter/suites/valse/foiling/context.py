"""What every instrument works with: the captions, their parses, the filters, the size and the seed.

Among them: how many tokens a caption has, by words and marks or by a tokenizer of the transformers library. The
paper's two filters of foils are: grammatical enough, and a contradiction of the caption. Makers of foils are listed
by the name of their test."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

from falter.core.errors import UsageError
from falter.core.executors import Executor, Inline
from falter.core.optional_packages import has_vocabulary, hub_arguments, import_package
from falter.core.progress import StageCallback, no_stages
from falter.data.images import Source
from falter.generation.nlp import load_wordnet
from falter.generation.nlp.entailment import EntailmentModel, TextPair, load_entailment_model
from falter.generation.nlp.grammaticality import GrammarRules, GrammaticalityModel, load_grammaticality_model
from falter.generation.nlp.parsing import ParsedText, SpacyParser, load_parser
from falter.generation.nlp.span_ranking import ScoreLog, SpanRanker, load_span_ranker
from falter.generation.sources import HasCaptions, require
from falter.suites.valse.foiling.candidates import FoilCandidate, Funnel, Skipped, SourceCaption
from falter.suites.valse.foiling.caption_words import MISSPELT, CaptionSlips


class FoilFilters:
    """Says of candidates why they are given up; applied to plurality and relations."""

    def __init__(
        self, grammaticality: GrammaticalityModel, entailment: EntailmentModel, min_grammaticality: float = 0.8
    ) -> None:
        self._grammaticality, self._entailment = grammaticality, entailment
        self._least = min_grammaticality

    def problems(self, candidates: Sequence[FoilCandidate]) -> list[str]:
        """By candidate the reason, or an empty text for one that passes both."""
        if not candidates:
            return []
        scores = self._grammaticality.score([one.foil for one in candidates])
        judged = self._entailment.judge([TextPair(one.caption, one.foil) for one in candidates])
        return [
            "the foil is not grammatical enough"
            if score < self._least
            else ("" if judgement.label == "contradiction" else f"the foil does not contradict: {judgement.label}")
            for score, judgement in zip(scores, judged, strict=True)
        ]


_WORD = re.compile(r"\w+|[^\w\s]")


class TokenCounter(Protocol):
    """Counts the tokens of a text; ``name`` says by what, for a suite's manifest."""

    name: str

    def count(self, text: str) -> int:
        """The number of tokens, without those that a model adds."""
        ...


class WordCounter:
    """Every word and every mark is a token; a tokenizer of word pieces finds at least as many.

    >>> WordCounter().count("It's a dog.")
    6
    """

    name = "words"

    def count(self, text: str) -> int:
        """The number of words and marks."""
        return sum(1 for _ in _WORD.finditer(text))


class _TransformersCounter:
    def __init__(self, tokenizer: Any, name: str) -> None:
        self.name = name
        self._tokenizer = tokenizer

    def count(self, text: str) -> int:
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])


@lru_cache(maxsize=4)
def load_token_counter(name: str) -> TokenCounter:
    """``words``, or a tokenizer of the transformers library by its folder or id, such as ``bert-large-cased``."""
    if name == "words":
        return WordCounter()
    transformers = import_package("transformers", "a tokenizer")
    own = {} if Path(name).is_dir() else hub_arguments(name)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **own)
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise UsageError(f"{name} is no tokenizer that can be loaded; words needs none ({reason})") from error
    if not has_vocabulary(tokenizer):
        raise UsageError(f"{name} has a tokenizer without a vocabulary: its tokenizer.json is missing")
    return _TransformersCounter(tokenizer, name)


T = TypeVar("T")

_AT_ONCE = 64
_CAUSAL = "smollm2"
"""The language model that needs no network."""
TOO_LONG = "the caption has too many tokens"
EMPTY = "the caption has no word"


class ParsedCaption(NamedTuple):
    """A caption with its parse."""

    caption: SourceCaption
    parsed: ParsedText


class MadeFoil(NamedTuple):
    """A candidate that was kept, with the caption that it is of."""

    caption: SourceCaption
    candidate: FoilCandidate


@dataclass(kw_only=True)
class FoilingContext:
    """What a maker of foils is given; what takes long to load is loaded when it is first asked for."""

    source: Source
    size: int | None = None
    """How many pairs are wanted; None: as many as there are."""
    seed: int = 0
    max_tokens: int = 80
    tokenizer: str = "words"
    parser_name: str = ""
    grammaticality: str = "rules"
    min_grammaticality: float = 0.8
    entailment: str = "rules"
    language_model: str = _CAUSAL
    score_cache: Path | None = None
    executor: Executor = field(default_factory=Inline)
    start_stage: StageCallback = no_stages
    note: Callable[[str, str], None] = lambda *_: None
    """Writes into the manifest which resource was used."""
    _shared: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def share(self, name: str, make: Callable[[], T]) -> T:
        """What several makers need, made by the first that asks for it."""
        if name not in self._shared:
            self._shared[name] = make()
        found: T = self._shared[name]
        return found

    @cached_property
    def parser(self) -> SpacyParser:
        """The parser of captions."""
        return load_parser(self.parser_name)

    @cached_property
    def grammaticality_model(self) -> GrammaticalityModel:
        """The judge of grammaticality."""
        judge = GrammarRules(self.parser) if self.grammaticality == "rules" else None
        found = judge or load_grammaticality_model(self.grammaticality)
        self.note("grammaticality", found.name)
        return found

    @cached_property
    def filters(self) -> FoilFilters:
        """What foils must pass."""
        entailment = load_entailment_model(self.entailment)
        self.note("entailment", entailment.name)
        return FoilFilters(self.grammaticality_model, entailment, self.min_grammaticality)

    @cached_property
    def span_ranker(self) -> SpanRanker:
        """What ranks the words that may stand in a place."""
        return self._load_ranker(self.language_model, "language_model")

    @cached_property
    def sentence_ranker(self) -> SpanRanker:
        """What ranks whole sentences: the language model, or the offline one where that is a masked model."""
        if not self.language_model.startswith("mlm:"):
            return self.span_ranker
        return self._load_ranker(_CAUSAL, "sentence_model")

    def _load_ranker(self, spec: str, name: str) -> SpanRanker:
        ranker = load_span_ranker(spec)
        self.note(name, f"{ranker.name} {ranker.fingerprint[:12]}".rstrip())
        return ranker if self.score_cache is None else ScoreLog(ranker, self.score_cache)

    @cached_property
    def token_counter(self) -> TokenCounter:
        """Counts the tokens of a caption."""
        return load_token_counter(self.tokenizer)

    @cached_property
    def captions(self) -> list[SourceCaption]:
        """The captions of the source, blanks at the ends and runs of them removed."""
        source = require(self.source, HasCaptions, "foiling captions")  # type: ignore[type-abstract]
        return [
            SourceCaption(f"{image_id}-{number}", image_id, " ".join(text.split()))
            for image_id in source.image_ids()
            for number, text in enumerate(source.captions(image_id))
        ]

    @cached_property
    def parsed_captions(self) -> list[ParsedCaption]:
        """The captions that are not too long, with their parses, in the order of the source."""
        self.note("tokenizer", self.token_counter.name)
        short = [one for one in self.captions if self._caption_problem(one) is None]
        batches = [short[start : start + _AT_ONCE] for start in range(0, len(short), _AT_ONCE)]
        progress = self.start_stage("captions parsed", len(short))
        found: list[ParsedCaption] = []
        self.note("parser", self.parser.name)
        load = partial(load_parser, self.parser_name)
        for batch, parses in zip(batches, self.executor.map(_parse, batches, state=load, chunk=1), strict=True):
            found += [ParsedCaption(caption, parsed) for caption, parsed in zip(batch, parses, strict=True)]
            progress(len(batch))
        return found

    @cached_property
    def caption_slips(self) -> CaptionSlips:
        """Finds words of captions that are probably misspelt."""
        return CaptionSlips(((one.caption.image_id, one.parsed) for one in self.parsed_captions), load_wordnet())

    def count_captions(self, funnel: Funnel) -> None:
        """Count the captions of the source, and those that are skipped before they are parsed."""
        funnel.captions = len(self.captions)
        for one in self.captions:
            problem = self._caption_problem(one)
            if problem is not None:
                funnel.skip(Skipped(problem, one.text[:200]))

    def well_written(self, funnel: Funnel, captions: Iterable[ParsedCaption]) -> Iterator[ParsedCaption]:
        """The captions without a word that is probably misspelt; the others are counted."""
        for one in captions:
            slip = self.caption_slips.find(one.parsed)
            if slip is None:
                yield one
            else:
                funnel.skip(Skipped(MISSPELT, f"{slip}: {one.caption.text}"))

    def in_random_order(self, test: str) -> list[ParsedCaption]:
        """The parsed captions in an order that the seed decides; a larger size goes on where a smaller one stopped."""
        found = list(self.parsed_captions)
        Random(f"{self.seed}|{test}|order").shuffle(found)
        return found

    def rng(self, *names: object) -> Random:
        """Random numbers for one thing, the same whatever is done before."""
        return Random("|".join(map(str, (self.seed, *names))))

    def _caption_problem(self, caption: SourceCaption) -> str | None:
        if not any(letter.isalpha() for letter in caption.text):
            return EMPTY
        # A token has at least a byte, so that short captions need not be counted.
        if len(caption.text.encode()) > self.max_tokens and self.token_counter.count(caption.text) > self.max_tokens:
            return TOO_LONG
        return None


def _parse(parser: SpacyParser, batch: Sequence[SourceCaption]) -> list[ParsedText]:
    return list(parser.parse(caption.text for caption in batch))


class FoilMaker(Protocol):
    """Makes the pairs of one instrument from a source: candidates, filters and balance."""

    test: str
    piece: str
    paper_size: int
    requires: tuple[type, ...]
    """What the source must have."""

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        """The pairs, in an order that depends on nothing but the source, the size and the seed."""
        ...


_PACKAGE = "falter.suites.valse.foiling"

FOIL_MAKERS: Mapping[str, str] = {
    "existence": "counting:EXISTENCE",
    "plurality": "plurality:PLURALITY",
    "counting-balanced": "counting:BALANCED",
    "counting-small": "counting:SMALL",
    "counting-adversarial": "counting:ADVERSARIAL",
    "relations": "relations_maker:RELATIONS",
    "action-replacement": "actions:ACTION_REPLACEMENT",
    "actant-swap": "actions:ACTANT_SWAP",
    "coreference-standard": "coreference:STANDARD",
    "coreference-clean": "coreference:CLEAN",
    "foil-it": "foil_it:FOIL_IT",
    "scene-existence": ".scene_instruments:EXISTENCE",
    "scene-plurality": ".scene_instruments:PLURALITY",
    "scene-counting-balanced": ".scene_instruments:BALANCED",
    "scene-counting-small": ".scene_instruments:SMALL",
    "scene-counting-adversarial": ".scene_instruments:ADVERSARIAL",
    "scene-relations": ".scene_instruments:RELATIONS",
    "scene-attributes": ".scene_instruments:ATTRIBUTES",
    "scene-action-replacement": ".scene_instruments:ACTION_REPLACEMENT",
    "scene-actant-swap": ".scene_instruments:ACTANT_SWAP",
    "scene-binding": ".scene_instruments:BINDING",
    "scene-negation": ".scene_instruments:NEGATION",
    "scene-comparison": ".scene_instruments:COMPARISON",
}
"""By test the module, relative to this folder, that makes its pairs, and the name in it."""


def find_maker(test: str) -> FoilMaker:
    """The maker of a test's pairs."""
    if test not in FOIL_MAKERS:
        raise UsageError(f"no foils can be made for the instrument {test!r}: there are {', '.join(FOIL_MAKERS)}")
    module, _, name = FOIL_MAKERS[test].partition(":")
    found: FoilMaker = getattr(importlib.import_module(f".{module}", _PACKAGE), name)
    return found
