"""Statements: a question turned into one statement per choice.

The templates parse a question; its meaning, with a choice, is rendered as a statement: "Is there a red car?" as
"There is a red car." and "There is no red car.", "Is the car red or blue?" as "The car is red." and "The car is blue."

Other wordings of questions that templates parse are rewritten to the wording of the templates first, as far as that
leaves the meaning as it is: where the picture is named, a list's commas, "what kind of color" for "what color".
Questions are made and audited without it; it serves those who must make something of questions from elsewhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from falter.core.errors import InputError
from falter.core.files import read_yaml, sha256_of_bytes
from falter.data.items import YES_NO
from falter.data.word_forms import word_to_number
from falter.generation.english.grammar import DATA, GRAMMAR_FOLDERS, Grammar, default_grammar
from falter.generation.english.semantics import FORMS, MeaningError, parse_meaning
from falter.generation.english.slots import TemplateError
from falter.generation.english.templates import Template
from falter.generation.english.words import article, join_list
from falter.generation.scene import (
    And,
    Choose,
    Count,
    CountIs,
    HasAttribute,
    IsKind,
    Not,
    Number,
    ObjectDescription,
    Or,
    Query,
)

if TYPE_CHECKING:
    from falter.generation.scene.query import AnyQuery

_FAMILY = "color|material|pattern|size|length|shape|flavor|sport|activity"
_DOING = "action|activity|pose|sport"
_KIND_OF = "(?:(?:kind|type|sort)s? of )?"


def _rule(pattern: str, instead: str) -> tuple[re.Pattern[str], str]:
    return re.compile(pattern, re.IGNORECASE), instead


_PLAIN = (
    # Every question is about the image.
    _rule(r"(?: anywhere)? in (?:the|this) (?:photo|photograph|picture|image|scene)\b", ""),
    _rule(r"^(?:in|looking at) (?:the|this) (?:photo|photograph|picture|image|scene), ", ""),
    _rule(r" (?:anywhere|here)\?$", "?"),
    _rule(r"^what's ", "What is "),
    _rule(rf"\b{_KIND_OF}({_FAMILY})\b", r"\1"),
    _rule(rf"^(?:what|which) {_KIND_OF}(?:{_DOING}) (is|are) ", r"What \1 "),
    _rule(rf"^what would you call the {_KIND_OF}(?:{_DOING}) that (.+?) (is|are) doing,", r"What \2 \1 doing,"),
    _rule(
        rf"^(?:do you think|would you say)(?: that)? the {_KIND_OF}(?:{_DOING}) (the .+?) (is|are) doing is ",
        r"What \2 \1 doing, ",
    ),
    _rule(rf"^(?:do you think|would you say)(?: that)? the ({_FAMILY}) of ", r"Would you say the \1 of "),
    _rule(rf"^(?:what|which) ({_FAMILY}) do you think the ", r"What \1 would you say the "),
    _rule(
        r"^(?:what|which) (?:(?:kind|type|sort) of )?(\w+(?: \w+)?) (?:do you see(?: is)?|is) (.+?), (an? .+)$",
        r"What is the \1 \2, \3",
    ),
    _rule(r"^does it (?:look like|seem that|seem like) (?=the )", "Would you say that "),
    _rule(r" (?:that|who|which) (?:is|are) ", " "),
    # Both before "any" and in a list, the word that only some need is left out.
    _rule(r"\b(both|and|or|either) any ", r"\1 "),
    _rule(r"  +", " "),
)
_LAST_OR = re.compile(r",? or (?!.* or )")
_THAT = re.compile(r"\b(think|say)( that)?(?= (?:the|there)\b)", re.IGNORECASE)


def canonical_forms(question: str) -> Iterator[str]:
    """Equivalent wordings of a question, the most likely to be parsed first; the question itself is not among them.

    >>> list(canonical_forms("Do you think the window in this photo is open?"))
    ['Do you think the window is open?', 'Do you think that the window is open?']
    >>> list(canonical_forms("What kind of color is the car, red, blue or green?"))[1]
    'What color is the car, red, blue, or green?'
    """
    plain = question
    for pattern, instead in _PLAIN:
        plain = pattern.sub(instead, plain)
    plain = plain[:1].upper() + plain[1:]
    lists = [plain]
    if _LAST_OR.search(plain):
        lists += [_LAST_OR.sub(", or ", plain, count=1), _LAST_OR.sub(" or ", plain, count=1)]
    seen = {question}
    for text in lists:
        for other in (text, _THAT.sub(_other_that, text)):
            if other not in seen:
                seen.add(other)
                yield other


def _other_that(found: re.Match[str]) -> str:
    return found[1] if found[2] else f"{found[1]} that"


_PHRASE = re.compile(r"\{(a|any|the|no|bare) (\w+)\}")
_ARTICLE = re.compile(r"^(?:an?|the) ")


class _Line(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    means: str
    says: str
    family: str | None = None
    after: bool | None = None


class Statements:
    """Writes statements from the meanings that a grammar parses."""

    def __init__(self, grammar: Grammar, folders: Iterable[Path]) -> None:
        self._grammar = grammar
        self._lines: list[tuple[ast.expr, _Line]] = []
        for folder in folders:
            for path in sorted(folder.glob("statements*.yaml")):
                self._lines += _read(path)
        self._templates: dict[tuple[str, tuple[str, ...]], Template] = {}

    @cached_property
    def fingerprint(self) -> str:
        """Changes with any line, and with any template that parses questions."""
        lines = [msgspec.json.encode(line) for _, line in self._lines]
        read = [f"{template.id}\t{template.text}\t{template.means}".encode() for template in self._grammar.templates]
        return sha256_of_bytes(b"\n".join([*lines, *read]))

    def render(self, query: Query) -> str | None:
        """The statement that a query is true, or None where no line says it."""
        query = _in_number(query)
        for pattern, line in self._lines:
            slots = self._bound(pattern, query)
            if slots is not None and self._fits(line, slots):
                try:
                    return self._template(line, slots).render(slots)
                except TemplateError:
                    continue
        return None

    def for_question(self, text: str, choices: Sequence[str] | None = None) -> dict[str, str] | None:
        """A statement for each choice of a question; None where no template reads it, or readings say different things.

        Without choices, a question that is read says itself what may be answered. Choices that it does not name
        ("What color is the car?") are put to it first, and other wordings (``statements.yaml``) are
        tried.
        """
        question = _tidy_question(text)
        tried = (question, *canonical_forms(question), *(_with_choices(question, choices) if choices else ()))
        found = next((read for one in tried if (read := list(self._found(one, choices)))), [])
        # Readings that differ in meaning alone ("a man near a dog with a hat") are said with the same words.
        return found[0] if found and all(other == found[0] for other in found) else None

    def _found(self, question: str, choices: Sequence[str] | None) -> Iterator[dict[str, str]]:
        for meaning in self._grammar.parse(question):
            said = self._choice_statements(meaning, choices)
            if said is not None and len(set(said.values())) == len(said) > 1:
                yield said

    def _choice_statements(self, meaning: Query, choices: Sequence[str] | None) -> dict[str, str] | None:
        match meaning:
            case Choose(options):
                by_name = {option.answer: option.when for option in options}
                wanted = {choice: self._query_by_name(choice, by_name) for choice in choices or by_name}
            case Count(of):
                wanted = {choice: _count_query(of, choice) for choice in choices or ()}
            case _:
                by_answer: dict[str, Query] = {"yes": meaning, "no": negate_query(meaning)}
                wanted = {choice: by_answer.get(choice.lower()) for choice in choices or YES_NO}
        said = {choice: None if query is None else self.render(query) for choice, query in wanted.items()}
        whole = {choice: statement for choice, statement in said.items() if statement is not None}
        return whole if len(whole) == len(said) else None

    def _query_by_name(self, choice: str, by_name: Mapping[str, Query]) -> Query | None:
        """What a choice stands for, also by another name of a kind ("bike") and with an article."""
        word = _ARTICLE.sub("", choice.strip().lower())
        lexeme = self._grammar.ontology.lexeme(word)
        return by_name.get(word) or (by_name.get(lexeme[0]) if lexeme is not None else None)

    def _bound(self, pattern: ast.expr, query: Query) -> dict[str, Any] | None:
        slots: dict[str, Any] = {}
        return slots if self._bind(pattern, query, slots) else None

    def _bind(self, pattern: ast.expr, value: Any, slots: dict[str, Any]) -> bool:
        match pattern:
            case ast.Constant(value=constant):
                return bool(constant == value)
            case ast.Name(id=name):
                return bool(slots.setdefault(name, value) == value)
            case ast.Call(func=ast.Name(id=form), args=arguments) if type(value).__name__ == form:
                given = value.of if isinstance(value, And | Or) else _fields(value, len(arguments))
                if given is None or len(given) != len(arguments):
                    return False
                bound = all(self._bind(argument, part, slots) for argument, part in zip(arguments, given, strict=True))
                return bound and self._with_more(arguments, value, slots)
        return False

    def _with_more(self, arguments: list[ast.expr], value: Query, slots: dict[str, Any]) -> bool:
        """Add what a line may say besides what the query holds."""
        match value, arguments:
            case IsKind(of, kind), [_, ast.Name(id=name)]:
                slots[name] = ObjectDescription(kind, number=self._number(kind, of.number))
            case HasAttribute(of, word), _:
                slots["same"] = ObjectDescription(of.kind, (word,), number=of.number)
                slots["f"] = self._family(word)
        return True

    def _number(self, kind: str, number: Number) -> Number:
        own = self._grammar.ontology.grammatical_number(kind)
        return number if own == "singular" and number == "plural" else own

    def _family(self, word: str) -> str | None:
        """A family of the word that has a name."""
        ontology = self._grammar.ontology
        for family in ontology.attributes.families_by_value.get(word, ()):
            if ontology.families[family].label is not None:
                return family
        return None

    def _fits(self, line: _Line, slots: Mapping[str, Any]) -> bool:
        words = self._grammar.ontology.attributes
        word = slots.get("p")
        if line.family is not None and line.family not in words.families_by_value.get(word or "", ()):
            return False
        if line.after is not None and words.is_predicative(word or "") != line.after:
            return False
        return not ("{family f}" in line.says and slots.get("f") is None)

    def _template(self, line: _Line, slots: Mapping[str, Any]) -> Template:
        """The line's template, with every thing that has a relation written with it."""
        related = tuple(
            name for name, value in slots.items() if isinstance(value, ObjectDescription) and value.relation is not None
        )
        key = (line.says, related)
        if key not in self._templates:
            text = _PHRASE.sub(
                lambda found: f"{{{found[1]} {found[2]}{' related' if found[2] in related else ''}}}", line.says
            )
            self._templates[key] = Template(
                id=line.means, type="statement", text=text, means=line.means, phrases=self._grammar.phrases
            )
        return self._templates[key]


def negate_query(query: Query) -> Query:
    """The opposite of a query, with "not" as far inside as it goes: what is said of one thing is denied of one."""
    match query:
        case Not(of):
            return of
        case And(parts):
            return Or(tuple(cast("AnyQuery", negate_query(part)) for part in parts))
        case Or(parts):
            return And(tuple(cast("AnyQuery", negate_query(part)) for part in parts))
    return Not(cast("AnyQuery", query))


def _in_number(query: Query) -> Query:
    """A count with its noun in the number that it takes: one dog, two dogs, no dogs."""
    match query:
        case Not(of):
            return Not(cast("AnyQuery", _in_number(of)))
        case CountIs(of, number, how) if of.number != "mass":
            right: Number = "singular" if number == 1 else "plural"
            return CountIs(msgspec.structs.replace(of, number=right), number, how)
    return query


def _fields(value: Query, wanted: int) -> tuple[Any, ...] | None:
    """The fields of a query in order; those that a pattern leaves out must be as they are by default."""
    fields = msgspec.structs.fields(value)
    if any(getattr(value, field.name) != field.default for field in fields[wanted:]):
        return None
    return tuple(getattr(value, field.name) for field in fields[:wanted])


def _count_query(of: ObjectDescription, choice: str) -> Query | None:
    number = word_to_number(choice.strip())
    return None if number is None else CountIs(of, number)


def _tidy_question(text: str) -> str:
    """Normalize spaces, and end the question with one question mark."""
    return f"{' '.join(text.split()).rstrip('?.! ')}?"


def _with_choices(question: str, choices: Sequence[str]) -> Iterator[str]:
    """The question with its choices named, as they are and as things: ", red or blue?", ", a car or a truck?"."""
    words = [_ARTICLE.sub("", choice.strip().lower()) for choice in choices]
    stem = question.removesuffix("?")
    yield f"{stem}, {join_list(words)}?"
    yield f"{stem}, {join_list([f'{article(word)} {word}' for word in words])}?"


def _read(path: Path) -> list[tuple[ast.expr, _Line]]:
    lines = read_yaml(path, list[_Line], what="a file of statements", hint="a list of means and says")
    found = []
    for line in lines:
        try:
            pattern = parse_meaning(line.means)
            _check(pattern)
        except MeaningError as error:
            raise InputError(path, str(error), record=line.says, hint="write it as templates write meanings") from error
        found.append((pattern, line))
    return found


def _check(pattern: ast.expr) -> None:
    match pattern:
        case ast.Name() | ast.Constant():
            return
        case ast.Call(func=ast.Name(id=form), args=arguments, keywords=[]) if form in FORMS:
            for argument in arguments:
                _check(argument)
            return
    raise MeaningError(f"cannot understand {ast.unparse(pattern)!r} in a meaning")


@lru_cache(maxsize=8)
def statements(*extra: Path) -> Statements:
    """Statements with the data of Falter, of installed packages and of further folders; the user's lines come first."""
    outside = [GRAMMAR_FOLDERS.get(name) for name in GRAMMAR_FOLDERS.names()]
    return Statements(default_grammar(*extra), [*extra, *outside, DATA])
