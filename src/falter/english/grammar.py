"""The book of templates: all YAML files of templates, and reading a sentence with all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from falter.english.noun_phrases import Phrases
from falter.english.ontology import Ontology, load_ontology
from falter.english.templates import Reading, Template, TemplateError
from falter.errors import InputError
from falter.registry import Registry
from falter.scene import Query, Selection

__all__ = ["English", "TemplateFolders", "english", "load_english"]

DATA = Path(__file__).parent / "data"

TemplateFolders: Registry[Path] = Registry("folder of English data", "falter.english", {})
"""Folders of YAML that packages from outside add: ontology files, and templates in a subfolder ``templates``."""


class _Line(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    id: str
    text: str
    negated: str | None = None
    example: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    type: str
    means: str
    negated: str | None = None
    templates: list[_Line]


class English:
    """The ontology, the noun phrases over it, and every template, ready to write and to read."""

    def __init__(self, ontology: Ontology, folders: Iterable[Path]) -> None:
        self.ontology = ontology
        self.phrases = Phrases(ontology)
        self.templates: list[Template] = []
        for folder in folders:
            for path in sorted((folder / "templates").glob("*.yaml")):
                self.templates.extend(self._read_file(path))
        self._by_id = {template.id: template for template in self.templates}
        self._of: dict[tuple[str, str, str | None], tuple[Template, ...]] = {}
        self._by_beginning = _by_beginning(self.templates)

    def _read_file(self, path: Path) -> list[Template]:
        try:
            data: Any = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            file = msgspec.convert(data, _File)
        except (yaml.YAMLError, UnicodeDecodeError, msgspec.ValidationError) as error:
            raise InputError(path, f"is not a file of templates: {error}", hint="see the page on templates") from error
        templates: list[Template] = []
        for line in file.templates:
            name = f"{file.type}.{line.id}"
            plain = Template(
                id=name, type=file.type, text=line.text, means=file.means, example=line.example, phrases=self.phrases
            )
            templates.append(plain)
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

    def templates_of(self, kind: str, polarity: str = "plain", form: str | None = None) -> Sequence[Template]:
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

    def negation_of(self, template: Template) -> Template | None:
        """The negated twin of a template."""
        return self._by_id.get(f"{template.id}.negated")

    def readings(self, text: str) -> list[Reading]:
        """Every reading of a sentence by any template."""
        lowered = text.lower()
        words = lowered.split(" ")
        found: dict[int, list[Reading]] = {}
        for many, by_words in self._by_beginning.items():
            for number, template in by_words.get(" ".join(words[:many]), ()):
                bindings = template.matcher.bindings(lowered)
                if bindings:
                    found[number] = template.readings_of(bindings)
        return [reading for number in sorted(found) for reading in found[number]]

    def read(self, text: str) -> tuple[Query, ...]:
        """The distinct meanings of a sentence; none when no template reads it, several when it is ambiguous.

        A name of several words is that name: "a street sign" is not also a sign that is "street".
        """
        return tuple(dict.fromkeys(one.meaning for one in self.readings(text) if not self._breaks_a_name(one)))

    def _breaks_a_name(self, reading: Reading) -> bool:
        return any(
            isinstance(value, Selection) and self.phrases.spells_another_name(value) for value in reading.slots.values()
        )


_Numbered = list[tuple[int, Template]]


def _by_beginning(templates: Iterable[Template]) -> dict[int, dict[str, _Numbered]]:
    """Templates, numbered in their order, by how many words they surely begin with and by these words."""
    found: dict[int, dict[str, _Numbered]] = {}
    for number, template in enumerate(templates):
        for beginning in template.matcher.beginnings:
            # A word counts only when the space after it is certain, else it may go on.
            words, _, _ = beginning.rpartition(" ")
            many = len(words.split(" ")) if words else 0
            found.setdefault(many, {}).setdefault(words, []).append((number, template))
    return found


def load_english(extra: Sequence[Path] = ()) -> English:
    """English with the data of Falter, of installed packages and of further folders."""
    outside = [TemplateFolders.get(name) for name in TemplateFolders.names()]
    folders = [*outside, *extra]
    return English(load_ontology(folders), [DATA, *folders])


@lru_cache(maxsize=8)
def english(*extra: Path) -> English:
    """English, loaded once."""
    return load_english(extra)
