"""Reading YAML: built from the parser's events, so that nothing in a file nests, repeats or grows without bound.

PyYAML's own loaders call themselves once per level, the C one without a limit: a deeply nested file ends the process.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from falter.core.errors import InputError
from falter.core.files.opening import read_bytes

T = TypeVar("T")

_MAX_BYTES = 64 << 20
_MAX_DEPTH = 60
_MAX_NODES = 5_000_000
_MAX_NUMBER = 400
_MERGE = "tag:yaml.org,2002:merge"
_PREFIX = "tag:yaml.org,2002:"


class _YamlError(ValueError):
    """What a file may not hold, with its line."""

    def __init__(self, problem: str, event: Any) -> None:
        super().__init__(f"line {event.start_mark.line + 1}: {problem}")


def read_yaml(
    path: Path, type_: type[T] | None = None, *, what: str = "", hint: str = "", plain_words: bool = False
) -> T:
    """A YAML file as a type, or as plain objects where none is given.

    With ``plain_words``, unquoted yes, no, on and off are texts. A key that occurs twice is an error.
    """
    import yaml

    data = read_bytes(path, hint=hint, max_bytes=_MAX_BYTES)
    try:
        parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        value: Any = _Builder(plain_words).build(yaml.parse(data, Loader=parser))
        return value if type_ is None else msgspec.convert(value, type_)
    except (yaml.YAMLError, _YamlError, UnicodeError, msgspec.ValidationError, RecursionError, MemoryError) as error:
        problem = " ".join(str(error).split()).replace('in "<byte string>", ', "")
        raise InputError(path, f"is not {what or 'valid YAML'}: {problem}", hint=hint) from error


class _Open:
    """A list or mapping that has begun and not ended; ``key`` is a mapping's key that waits for its value."""

    __slots__ = ("anchor", "key", "merged", "nodes", "value", "waits")

    def __init__(self, value: Any, anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.nodes = 1
        self.key: Any = None
        self.waits = False
        self.merged: list[dict[Any, Any]] = []

    @property
    def takes_key(self) -> bool:
        return isinstance(self.value, dict) and not self.waits


class _Builder:
    """Makes plain objects of events, without calling itself."""

    def __init__(self, plain_words: bool) -> None:
        self._scalars = _scalars(plain_words)
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._stack: list[_Open] = []
        self._documents: list[Any] = []

    def build(self, events: Iterator[Any]) -> Any:
        from yaml import events as kinds

        for event in events:
            match event:
                case kinds.ScalarEvent():
                    value = self._scalars.value(event)
                    if event.anchor is not None:
                        self._anchors[event.anchor] = (value, 1)
                    self._add(value, 1, event)
                case kinds.MappingStartEvent():
                    self._begin({}, "map", event)
                case kinds.SequenceStartEvent():
                    self._begin([], "seq", event)
                case kinds.CollectionEndEvent():
                    self._end(event)
                case kinds.AliasEvent():
                    if event.anchor not in self._anchors:
                        raise _YamlError(f"there is no anchor {event.anchor!r} before it that has ended", event)
                    self._add(*self._anchors[event.anchor], event)
                case kinds.DocumentStartEvent():
                    self._anchors.clear()
                    if self._documents:
                        raise _YamlError("a second document begins; write one only", event)
        return self._documents[0] if self._documents else None

    def _begin(self, value: Any, tag: str, event: Any) -> None:
        if event.tag not in (None, "!", _PREFIX + tag):
            raise _YamlError(f"the tag {event.tag} is not allowed", event)
        if len(self._stack) >= _MAX_DEPTH:
            raise _YamlError(f"it nests deeper than {_MAX_DEPTH} levels", event)
        self._stack.append(_Open(value, event.anchor))

    def _end(self, event: Any) -> None:
        ended = self._stack.pop()
        if ended.merged:
            merged: dict[Any, Any] = {}
            for other in ended.merged:
                merged = other | merged
            ended.value = merged | ended.value
        if ended.anchor is not None:
            self._anchors[ended.anchor] = (ended.value, ended.nodes)
        self._add(ended.value, ended.nodes, event)

    def _add(self, value: Any, nodes: int, event: Any) -> None:
        if value is _MERGED and not (self._stack and self._stack[-1].takes_key):
            value = "<<"
        if not self._stack:
            self._documents.append(value)
            return
        within = self._stack[-1]
        within.nodes += nodes
        if within.nodes > _MAX_NODES:
            raise _YamlError(f"it has more than {_MAX_NODES:,} values, repeated ones counted", event)
        if isinstance(within.value, list):
            within.value.append(value)
        elif not within.waits:
            within.key, within.waits = self._key(within, value, event), True
        else:
            within.waits = False
            if within.key is _MERGED:
                within.merged += _mappings(value, event)
            else:
                within.value[within.key] = value

    @staticmethod
    def _key(within: _Open, key: Any, event: Any) -> Any:
        if not isinstance(key, Hashable):
            raise _YamlError("a key is a list or a mapping", event)
        if key in within.value:
            raise _YamlError(f"the key {key!r:.60} occurs twice", event)
        return key


_MERGED = object()


def _mappings(value: Any, event: Any) -> list[dict[Any, Any]]:
    """What ``<<`` adds to a mapping; of several, the first has precedence."""
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) for one in found):
        raise _YamlError("<< adds a mapping or a list of mappings", event)
    return found


class _Scalars:
    """The values of plain and quoted texts, by the rules of PyYAML's safe loader."""

    def __init__(self, plain_words: bool) -> None:
        from yaml import ScalarNode
        from yaml.constructor import SafeConstructor
        from yaml.resolver import Resolver

        constructor, resolver = SafeConstructor(), Resolver()
        self._node = ScalarNode
        self._resolve: Callable[..., str] = resolver.resolve
        self._words = plain_words
        self._makers = {
            f"{_PREFIX}null": lambda _: None,
            f"{_PREFIX}bool": constructor.construct_yaml_bool,
            f"{_PREFIX}int": constructor.construct_yaml_int,
            f"{_PREFIX}float": constructor.construct_yaml_float,
            f"{_PREFIX}timestamp": constructor.construct_yaml_timestamp,
        }

    def value(self, event: Any) -> Any:
        """The value of one scalar; what looks like a number or a date and is none that exists is an error."""
        text: str = event.value
        if not event.implicit[0] and event.tag in (None, "!", f"{_PREFIX}str"):
            return text
        tag = self._resolve(self._node, text, (True, False)) if event.implicit[0] else event.tag
        if tag == _MERGE:
            return _MERGED
        if tag in (f"{_PREFIX}str", f"{_PREFIX}value") or (
            self._words and event.implicit[0] and tag == f"{_PREFIX}bool"
        ):
            return text
        if tag not in self._makers:
            raise _YamlError(f"the tag {tag} is not allowed", event)
        if len(text) > _MAX_NUMBER:
            raise _YamlError(f"a number has {len(text):,} characters; quote it if it is a text", event)
        try:
            return self._makers[tag](self._node(tag, text))
        except (ValueError, OverflowError, KeyError, IndexError, AttributeError) as error:
            kind = tag.removeprefix(_PREFIX)
            raise _YamlError(f"{text!r:.60} is not a {kind}: {error}; quote it if it is a text", event) from error


@lru_cache(maxsize=2)
def _scalars(plain_words: bool) -> _Scalars:
    return _Scalars(plain_words)


@cache
def read_word_lists(path: Path) -> Mapping[str, frozenset[str]]:
    """The lists of a file, which is read once; unquoted yes, no, on and off are words."""
    lists = read_yaml(path, dict[str, list[str]], what="a file of lists of words", plain_words=True)
    return {name: frozenset(words) for name, words in lists.items()}
