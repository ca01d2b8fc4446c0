"""The grammar: ontology, noun phrases and templates together; it renders sentences and parses them to queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.core.errors import InputError
from falter.core.files import read_yaml
from falter.core.registry import Registry
from falter.generation.english.noun_phrases import NounPhrases
from falter.generation.english.ontology import Ontology, load_ontology
from falter.generation.english.slots import TemplateError, expand_alternatives
from falter.generation.english.template_parser import Needs
from falter.generation.english.templates import Parse, Template
from falter.generation.scene import ObjectDescription, Query

DATA = Path(__file__).parent / "data"

GRAMMAR_FOLDERS: Registry[Path] = Registry("folder of grammar data", "falter.grammar")
"""Folders of YAML that other packages add: ontology files, and templates in a subfolder ``templates``."""


class _Line(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    id: str
    text: str
    negated: str | None = None
    means: str | None = None
    example: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    type: str
    means: str
    negated: str | None = None
    templates: list[_Line]


class Grammar:
    """The ontology, its noun phrases and every template: renders and parses questions."""

    def __init__(self, ontology: Ontology, folders: Iterable[Path], subfolder: str = "templates") -> None:
        self.ontology = ontology
        self.phrases = NounPhrases(ontology)
        self.templates: list[Template] = []
        self.folders = tuple(folders)
        for folder in self.folders:
            for path in sorted((folder / subfolder).glob("*.yaml")):
                self.templates.extend(self._read_file(path))
        self._by_id = {template.id: template for template in self.templates}
        self._of: dict[tuple[str, str, str | None], tuple[Template, ...]] = {}
        self._beginnings = _by_beginning(self.templates)

    def _read_file(self, path: Path) -> list[Template]:
        file = read_yaml(path, _File, what="a file of templates", hint="see the page on templates")
        templates: list[Template] = []
        for line in file.templates:
            name = f"{file.type}.{line.id}"
            first, *others = expand_alternatives(line.text)
            plain = Template(
                id=name,
                type=file.type,
                text=first,
                means=line.means or file.means,
                example=line.example,
                phrases=self.phrases,
            )
            templates.append(plain)
            templates += [
                msgspec.structs.replace(plain, id=f"{name}/{number}", text=other, example="")
                for number, other in enumerate(others, start=2)
            ]
            if line.negated is not None:
                if file.negated is None:
                    raise InputError(path, "has a negated text, but the file has no negated meaning", record=line.id)
                twin = {"id": f"{name}.negated", "text": line.negated, "means": file.negated, "example": ""}
                templates.append(msgspec.structs.replace(plain, **twin, polarity="negated"))
        known = {template.id for template in self.templates}
        for template in templates:
            if template.id in known:
                raise InputError(path, "has the id of another template", record=template.id, hint="rename it")
            known.add(template.id)
            try:
                template.check()
            except TemplateError as error:
                raise InputError(path, str(error), record=template.id, hint="see the page on templates") from error
        return templates

    def template(self, name: str) -> Template:
        """A template by its id."""
        return self._by_id[name]

    @property
    def template_ids(self) -> Set[str]:
        """The ids of all templates."""
        return self._by_id.keys()

    def templates_for(self, kind: str, polarity: str = "plain", form: str | None = None) -> Sequence[Template]:
        """The templates of a question type, in file order."""
        key = (kind, polarity, form)
        known = self._of.get(key)
        if known is None:
            known = self._of[key] = tuple(
                template
                for template in self.templates
                if template.type == kind and template.polarity == polarity and form in (None, template.form)
            )
        return known

    def negated_template(self, template: Template) -> Template | None:
        """The template of the negated question."""
        return self._by_id.get(f"{template.id}.negated")

    def parses(self, text: str) -> list[Parse]:
        """Every parse of a sentence by any template."""
        lowered = text.lower()
        found: dict[int, list[Parse]] = {}
        here: _Beginning | None = self._beginnings
        words = iter(lowered.split(" "))
        while here is not None:
            for ending, by_needs in here.templates.items():
                if not lowered.endswith(ending):
                    continue
                for needs, templates in by_needs.items():
                    if not needs.are_in(lowered):
                        continue
                    for number, template in templates:
                        bindings = template.parser.fill(lowered)
                        if bindings:
                            found[number] = template.parses_for(bindings)
            here = here.further.get(next(words, ""))
        return [parse for number in sorted(found) for parse in found[number]]

    def parse(self, text: str) -> tuple[Query, ...]:
        """The distinct meanings of a sentence; none when no template reads it, several when it is ambiguous.

        A name of several words is that name: "a street sign" is not also a sign that is "street".
        """
        return tuple(dict.fromkeys(one.meaning for one in self.parses(text) if not self._breaks_a_name(one)))

    def _breaks_a_name(self, parse: Parse) -> bool:
        for value in parse.slots.values():
            if isinstance(value, ObjectDescription) and self.phrases.spells_another_name(value):
                return True
        return False


class _Beginning(NamedTuple):
    """Fixed words: the templates that begin with just these, by their endings and what they need; those that go on."""

    templates: dict[str, dict[Needs, list[tuple[int, Template]]]]
    further: dict[str, _Beginning]


def _by_beginning(templates: Iterable[Template]) -> _Beginning:
    """Templates, numbered in order, by the fixed words they begin with."""
    start = _Beginning({}, {})
    for number, template in enumerate(templates):
        for beginning in template.parser.beginnings:
            # A word counts only when the space after it is certain, else it may go on.
            words, _, _ = beginning.rpartition(" ")
            here = start
            for word in words.split(" ") if words else ():
                here = here.further.setdefault(word, _Beginning({}, {}))
            same_end = here.templates.setdefault(template.parser.ending, {})
            same_end.setdefault(template.parser.needs, []).append((number, template))
    return start


def load_grammar(extra: Sequence[Path] = ()) -> Grammar:
    """A grammar with the data of Falter, of installed packages and of further folders."""
    outside = [GRAMMAR_FOLDERS.get(name) for name in GRAMMAR_FOLDERS.names()]
    folders = [*outside, *extra]
    return Grammar(load_ontology(folders), [DATA, *folders])


@lru_cache(maxsize=8)
def default_grammar(*extra: Path) -> Grammar:
    """The grammar, loaded once per set of folders."""
    return load_grammar(extra)


@lru_cache(maxsize=8)
def question_grammar(*extra: Path) -> Grammar:
    """The grammar of questions that people wrote, loaded once per set of folders: it reads more than it writes."""
    grammar = default_grammar(*extra)
    return Grammar(grammar.ontology, [DATA, *extra], "questions")


@lru_cache(maxsize=8)
def captions_over(grammar: Grammar) -> Grammar:
    """The grammar of captions with the words and the folders of another, made once."""
    return Grammar(grammar.ontology, grammar.folders, "captions")
