"""How grammatical a text is: by rules over its parse, or by a classifier.

The rules find doubled words, wrong agreement, determiners without a noun, and their like. Their words are in
``data/words.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from falter.core.files import read_word_lists
from falter.data.word_forms import word_to_number
from falter.generation.english import default_grammar
from falter.generation.nlp.parsing import ParsedText, Parser, Token, load_parser


class GrammaticalityModel(Protocol):
    """Scores texts from 0 to 1; ``name`` says which model or which rules, for a suite's manifest."""

    name: str

    def score(self, texts: Sequence[str]) -> list[float]:
        """How grammatical each text is, in the order given; a score depends on its text alone."""
        ...


def load_grammaticality_model(spec: str) -> GrammaticalityModel:
    """``rules``, which needs a parser alone, or a CoLA classifier of the transformers library by folder or id."""
    if spec == "rules":
        return GrammarRules()
    from falter.generation.nlp.sequence_classifiers import load_cola_classifier

    return load_cola_classifier(spec)


_WORDS = read_word_lists(Path(__file__).parent / "data" / "words.yaml")
_MAY_DOUBLE = _WORDS["may_double"]
_ONE = frozenset({"a", "an", "one", "another", "this", "each", "every", "single"})
_SEVERAL = frozenset({"these", "those", "several", "many", "few", "both", "various", "multiple", "numerous"})
_SINGULAR_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}
_PLURAL_VERBS = {plural: singular for singular, plural in _SINGULAR_VERBS.items()}
_SUBJECTS = ("nsubj", "nsubjpass")
_COLLECTIVE = _WORDS["collective"]
_ARTICLES = frozenset({"a", "an", "the"})
_NEED_PREPOSITION = _WORDS["need_preposition"]
_PLACED = _WORDS["placed"]
_TAKE_TWO = _WORDS["take_two"]
_BARE = _WORDS["not_always_counted"]
_IDIOMS = _WORDS["idioms"]
_COUNTED = _WORDS["counted"]
_PARTS = _WORDS["parts"]
_COUNTING = frozenset({"group", "bunch", "pair", "herd", "flock", "pile", "number", "row", "lot"})
_VOWEL_SOUND = ("umb", "ugl", "und", "unu", "up", "ump")
_CONSONANTS = frozenset("bcdfgjklmnpqrstvwxyz")
"""Letters that no vowel sound begins with; "h" is silent at times."""
_CONSONANT_SOUND = frozenset({"one", "once"})
_BEFORE_ARTICLES = frozenset(
    {"such", "half", "many", "much", "due", "worth", "near", "like", "opposite", "unlike", "outside", "inside"}
)
_FINITE = frozenset({"is", "are", "was", "were", "has", "have"})
_JOINING = frozenset({"as", "while", "that", "if", "because", "than", "so", "though", "although", "since", "until"})
_NOUNS = ("NN", "NNS", "NNP", "NNPS")
_AFTER_DETERMINER = frozenset(
    {".", ",", ":", "IN", "VBZ", "VBP", "MD", "CC", "TO", "WDT", "WP", "PRP", "DT", "EX", "WRB"}
)


def find_errors(parsed: ParsedText) -> Iterator[str]:
    """What is wrong, an entry for each error.

    The parse of a wrong text is often wrong itself, so that rules look at neighbors first and at heads last.
    """
    words = [token for token in parsed.tokens if token.pos not in ("SPACE",)]
    if not any(token.pos in ("NOUN", "PROPN", "VERB", "AUX", "PRON", "ADJ") for token in words):
        yield "no word that says anything"
    yield from _neighbor_errors(words)
    yield from _phrase_errors(parsed)
    yield from _bare_errors(parsed)
    yield from _sequence_errors(parsed)
    yield from _clause_errors(parsed)
    yield from _joining_errors(parsed)


def _neighbor_errors(words: list[Token]) -> Iterator[str]:
    for index, (one, two) in enumerate(pairwise(words)):
        if one.lower == two.lower and one.text.isalpha() and one.lower not in _MAY_DOUBLE:
            yield f"{one.text} twice"
        if one.lower in ("a", "an", "the") and two.tag in _AFTER_DETERMINER and two.lower not in ("other", "one"):
            yield f"{one.text} without a noun"
        if one.lower in ("a", "an") and two.tag in ("NNS", "NNPS") and not _leads_on(words, index + 2):
            yield f"{one.text} before the plural {two.text}"
        if one.lemma in _NEED_PREPOSITION and one.pos == "VERB" and two.lower in _ARTICLES:
            yield f"{one.text} without a preposition"
        if one.lemma in _PLACED and one.tag in ("VBD", "VBN") and two.lower in _ARTICLES:
            yield f"{one.text} without a preposition"
        if one.lower in ("top", "front", "close") and two.lower in _ARTICLES:
            yield f"{one.text} without a preposition"
        if one.lower in ("together", "alone", "outside") and two.lower in _ARTICLES and one.tag == "RB":
            yield f"{one.text} without a preposition"
        if _is_other_verb_form(one, two):
            yield f"{one.text} {two.text}"
        if one.lower == "next" and two.lower in _ARTICLES and words[index - 1].lower not in ("the", "their", "his"):
            yield "next without a preposition"
        if one.lower in ("a", "an", "the") and two.lower in ("is", "are", "was", "were", "has", "have"):
            yield f"{one.text} without a noun"
    last = next((token for token in reversed(words) if token.pos != "PUNCT"), None)
    if last is not None and last.lower in ("a", "an", "the", "and", "or", "of", "with", "his", "her", "its", "their"):
        yield f"ends with {last.text}"


def _is_other_verb_form(auxiliary: Token, verb: Token) -> bool:
    """Whether a verb has not the form that the word before it asks for: "to rides", "is stand", "has jump"."""
    if auxiliary.tag == "TO":
        return verb.tag == "VBZ"
    if verb.pos != "VERB":
        return False
    if auxiliary.lower in ("is", "are", "was", "were"):
        return verb.tag in ("VB", "VBP", "VBZ")
    return auxiliary.lower in ("has", "have") and auxiliary.pos == "AUX" and verb.tag == "VB"


def _joining_errors(parsed: ParsedText) -> Iterator[str]:
    """Words that something is missing between: "a group trees", and a second verb that nothing joins to the first."""
    tokens = parsed.tokens
    if tokens and tokens[0].lower in ("and", "or", "of"):
        yield f"begins with {tokens[0].text}"
    for one, two in pairwise(tokens):
        if one.lower in _COUNTING and two.tag in ("NNS", "DT") and one.dep in ("compound", "det", "amod", "nsubj"):
            yield f"{one.text} before {two.text}"
        if one.tag == "JJ" and two.lower in _ARTICLES and one.lower not in _BEFORE_ARTICLES:
            yield f"{one.text} before {two.text}"
        if one.tag == "POS" and one.lower == "'s" and (two.tag in ("CC", "IN", ".", ",") or two.lower in _FINITE):
            yield f"{one.text} before {two.text}"
        if one.lower == "an" and two.text.isalpha() and two.text.islower() and two.lower[0] in _CONSONANTS:
            yield f"an before {two.text}"
        if one.lower == "of" and two.lower in ("and", "or"):
            yield f"of before {two.text}"
        starts = two.lower[:1] in "aeio" or two.lower.startswith(_VOWEL_SOUND)
        if one.lower == "a" and starts and two.text.isalpha() and two.lower not in _CONSONANT_SOUND:
            yield f"a before {two.text}"
    for index, token in enumerate(tokens):
        if index and token.lower in _FINITE and tokens[index - 1].tag in ("NN", "NNS") and _is_second(parsed, index):
            yield f"{token.text} as a second verb"


def _is_second(parsed: ParsedText, verb: int) -> bool:
    """Whether another finite verb comes before a verb, after whose object it stands without a word that joins them."""
    tokens = parsed.tokens
    earlier = [index for index in range(verb) if tokens[index].tag in ("VBZ", "VBP", "VBD")]
    if not earlier or tokens[verb - 1].dep not in ("pobj", "dobj", "attr", "nsubj", "ROOT"):
        return False
    if any(one.tag in ("WDT", "WP", "WP$") for one in tokens[: earlier[-1]]):
        # "The woman whose bag is on the chair is talking": the verb before is that of a relative clause.
        return False
    between = tokens[earlier[-1] + 1 : verb]
    return not any(
        one.lower in _JOINING or one.tag in (",", ":", "``", "CC", "WDT", "WP", "WRB", ".") for one in between
    )


def _leads_on(words: list[Token], index: int) -> bool:
    """Whether a noun follows, so that the plural before it is part of a compound."""
    return index < len(words) and words[index].tag in (*_NOUNS, "HYPH", "POS", "JJ", "VBG", "VBN")


def _phrase_errors(parsed: ParsedText) -> Iterator[str]:
    for chunk in parsed.chunks:
        head = parsed.tokens[chunk.head]
        before = parsed.tokens[chunk.start : chunk.head]
        first = before[0].lower if before else ""
        number = word_to_number(first) if first else None
        if (
            head.tag == "NNS"
            and first in _ONE
            and not any(one.tag in ("CD", "NN") or one.lower == "few" for one in before)
        ):
            # "A dog peeks": after another noun it is a verb that was taken for a plural.
            yield f"{first} before the plural {head.text}"
        if head.tag == "NN" and head.lower not in _COLLECTIVE:
            counts_few = first == "a" and len(before) == 2 and before[1].lower == "few"
            if first in _SEVERAL or counts_few:
                yield f"{first} before the singular {head.text}"
            if number is not None and number > 1 and len(before) == 1:
                yield f"{first} before the singular {head.text}"


def _bare_errors(parsed: ParsedText) -> Iterator[str]:
    """A thing that is counted, in the singular and without a determiner; a caption may begin with one."""
    ontology = default_grammar().ontology
    for chunk in parsed.chunks:
        head = parsed.tokens[chunk.head]
        before = parsed.tokens[chunk.start : chunk.head]
        previous = parsed.tokens[chunk.start - 1] if chunk.start else None
        if not head.text.islower() or head.dep not in ("pobj", "dobj", "attr") or previous is None:
            continue
        if any(one.tag in ("DT", "CD", "PRP$", "POS", "WP$", "PDT") for one in before) or previous.tag == "DT":
            continue
        after = parsed.tokens[chunk.head + 1] if chunk.head + 1 < len(parsed) else None
        if after is not None and after.tag in (*_NOUNS, "HYPH", "POS"):
            continue
        if previous.lower in ("by", "as", "like", "and", "or", "per") or head.lower in _BARE:
            continue
        if f"{previous.lower} {head.lower}" in _IDIOMS:
            continue
        if previous.lower == "of" and parsed.tokens[max(chunk.start - 2, 0)].lower not in _PARTS:
            continue
        lexeme = ontology.lexeme(head.lower)
        placed = (
            head.lower in ("side", "middle", "back", "corner", "edge") and after is not None and after.lower == "of"
        )
        if placed or head.lower in _COUNTED or (lexeme is not None and lexeme[1] == "singular"):
            yield f"{head.text} without an article"


def _sequence_errors(parsed: ParsedText) -> Iterator[str]:
    """A noun phrase right after another one, where neither a verb nor a relative clause joins them."""
    by_start = {chunk.start: chunk for chunk in parsed.chunks}
    verbs = {token.lemma for token in parsed.tokens if token.pos == "VERB"}
    for index in range(len(parsed) - 1):
        token, after = parsed.tokens[index], parsed.tokens[index + 1]
        if token.tag not in ("NN", "NNS", "NNP") or after.lower not in _ARTICLES or verbs & _TAKE_TWO:
            continue
        chunk = by_start.get(index + 1)
        head = None if chunk is None else parsed.tokens[chunk.head]
        if head is None or head.dep not in _SUBJECTS or not _is_finite(parsed, head.head):
            yield f"{token.text} before {after.text}"


def _is_finite(parsed: ParsedText, verb: int) -> bool:
    forms = (verb, *parsed.children(verb, "aux", "auxpass"))
    return any(parsed.tokens[one].tag in ("VBZ", "VBP", "VBD", "MD") for one in forms)


def _clause_errors(parsed: ParsedText) -> Iterator[str]:
    for index, token in enumerate(parsed.tokens):
        if token.dep not in _SUBJECTS:
            continue
        number = _subject_number(parsed, index)
        if number is None:
            continue
        for verb in (*parsed.children(token.head, "aux", "auxpass"), token.head):
            form = parsed.tokens[verb]
            if form.tag == "MD":
                break
            if form.lower in (_PLURAL_VERBS if number == "sg" else _SINGULAR_VERBS) or form.tag == (
                "VBP" if number == "sg" else "VBZ"
            ):
                yield f"{token.text} with {form.text}"
            if form.tag in ("VBZ", "VBP", "VBD"):
                break
    for index, token in enumerate(parsed.tokens):
        if token.tag == "VBN" and parsed.children(index, "auxpass") and token.lemma not in _TAKE_TWO:
            yield from (f"{token.text} with an object" for _ in parsed.children(index, "dobj"))
        if token.dep == "expl" and token.lower == "there":
            yield from _there_errors(parsed, token.head)


def _there_errors(parsed: ParsedText, verb: int) -> Iterator[str]:
    form = parsed.tokens[verb].lower
    for index in parsed.children(verb, "attr", "nsubj"):
        number = _subject_number(parsed, index)
        if number == "sg" and form in ("are", "were") and not parsed.children(index, "conj"):
            yield f"there {form} {parsed.tokens[index].text}"
        if number == "pl" and form in ("is", "was"):
            yield f"there {form} {parsed.tokens[index].text}"


def _subject_number(parsed: ParsedText, index: int) -> str | None:
    """The number of a subject; None where it can be either."""
    token = parsed.tokens[index]
    clause = parsed.tokens[token.head]
    if token.lower in ("that", "which", "who") and clause.dep == "relcl" and clause.head < index:
        noun = parsed.tokens[clause.head]
        near = index - clause.head == 1
        return _subject_number(parsed, clause.head) if near and noun.tag in ("NN", "NNS") else None
    if token.lower in ("he", "she", "it", "this", "that"):
        return "sg" if token.tag == "PRP" else None
    if token.lower in ("they", "we", "these", "those"):
        return "pl"
    joined = [parsed.tokens[one].lower for one in parsed.children(index, "cc")]
    if parsed.children(index, "conj"):
        return "pl" if joined == ["and"] and token.head > index and token.tag != "NNP" else None
    if token.lower in _COLLECTIVE:
        return "pl" if token.lower == "people" else None
    if token.tag == "NNS":
        return "pl"
    return "sg" if token.tag == "NN" else None


class GrammarRules:
    """1 for a text in which no rule finds an error, a half for one error, a third for two."""

    def __init__(self, parser: Parser | None = None) -> None:
        self._parser: Parser = load_parser() if parser is None else parser
        self.name = f"rules 4, {self._parser.name}"

    def score(self, texts: Sequence[str]) -> list[float]:
        """How grammatical each text is, in the order given."""
        return [1 / (1 + len(set(find_errors(parsed)))) for parsed in self._parser.parse(texts)]
