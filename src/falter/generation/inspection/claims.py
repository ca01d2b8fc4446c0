"""What a question claims: the kinds, attributes and relations that make its answer yes, and what it takes for given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from falter.generation.cooccurrence import MentionFinder, Mentions
from falter.generation.english import Ontology
from falter.generation.scene import Query, query_from_json
from falter.generation.scene.graph import ObjectDescription
from falter.generation.scene.query import And, Choose, CountIs, Exists, HasAttribute, IsKind, Not, Or, RelationHolds

_FORMS = {"both": "And", "either": "Or", "or": "Or"}
"""Words by which the form of a question is told that has no query."""


class Claims(NamedTuple):
    """What is claimed of an image, in the words of the ontology."""

    kinds: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    """A kind and the value that it is said to have."""
    relations: tuple[tuple[str, str, str], ...] = ()
    given: tuple[str, ...] = ()
    """Kinds that are named without being claimed, as in "the cup"."""
    denied: bool = False
    form: str = ""
    """Questions of different forms are not compared with one another: one object, both, either, an attribute ..."""

    @property
    def named(self) -> frozenset[str]:
        """Every kind that is named."""
        inside = (kind for first, _, second in self.relations for kind in (first, second))
        return frozenset((*self.kinds, *self.given, *(kind for kind, _ in self.attributes), *inside))

    def __bool__(self) -> bool:
        return bool(self.kinds or self.attributes or self.relations)

    def join(self, other: Claims) -> Claims:
        """Both together; the form and the denial are those of the first."""
        return self._replace(
            kinds=self.kinds + other.kinds,
            attributes=self.attributes + other.attributes,
            relations=self.relations + other.relations,
            given=self.given + other.given,
        )


class ClaimReader:
    """Reads claims from the meaning of an item where it has one, and finds mentions in its text otherwise."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._finder: MentionFinder | None = None

    def of_yes_no(self, text: str, meaning: str | None) -> Claims:
        """What is the case if the answer is yes."""
        query = _query(meaning)
        if query is not None:
            return _claims(query)
        words = text.lower().split()
        form = next((form for word, form in _FORMS.items() if word in words), "")
        return _claims_from_mentions(self._find(text))._replace(form=form)

    def of_options(self, text: str, options: Sequence[str], meaning: str | None) -> list[Claims]:
        """What is the case if an option is correct, for each of them."""
        query = _query(meaning)
        if isinstance(query, Choose):
            found = {option.answer: _claims(option.when) for option in query.options}
            if all(option in found for option in options):
                return [found[option] for option in options]
        said = self._find(text)
        return [self._of_option(option, options, said) for option in options]

    def of_texts(self, texts: Sequence[str]) -> list[Claims]:
        """What each of several texts about one image claims that the others do not, given what they share."""
        found = [self._find(text) for text in texts]
        shared = Mentions(
            frozenset.intersection(*(one.kinds for one in found)),
            frozenset.intersection(*(one.attributes for one in found)),
            frozenset.intersection(*(one.relations for one in found)),
        )
        return [
            Claims(
                tuple(sorted(one.kinds - shared.kinds)),
                tuple(sorted(one.attributes - shared.attributes)),
                tuple(sorted(one.relations - shared.relations)),
                tuple(sorted(shared.kinds)),
            )
            for one in found
        ]

    def _of_option(self, option: str, options: Iterable[str], said: Mentions) -> Claims:
        """An option that names a kind is one that is there; a value is one of the kinds that the question names."""
        offered = {lexeme[0] for one in options if (lexeme := self._ontology.lexeme(one.lower())) is not None}
        others = tuple(sorted(said.kinds - offered))
        lexeme = self._ontology.lexeme(option.lower())
        if lexeme is not None:
            return Claims(kinds=(lexeme[0],), given=others)
        value = option.lower()
        if value in self._ontology.family_by_value:
            bearers = [kind for kind in others if self._ontology.applies_to(value, kind)] or others
            return Claims(attributes=tuple((kind, value) for kind in bearers), given=others)
        mentions = self._find(option)
        return _claims_from_mentions(mentions)._replace(given=others)

    def _find(self, text: str) -> Mentions:
        if self._finder is None:
            self._finder = MentionFinder(self._ontology)
        return self._finder.find(text)


def _query(meaning: str | None) -> Query | None:
    try:
        return None if meaning is None else query_from_json(meaning)
    except msgspec.MsgspecError:
        return None


def _claims(query: Query) -> Claims:
    match query:
        case Not(of):
            found = _claims(of)
            return found._replace(denied=not found.denied)
        case And(parts) | Or(parts):
            whole = Claims(form=type(query).__name__)
            for part in parts:
                whole = whole.join(_claims(part))
            return whole
        case Exists(of) | CountIs(of):
            return _described(of, claimed=True)._replace(form=_form(type(query).__name__, of))
        case HasAttribute(of, value):
            return Claims(attributes=((of.kind, value),), form="HasAttribute").join(_described(of, claimed=False))
        case IsKind(of, kind):
            return Claims(kinds=(kind,), form="IsKind").join(_described(of, claimed=False))
        case RelationHolds(of, relation, to):
            return (
                Claims(relations=((of.kind, relation, to.kind),), form="RelationHolds")
                .join(_described(of, claimed=False))
                .join(_described(to, claimed=False))
            )
    return Claims(form=type(query).__name__)


def _form(name: str, of: ObjectDescription) -> str:
    return name + ("" if of.relation is None else " related") + (" with attribute" if of.attributes else "")


def _described(of: ObjectDescription, *, claimed: bool) -> Claims:
    """What a description claims, or takes for given."""
    if not claimed:
        given = Claims(given=(of.kind,))
        return given if of.relation is None else given.join(_described(of.relation.to, claimed=False))
    found = Claims(kinds=(of.kind,), attributes=tuple((of.kind, value) for value in of.attributes))
    if of.relation is None:
        return found
    to = of.relation.to
    triple = (of.kind, of.relation.name, to.kind)
    found = found._replace(relations=(triple[::-1] if of.relation.inverse else triple,))
    return found.join(_described(to, claimed=not to.definite))


def _claims_from_mentions(mentions: Mentions) -> Claims:
    return Claims(tuple(sorted(mentions.kinds)), tuple(sorted(mentions.attributes)), tuple(sorted(mentions.relations)))
